import path from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import { formatReport } from '../../base/core/errors.ts';
import { currentId, renamedRules } from '../../base/core/renamedIds.ts';
import type { CheckSettings } from '../core/check.ts';
import { isRule, ruleCatalog, type RuleId } from '../core/finding.ts';
import { severities, type Severity } from '../core/rules/ruleEntry.ts';
import { createChecker, type CheckedFile } from './checkFile.ts';
import { findFiles } from './checkFiles.ts';
import { jsonOutput, textOutput, type CheckOutput } from './checkFormats.ts';
import { sarifOutput } from './checkSarif.ts';
import type { CommandIo } from '../../base/node/terminal/commandIo.ts';
import { usageError } from '../../base/node/terminal/commandLine.ts';
import type { checkFormats, CheckValues } from './options.ts';
import { packageChoice } from './packages.ts';

export async function runCheck(
  { format = 'text', rule = [], release = [] }: CheckValues,
  names: readonly string[],
  io: CommandIo,
): Promise<number> {
  const settings: CheckSettings = { rules: rulesOf(rule.map((pair) => withCurrentId(pair, io))) };
  const { files, missing } = await findFiles(names, io.cwd);
  for (const report of missing) io.stderr.write(`agentjet: ${formatReport(report)}\n`);
  const output = outputs[format](io);
  const checkFile = createChecker(io, settings, packageChoice(io, release));
  let exitCode: 0 | 1 | 2 = missing.length > 0 ? 2 : 0;
  // One at a time: a folder of configs may be too large for memory.
  for (const file of files) {
    const checked = await checkFile(file);
    io.stdout.write(output.file(checked), format === 'text');
    if (checked.error !== undefined) io.stderr.write(`agentjet: ${formatReport(checked.error)}\n`);
    exitCode = worse(exitCode, checked);
  }
  io.stdout.write(output.end());
  return exitCode;
}

const outputs: Readonly<Record<(typeof checkFormats)[number], (io: CommandIo) => CheckOutput>> = {
  text: ({ stdout }) => textOutput(stdout.colour),
  json: jsonOutput,
  sarif: ({ cwd }) => sarifOutput(cwd, path),
};

function worse(exitCode: 0 | 1 | 2, { error, findings }: CheckedFile): 0 | 1 | 2 {
  if (exitCode === 2 || error !== undefined) return 2;
  return exitCode === 1 || findings.some(({ severity }) => severity === 'error') ? 1 : 0;
}

/** Replaces an old rule id in `id=severity`, with a warning. */
function withCurrentId(pair: string, { stderr }: CommandIo): string {
  const [old = '', ...severity] = pair.split('=');
  const id = currentId(renamedRules, old);
  if (id === old) return pair;
  stderr.write(
    `agentjet: --rule ${pair}: the rule "${old}" is now "${id}". A later version will not know the old id.\n`,
  );
  return [id, ...severity].join('=');
}

function rulesOf(written: readonly string[]): CheckSettings['rules'] {
  const allowed = ['off', ...severities] as const;
  const pairs = written.map((pair): [RuleId, Severity | 'off'] => {
    const [id = '', severity] = pair.split('=');
    if (!isRule(id)) {
      const nearest = closest(id, Object.keys(ruleCatalog));
      throw usageError(
        `--rule ${pair}: the rule "${id}" does not exist.${distance(id, nearest) <= id.length / 2 ? ` Did you mean ${nearest}?` : ''}`,
        'In the output of agentjet check, the rule id follows the severity.',
      );
    }
    const level = allowed.find((one) => one === severity);
    if (level === undefined) {
      throw usageError(
        `--rule ${pair} has no valid severity for ${id}.`,
        `Write --rule ${id}=SEVERITY, one of ${allowed.join(', ')}.`,
      );
    }
    return [id, level];
  });
  return Object.fromEntries(pairs);
}
