import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixtures, runCases } from './programs/cases.ts';
import { runnable } from './programs/runnable.ts';

describe('every kind of file is loaded and runs', async () => {
  const { outcomes, stderr } = await runCases(runnable);

  test.each(runnable.map(({ label, file }, index) => ({ label, file, outcome: outcomes[index] })))(
    '$label',
    ({ file, outcome }) => expect(outcome).toEqual({ file, reward: 12 }),
  );

  test('without a word on stderr', () => expect(stderr).toBe(''));
});

test('a Node without type stripping compiles all of it', async () => {
  const cases = runnable.filter(({ label }) => /plain\.ts|untyped\.ts|common\.cts/.test(label));
  const preload = path.join(import.meta.dirname, 'programs/withoutTypes.mjs');
  const { outcomes, stderr } = await runCases(cases, ['--import', preload]);
  expect(outcomes).toEqual(cases.map(({ file }) => ({ file, reward: 12 })));
  expect(stderr).toBe('');
});

test('an error of a running workflow has its place in the file as written', async () => {
  const file = path.join(fixtures, 'errors/throwsWhenRun.ts');
  const { outcomes } = await runCases([{ file }, { file, name: 'BelowNode' }]);
  expect(outcomes.map(({ frame }) => frame)).toEqual([
    { file, line: 10, column: 11 },
    { file, line: 16, column: 27 },
  ]);
});

test('a relative file is looked for in each folder in turn', async () => {
  const folders = [path.join(fixtures, 'errors'), path.join(fixtures, 'module')];
  const { outcomes } = await runCases([{ file: 'plain.ts', folders }]);
  expect(outcomes).toEqual([{ file: path.join(fixtures, 'module/plain.ts'), reward: 12 }]);
});

test('the next process sees what was saved meanwhile', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-loader-'));
  try {
    const file = path.join(folder, 'workflow.ts');
    const rewards: unknown[] = [];
    for (const reward of [1, 2]) {
      const body = `enum R { Value = ${reward} }\nexport class Agent extends Workflow { async execute() { return { reward: R.Value }; } }`;
      await writeFile(file, `import { Workflow } from 'agentjet';\n${body}\n`);
      const { outcomes } = await runCases([{ file }]);
      rewards.push(outcomes[0]?.reward);
    }
    expect(rewards).toEqual([1, 2]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
