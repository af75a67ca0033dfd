import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAgentjet } from '../../../../src/command/cli/main.ts';
import { KnownHosts } from '../../../../src/training/node/client/knownHosts.ts';

/** `agentjet remote` of somebody who knows one host. */
function remote() {
  const home = mkdtempSync(path.join(tmpdir(), 'agentjet-remote-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const hosts = new KnownHosts(home);
  hosts.add({ name: 'box', address: 'wss://box:7788', id: '1' }, 'of-the-box');
  const run = async (...args: readonly string[]) => {
    const written = { stdout: '', stderr: '' };
    const output = (name: 'stdout' | 'stderr') => ({
      write: (text: string) => void (written[name] += text),
      colour: false,
    });
    const io = {
      stdout: output('stdout'),
      stderr: output('stderr'),
      readStdin: () => Promise.resolve(''),
      cwd: home,
      env: { AGENTJET_HOME: home },
    };
    const argv = ['remote', ...args];
    const code = await runAgentjet({ io, argv, version: '0', distFolder: '', hostProgram: '' });
    return { code, ...written };
  };
  return { hosts, run };
}

describe('agentjet remote --json', () => {
  it('tells what was removed', async () => {
    const { hosts, run } = remote();
    expect(await run('remove', 'box', '--json')).toEqual({ code: 0, stdout: '{"name":"box"}\n', stderr: '' });
    expect(hosts.list()).toEqual([]);
  });

  it.each([
    [['status', '--host', 'other', '--json'], 'remote/no-host'],
    [['logs', '--follow', '--json'], 'cli/usage'],
    [['hosts', '--json', '--sideways'], 'cli/usage'],
    [['sideways', '--json'], 'cli/usage'],
  ])('tells in one line what could not be done: %j', async (args, code) => {
    const told = await remote().run(...args);
    expect(told.code).toBe(2);
    expect(told.stdout.match(/\n/g)).toHaveLength(1);
    const { error } = JSON.parse(told.stdout) as { error: Record<string, string> };
    expect(Object.keys(error)).toEqual(['code', 'message', 'hint']);
    expect(error['code']).toBe(code);
    expect(told.stderr).toBe(`agentjet: ${error['message'] ?? ''} [${code}]\n  ${error['hint'] ?? ''}\n`);
  });

  it('names a command that does not exist', async () => {
    const { stderr } = await remote().run('foo');
    expect(stderr).toMatch(
      /^agentjet: Unknown command: agentjet remote foo\. \[cli\/usage\]\n {2}Choose add, /,
    );
    expect((await remote().run('statis')).stderr).toContain('Did you mean status?');
    expect((await remote().run('ls', 'box')).stderr).toContain('Unexpected argument "box".');
  });

  it('is told people alone where nobody asks for it, or the launcher is asked', async () => {
    const { run } = remote();
    expect(await run('status', '--host', 'other')).toMatchObject({ code: 2, stdout: '' });
    const missing = ['run', '--conf', 'missing.yaml', '--', '--json'];
    expect(await run(...missing)).toMatchObject({ code: 2, stdout: '' });
  });
});
