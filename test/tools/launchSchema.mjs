/**
 * Writes the schema of launch configurations into package.json and package.nls.json, from the table of run options.
 * A new or changed description then needs its translation: see translations.mjs.
 *
 *   node test/tools/launchSchema.mjs
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { launchSchema } from '../../src/backbone/node/options/runOptions.ts';
import { root } from './commands.mjs';
import { writeManifest } from './translations.mjs';

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const debug = manifest.contributes.debuggers.find(({ type }) => type === 'agentjet');
debug.configurationAttributes.launch = launchSchema();
writeManifest(manifest);
