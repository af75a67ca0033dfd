/**
 * Writes what the setting `agentjet.check.rules` offers into package.json and package.nls.json: every rule, with what it
 * is about. A new rule, or one about something else, wants its translation then: see translations.mjs.
 *
 *   node test/tools/ruleSettings.mjs
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { renamedRules } from '../../src/base/core/renamedIds.ts';
import { ruleCatalog } from '../../src/configs/core/finding.ts';
import { severities } from '../../src/configs/core/rules/ruleEntry.ts';
import { root } from './commands.mjs';
import { writeManifest } from './translations.mjs';

/** The schema of the setting's value, as package.json has it. */
export function ruleProperties() {
  const levels = { type: 'string', enum: ['off', ...severities] };
  const rules = Object.entries(ruleCatalog).map(([rule, { title, severity }]) => [
    rule,
    { ...levels, default: severity, description: `${title}.` },
  ]);
  const renamed = Object.entries(renamedRules).map(([old, rule]) => [
    old,
    { ...levels, deprecationMessage: `This rule has a new id: ${rule}.` },
  ]);
  return Object.fromEntries([...rules, ...renamed]);
}

if (process.argv[1] === import.meta.filename) {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const groups = manifest.contributes.configuration;
  const { properties } = groups.find((group) => 'agentjet.check.rules' in group.properties);
  properties['agentjet.check.rules'].properties = ruleProperties();
  writeManifest(manifest);
}
