/** A training in stages, as users follow it and go on from it. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import { gpuMachine, startRun } from './gpuHost.ts';

describe.skipIf(process.platform !== 'linux')('a GPU host', () => {
  test('trains in stages, lists each, and goes on in the one that was under way', async () => {
    const machine = await gpuMachine();
    const go = machine.folder.path('go');
    const names = ['sft', 'rl'];
    const step = (step: number, file: string, value: number): Action => {
      return { do: 'metrics', step, values: { 'critic/score/mean': value }, file };
    };
    await machine.stagedScript([
      { do: 'stage', at: 0, names },
      ...[step(1, 'trainer.log', 0.125), step(2, 'trainer.log', 0.25)],
      { do: 'checkpoint', step: 2, weights: true },
      { do: 'stage', at: 1, names },
      ...[step(1, 'trainer.log', 0.5), { do: 'checkpoint', step: 1 } as const],
      ...[{ do: 'print', text: 'ready\n' } as const, { do: 'await', file: go } as const],
    ]);
    await machine.add('box', await machine.host(['--listen', '127.0.0.1:0']));
    const { command, run } = await startRun(machine);
    await command.wrote(/Wrote the checkpoint of step 1 of stage 2/);
    const row = (await machine.remote(['ls'])).stdout;
    expect(row).toMatch(/ rl 1\/10 +0\.500 /);
    await machine.remote(['cancel', run]);
    const { stderr } = await command.exited;
    expect(stderr).toMatch(/^Phase: stage 1 of 2\n(?:.+\n)*Phase: stage 2 of 2$/m);
    expect(stderr).toMatch(/^Wrote the checkpoint of step 2 of stage 1\.$/m);
    const { stages, ...record } = await machine.record(run);
    expect(record).toMatchObject({ state: 'cancelled', stage: 2, step: 1, totalSteps: 10, reward: 0.5 });
    expect(stages).toEqual([
      { name: 'sft', folder: 'sft', totalSteps: 2 },
      { name: 'rl', folder: 'rl', totalSteps: 10 },
    ]);
    const trainer = await machine.remote(['logs', run, '--source', 'sft/trainer']);
    expect(trainer.stdout).toMatch(/Step 1: .*\n.*Step 2: .*\n$/);

    const pulled = await machine.json<object>(['pull', run, '--step', '2']);
    const target = machine.project.path(`checkpoints/${run}/sft/global_step_2`);
    expect(pulled).toMatchObject({ stage: 'sft', path: 'sft/global_step_2', reward: 0.25, target });
    await writeFile(go, '');
    const older = await machine.remote(['resume', run, '--stage', 'sft', '--force', '--follow']);
    expect(older.stderr).toContain('the newest is step 1 of stage rl');
    const resumed = await machine.remote(['resume', run, '--force', '--follow']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain('Stages that are skipped: sft.');
    expect(resumed.stdout).toMatch(/> Skipping completed stage 1\/2[^]*> Stage 2\/2 finished/);
    const fork = await machine.remote(['resume', run, '--stage', 'rl', '--fork', '--force', '--follow']);
    expect(fork.stdout).toMatch(/> Skipping completed stage 1\/2[^]*> Stage 2\/2 finished/);
    const forked = await machine.record(fork.stdout.slice(0, run.length));
    expect(forked).toMatchObject({ stage: 2, from: { run, step: 1, stage: 'rl', as: 'fork' } });
    const learnt = path.join(forked.jobFolder ?? '', 'sft/global_step_2/actor/huggingface/model.safetensors');
    expect(await readFile(learnt)).toEqual(Buffer.alloc(500, 2));
  });
});
