import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { descendantsOf, taskkillCommand } from '../../../../src/base/node/process/kill.ts';
import { spawnOptions, spawnTree, type ProcessTree } from '../../../../src/base/node/process/processTree.ts';

const anHour = 'setTimeout(() => undefined, 3_600_000)';

describe('by platform', () => {
  const options = { cwd: '/work', env: { A: '1' }, stdio: 'ignore' as const };

  test.each([
    ['linux', true],
    ['darwin', true],
    ['win32', false],
  ] as const)('%s: leads a group of its own: %s', (platform, detached) => {
    expect(spawnOptions(options, platform)).toEqual({ ...options, detached, windowsHide: true });
  });

  test('Windows ends a tree with its own tool', () => {
    expect(taskkillCommand(4711)).toEqual(['taskkill', ['/pid', '4711', '/T', '/F']]);
  });
});

function start(program: string, stdio: StdioOptions = 'ignore'): Promise<ProcessTree> {
  return spawnTree({
    command: process.execPath,
    args: ['-e', program],
    cwd: process.cwd(),
    env: {},
    stdio,
  });
}

describe('a process tree', () => {
  test('tells how its first process ended', async () => {
    const tree = await start('process.exit(3)');
    expect(await tree.exited).toEqual({ code: 3, signal: null });
  });

  test('terminate lets a process end in its own way', async () => {
    const program = `process.once('SIGTERM', () => process.exit(5)); process.stdout.write('up'); ${anHour}`;
    const tree = await start(program, ['ignore', 'pipe', 'ignore']);
    await once(tree.child.stdout ?? tree.child, 'data');
    await tree.terminate(60_000);
    expect(await tree.exited).toEqual({ code: 5, signal: null });
  });

  test('a program that does not exist rejects with Node’s error', async () => {
    const options = { args: [], cwd: process.cwd(), env: {}, stdio: 'ignore' as const };
    await expect(spawnTree({ ...options, command: '/no/such/program' })).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await expect(
      spawnTree({ ...options, command: process.execPath, cwd: '/no/such/folder' }),
    ).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  test.runIf(process.platform === 'linux')('descendants are found through their parents', async () => {
    const tree = await start(anHour);
    expect(descendantsOf(process.pid).map(({ pid }) => pid)).toContain(tree.pid);
    tree.killTree();
    await tree.exited;
    expect(descendantsOf(process.pid).map(({ pid }) => pid)).not.toContain(tree.pid);
  });
});
