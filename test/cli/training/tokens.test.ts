/** Who a host lets in, and what it tells its owner of it. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { runCli } from '../harness/cli.ts';
import { gpuMachine, type GpuMachine } from './gpuHost.ts';

const listen = ['--listen', '127.0.0.1:0'];

/** What a host tells people when it starts. */
async function startText(machine: GpuMachine): Promise<string> {
  const args = machine.hostArguments.filter((one) => one !== '--json');
  const host = machine.start(['host', ...args, ...listen]);
  const [told] = await host.wrote(
    /^GPU host [^]*\n {2}ws:[^]*\n\n?.*[Tt]oken[^]*\nGPUs: [^]*\ntrinity: .*\n/m,
  );
  host.child.kill('SIGTERM');
  const { code, stdout } = await host.exited;
  expect([code, stdout]).toEqual([0, told]);
  return stdout;
}

describe.skipIf(process.platform !== 'linux')('a GPU host', () => {
  test('makes a token at its first start alone, and tells how to make one where all were taken back', async () => {
    const machine = await gpuMachine();
    const owner = async (args: readonly string[]): Promise<string> => {
      const data = ['--data', machine.folder.path('data')];
      const { code, stdout, stderr } = await runCli(machine.folder, ['host', 'token', ...args, ...data]);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    const host = await machine.host(listen);
    expect(host.token?.name).toBe('owner');
    await machine.add('box', host);
    await owner(['remove', 'owner']);
    expect(await host.end('SIGTERM')).toBe(0);

    const again = await machine.host(listen);
    expect(again).not.toHaveProperty('token');
    expect(await owner(['list'])).toBe('');
    expect(await again.end('SIGTERM')).toBe(0);
    expect(await startText(machine)).toMatch(
      /\n\nIt has no token, so no client can connect\. To create a token, use `agentjet host token add NAME`\.\n\n/,
    );

    await owner(['add', 'second']);
    const text = await startText(machine);
    expect(text).toMatch(
      /\n\nTo create a token, use `agentjet host token add NAME`\.\n\nGPUs: 2 × .+\najet: .+\ntrinity: found\n$/,
    );
    expect(text).not.toMatch(/ajh_/);
  });

  test('notes what was sent, checked and started, and by whom, without secrets', async () => {
    const machine = await gpuMachine();
    await machine.script([{ do: 'print', text: 'ready\n' }]);
    const host = await machine.host(listen);
    await machine.add('box', host);
    machine.more = { MY_VARIABLE: 'a-secret-value' };
    const args = ['run', '--conf', 'train.yaml', '--force', '--follow', '--env', 'MY_VARIABLE'];
    const { code, stdout, stderr } = await machine.remote(args);
    expect(code, stderr).toBe(0);
    const [run = ''] = stdout.split('\n');
    machine.runs.add(run);
    await machine.json(['rm', run]);
    const text = await readFile(machine.folder.path('data/audit.ndjson'), 'utf8');
    expect(text).not.toMatch(/a-secret-value|ajh_/);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { what: string });
    const done = { token: 'owner', address: '127.0.0.1', outcome: 'done' };
    const order = { launcher: 'trinity', config: 'train.yaml', name: expect.any(String) as unknown };
    expect(lines.filter(({ what }) => !what.endsWith('connected'))).toMatchObject([
      { what: 'preflight', ...done, ...order },
      { what: 'sync.manifest', ...done, kept: true, snapshot: expect.any(String) as unknown },
      { what: 'run.start', ...done, ...order, run },
      { what: 'run.remove', ...done, run, checkpoints: false },
    ]);
  });
});
