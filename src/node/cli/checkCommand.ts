import path from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import { formatReport } from '../../base/errors.ts';
import type { CheckSettings } from '../../config/check.ts';
import { ruleCatalog, type RuleId } from '../../config/rules/catalog.ts';
import { severities, type Severity } from '../../config/rules/ruleEntry.ts';
import { createChecker, type CheckedFile } from './checkFile.ts';
import { findFiles } from './checkFiles.ts';
import { jsonOutput, textOutput, type CheckOutput } from './checkFormats.ts';
import { sarifOutput } from './checkSarif.ts';
import type { CommandIo } from './commandIo.ts';
import { oneOf, parseOptions, wrongUse } from './commandLine.ts';

const options = {
  format: { type: 'string' },
  rule: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const;

const formats = ['text', 'json', 'sarif'] as const;

const usage = `Usage: agentjet check FILES… [--format text|json|sarif] [--rule ID=SEVERITY]…

Tells what configs of AgentJet, of ASTuner and of Trinity-RFT get wrong. FILES are files, folders, which are searched
for YAML, and patterns such as "conf/**/*.yaml"; - is the standard input. Files of other kinds are left alone.

  --format text          one line per finding: file:line:column severity rule message (default)
  --format json          [{file, dialect, diagnostics}]; dialect is null for a file that is none of these configs
  --format sarif         SARIF 2.1.0, for code scanning
  --rule ID=SEVERITY     how seriously a rule is taken: off, error, warning, information or hint

Comments silence single findings: "# agentjet-ignore ID" on the line or alone above it, "# agentjet-ignore-file ID".
Relative paths and locators in a config are looked for from the working directory, where training is started.

Exit code: 0 no errors, 1 errors, 2 a file could not be read or there was none.`;

/** `agentjet check`: what configs get wrong, for terminals, scripts and code scanning. */
export async function runCheck(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(args, options, 'agentjet check');
  if (values.help === true) {
    io.stdout.write(`${usage}\n`);
    return 0;
  }
  const format = oneOf('--format', values.format ?? 'text', formats);
  const settings: CheckSettings = { rules: rulesOf(values.rule ?? []) };
  if (positionals.length === 0) {
    throw wrongUse('agentjet check needs files.', 'Name some: agentjet check conf/exp.yaml, or a folder.');
  }
  const { files, missing } = await findFiles(positionals, io.cwd);
  for (const report of missing) io.stderr.write(`agentjet: ${formatReport(report)}\n`);
  const output = outputs[format](io);
  const checkFile = createChecker(io, settings);
  let exitCode: 0 | 1 | 2 = missing.length > 0 ? 2 : 0;
  // One after the other: a folder of configs must not hold all of them at once.
  for (const file of files) {
    const checked = await checkFile(file);
    io.stdout.write(output.file(checked));
    if (checked.error !== undefined) io.stderr.write(`agentjet: ${formatReport(checked.error)}\n`);
    exitCode = worse(exitCode, checked);
  }
  io.stdout.write(output.end());
  return exitCode;
}

const outputs: Readonly<Record<(typeof formats)[number], (io: CommandIo) => CheckOutput>> = {
  text: ({ stdout }) => textOutput(stdout.colour),
  json: jsonOutput,
  sarif: ({ cwd }) => sarifOutput(cwd, path),
};

function worse(exitCode: 0 | 1 | 2, { error, findings }: CheckedFile): 0 | 1 | 2 {
  if (exitCode === 2 || error !== undefined) return 2;
  return exitCode === 1 || findings.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function rulesOf(written: readonly string[]): CheckSettings['rules'] {
  const allowed = ['off', ...severities] as const;
  const pairs = written.map((pair): [RuleId, Severity | 'off'] => {
    const [id = '', severity] = pair.split('=');
    if (!isRule(id)) {
      const nearest = closest(id, Object.keys(ruleCatalog));
      throw wrongUse(
        `--rule ${pair}: there is no rule "${id}"${distance(id, nearest) <= id.length / 2 ? `; the nearest is ${nearest}` : ''}.`,
        'Findings name their rule behind the severity.',
      );
    }
    const level = allowed.find((one) => one === severity);
    if (level === undefined) {
      throw wrongUse(
        `--rule ${pair} does not say how seriously ${id} is taken.`,
        `Write --rule ${id}=SEVERITY, one of ${allowed.join(', ')}.`,
      );
    }
    return [id, level];
  });
  return Object.fromEntries(pairs);
}

function isRule(id: string): id is RuleId {
  return Object.hasOwn(ruleCatalog, id);
}
