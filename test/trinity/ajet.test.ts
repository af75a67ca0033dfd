/** AgentJet of PyPI, as far as it goes where there is no GPU. */
import { chmod, cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { RunRecord } from '../../src/training/core/protocol/runs.ts';
import { gpuMachine, type GpuMachine } from '../cli/training/gpuHost.ts';
import { ensurePython } from '../tools/pythonEnvironments.mjs';

const example = path.resolve(import.meta.dirname, '../../media/examples/math_agent');
const train = ['--conf', 'math_agent.yaml', '--backbone', 'trinity', '--gpus', '0', '--force', '--follow'];

let python = '';
beforeAll(async () => {
  python = await ensurePython('ajet');
});

async function machineWith(launcher: string): Promise<GpuMachine> {
  const machine = await gpuMachine();
  await cp(example, machine.project.folder, { recursive: true });
  await machine.add('box', await machine.host(['--listen', '127.0.0.1:0', '--launcher', `ajet=${launcher}`]));
  return machine;
}

test('a TypeScript workflow and judge run under AgentJet’s own runner, tuner and tracker', async () => {
  const folder = (await gpuMachine()).folder;
  const launcher = folder.path('episodes');
  const driver = path.join(import.meta.dirname, 'ajetEpisodes.py');
  await writeFile(launcher, `#!/bin/sh\nexec '${python}' '${driver}' "$@"\n`);
  await chmod(launcher, 0o755);
  const machine = await machineWith(launcher);
  const { code, stdout, stderr } = await machine.remote(['run', ...train]);
  expect(code, stdout + stderr).toBe(0);
  const told = stdout
    .split('\n')
    .flatMap((line) => /\{"index".*\}$/.exec(line)?.[0] ?? [])
    .map((line) => JSON.parse(line) as { readonly index: number })
    .sort((one, other) => one.index - other.index);
  const same = {
    roles: ['system', 'user', 'assistant'],
    trained: [false, false, true],
    said: String.raw`Mira has \boxed{17} plums left.`,
  };
  expect(told).toMatchObject([
    { index: 0, reward: 1, success: 1, ...same },
    { index: 1, reward: 1, success: 1, ...same },
    { index: 2, reward: 1, success: 1, ...same },
    { index: 3, reward: 0, success: 0, ...same },
  ]);
});

test('`ajet` where PyTorch lacks is told of before, and fails with the reason', async () => {
  const machine = await machineWith(path.join(path.dirname(python), 'ajet'));
  const warned = await machine.remote(['run', ...train, '--dry-run']);
  expect(warned.stderr).toMatch(/Packages are missing in the launcher's Python: .*torch/);
  const { code, stdout } = await machine.remote(['run', ...train]);
  expect(code, stdout).toBe(1);
  const listed = await machine.remote(['ls', '--json']);
  const [run] = JSON.parse(listed.stdout) as RunRecord[];
  expect(run).toMatchObject({ state: 'failed', exitCode: 1 });
  expect(run?.reason).toContain("No module named 'torch'");
});
