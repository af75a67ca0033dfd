import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledDefault } from '../../../src/configs/core/compose/bundledDefaults.ts';
import { check } from '../../../src/configs/core/check.ts';
import { dialectOf, findAjetKey } from '../../../src/configs/core/dialect.ts';
import type { Finding } from '../../../src/configs/core/finding.ts';
import { ajetKeys } from '../../../src/configs/core/key-tables/keyTable.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { readContext } from '../../../src/configs/core/readContext.ts';
import { toPlain, type Plain } from '../../../src/configs/core/value.ts';
import { localClassFinder } from '../../../src/configs/node/classFinder.ts';
import { localFiles } from '../../../src/base/node/files.ts';
import { configFiles, realConfigFiles, type ConfigFile } from './configFiles.ts';
import { composeText } from './memoryFiles.ts';

/** Those of AgentJet itself, where they have been put beside the project. */
const ofAgentJet = realConfigFiles().filter(({ name }) => name.startsWith('agentjet/'));

async function findingsOf(file: ConfigFile): Promise<readonly Finding[]> {
  const dialect = dialectOf(file.text);
  if (dialect === undefined) return [];
  const cwd = path.dirname(file.path);
  const context = await readContext(parseConfig(file.text), dialect, {
    file: file.path,
    cwd,
    files: localFiles,
    paths: path,
    environment: () => undefined,
    classes: localClassFinder([cwd]),
  });
  return check(context);
}

/** What is told of files, each finding on a line of its own. */
async function report(files: readonly ConfigFile[]): Promise<string> {
  const lines: string[] = [];
  for (const file of files) {
    lines.push(`${file.name}: ${dialectOf(file.text)?.id ?? 'none of ours'}`);
    for (const { range, severity, rule, message, fixes } of await findingsOf(file)) {
      lines.push(`  ${range.start.line + 1}:${range.start.character + 1} ${severity} ${rule}: ${message}`);
      lines.push(...fixes.map(({ title }) => `    fix: ${title}`));
    }
  }
  // Messages name files by where they are on this machine.
  const folders = new Set(files.map((file) => path.dirname(file.path)));
  return [...folders].reduce((text, folder) => text.replaceAll(folder, ''), `${lines.join('\n')}\n`);
}

/** Errors of files that do run are false; these are the ones that upstream's own files deserve. */
const trueErrors = [
  // The reader was renamed: the launcher raises.
  'agentjet/tutorial_example_learn2ask_learn2ask.yaml unknown-value',
  'agentjet/tutorial_example_rubrics_judge_r_judge.yaml unknown-value',
];

describe('what is told of configs', () => {
  it('of the tests is what somebody has read', async () => {
    const fixtures = configFiles().filter(({ name }) => name.startsWith('fixtures/'));
    await expect(await report(fixtures)).toMatchFileSnapshot('fixtureConfigs.golden.txt');
  });

  it('of the programs themselves is what somebody has read', async () => {
    const files = realConfigFiles();
    if (files.length === 0) return;
    await expect(await report(files)).toMatchFileSnapshot('realConfigs.golden.txt');
  });

  it('of the programs themselves has no error but the true ones', async () => {
    const errors: string[] = [];
    for (const file of realConfigFiles()) {
      const found = await findingsOf(file);
      errors.push(
        ...found.filter(({ severity }) => severity === 'error').map(({ rule }) => `${file.name} ${rule}`),
      );
    }
    expect(errors.filter((error) => !trueErrors.includes(error))).toEqual([]);
    if (realConfigFiles().length > 0) expect(errors).toEqual(expect.arrayContaining(trueErrors));
  });
});

describe('configs of AgentJet itself', () => {
  it('compose without an error when they are experiments', async () => {
    const experiments = ofAgentJet
      .map(({ text }) => text)
      .filter(
        (text) => dialectOf(text)?.id === 'ajet' && findAjetKey(text) !== undefined && !text.includes('{{'),
      );
    for (const text of experiments) {
      const { problems } = await composeText(text);
      expect(problems.filter((problem) => problem.severity === 'error')).toEqual([]);
    }
  });

  it('have the defaults that stand in for them', () => {
    for (const { text } of ofAgentJet.filter(({ name }) => name.endsWith('ajet_default.yaml'))) {
      const upstream = parseConfig(text).root;
      const ours = toPlain(bundledDefault('ajet_default', ajetKeys()));
      expect(ours).toMatchObject(plainOf(upstream) as Record<string, Plain>);
    }
  });
});

function plainOf(node: ReturnType<typeof parseConfig>['root']): unknown {
  if (node?.kind === 'mapping')
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]));
  if (node?.kind === 'sequence') return node.items.map(plainOf);
  return node?.kind === 'scalar' ? node.value : undefined;
}
