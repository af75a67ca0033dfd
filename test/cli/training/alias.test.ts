/** Upstream's command line with `--host`: a run that is sent, followed to its end and told by the exit code. */
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import type { RunEvent, RunRecord } from '../../../src/training/core/protocol/runs.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import { gpuMachine, startRun } from './gpuHost.ts';

describe.skipIf(process.platform !== 'linux')("upstream's command line on a GPU host", () => {
  test.each([
    { code: 0, state: 'finished', last: [] },
    { code: 1, state: 'failed', last: [{ do: 'exit', code: 3 }] },
  ] as const satisfies readonly { code: number; state: RunRecord['state']; last: readonly Action[] }[])(
    'follows a training that is $state at last, and exits with $code',
    async ({ code, state, last }) => {
      const machine = await gpuMachine();
      // No Ray, whatever else runs on this machine.
      machine.more = { RAY_ADDRESS: '127.0.0.1:1' };
      const go = machine.folder.path('go');
      await machine.script([
        { do: 'print', text: 'ready\n' },
        { do: 'await', file: go },
        { do: 'metrics', step: 1, values: { 'actor/pg_loss': 0.5 } },
        { do: 'print', text: 'through\n' },
        ...last,
      ]);
      const host = await machine.host(['--listen', '127.0.0.1:0']);
      await machine.add('box', host);
      const alias = ['--conf', 'train.yaml', '--backbone', 'trinity', '--host', 'box'];

      // This machine has no Ray to train with, which is told before anything is sent.
      const refused = await machine.start(alias).exited;
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('[remote/would-fail]');
      expect(await machine.json<readonly RunRecord[]>(['ls'])).toEqual([]);

      const command = machine.start([...alias, '--force']);
      const [, run = ''] = await command.wrote(/^(\d{8}-\d{6}-[0-9a-f]{6})$/m);
      machine.runs.add(run);
      await command.wrote(/^ready$/m);
      expect(await machine.record(run)).toMatchObject({
        ...{ state: 'running', launcher: 'trinity', backbone: 'trinity', config: 'train.yaml' },
      });
      expect(command.child.exitCode).toBeNull();
      await machine.project.write({ '../go': '' });
      const { code: exit, stdout, stderr } = await command.exited;
      expect(exit, stderr).toBe(code);
      expect(stdout).toMatch(/^ready\n[^]*^through$/m);
      expect(await machine.record(run)).toMatchObject({ state, step: 1 });
    },
  );

  test('has its run looked after by commands that answer in JSON', async () => {
    const machine = await gpuMachine();
    await machine.script([
      { do: 'checkpoint', step: 1 },
      { do: 'print', text: 'ready\n' },
      { do: 'await', file: machine.folder.path('go') },
    ]);
    await machine.add('box', await machine.host(['--listen', '127.0.0.1:0']));
    const { command, run } = await startRun(machine);
    expect(await machine.json(['hosts'])).toMatchObject([{ name: 'box' }]);
    expect(await machine.json(['cancel', run])).toMatchObject({ id: run });
    expect((await command.exited).code).toBe(130);
    expect(await machine.json(['pull', run])).toMatchObject({ step: 1 });
    await machine.project.write({ '../go': '' });
    const resumed = await machine.json<RunRecord>(['resume', run, '--force']);
    expect(resumed).toMatchObject({ state: 'queued', from: { run, step: 1, as: 'resume' } });
    machine.runs.add(resumed.id);
    const followed = await machine.remote(['logs', resumed.id, '--follow', '--json']);
    const events = followed.stdout.trimEnd().split('\n');
    const told = events.map((line) => JSON.parse(line) as RunEvent);
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, at) => at + 1));
    expect(told.flatMap((event) => (event.type === 'state' ? [event.state] : []))).toEqual([
      ...['queued', 'preparing', 'running', 'finished'],
    ]);
  });
});
