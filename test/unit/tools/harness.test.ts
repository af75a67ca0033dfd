import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathWithProjectNode, pathWithoutNode } from '../../e2e/harness/nodeOnPath.ts';
import { leftovers, processesWith, stopGroup } from '../../e2e/harness/processes.ts';
import { onPath } from '../../tools/commands.mjs';

let temp: string;

beforeEach(async () => {
  temp = await realpath(await mkdtemp(path.join(os.tmpdir(), 'agentjet-harness-')));
});

afterEach(async () => {
  await leftovers(temp, { timeoutMs: 0 });
  await rm(temp, { recursive: true, force: true });
});

const forever = 'setInterval(() => undefined, 1e6); console.log("up");';

async function startProcess(script: string) {
  const env = { ...process.env, AGENTJET_E2E_TEMP: temp };
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe('the leak check', () => {
  it('finds a process by the marker in its environment, and ends it', async () => {
    const child = await startProcess(forever);
    const exit = once(child, 'exit');
    expect((await leftovers(temp, { timeoutMs: 0 })).map(({ pid }) => pid)).toEqual([child.pid]);
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  it('finds a grandchild that has left its group', async () => {
    const child = await startProcess(`
      const { spawn } = require('node:child_process');
      const grandchild = spawn(process.execPath, ['-e', ${JSON.stringify(forever)}], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
      grandchild.stdout.once('data', () => { console.log('up'); setTimeout(() => undefined, 1e6); });`);
    await stopGroup(child);
    expect(await leftovers(temp, { timeoutMs: 0 })).toHaveLength(1);
  });

  it('finds nothing when all have ended', async () => {
    await stopGroup(await startProcess(forever));
    expect(await processesWith(temp)).toEqual([]);
  });

  it('ends a process that will not listen', async () => {
    const child = await startProcess(`process.on('SIGTERM', () => undefined); ${forever}`);
    await stopGroup(child, 100);
    expect(child.signalCode).toBe('SIGKILL');
  });
});

describe('the PATH of the editor', () => {
  async function folderWith(...programs: readonly string[]): Promise<string> {
    const folder = path.join(temp, programs.join('-'));
    await mkdir(folder, { recursive: true });
    for (const program of programs) {
      await writeFile(path.join(folder, program), '#!/bin/sh\n');
      await chmod(path.join(folder, program), 0o755);
    }
    return folder;
  }

  it("finds the project's Node.js first, and no tools from node_modules", async () => {
    const [user, tools] = [await folderWith('node'), path.join(temp, 'node_modules/.bin')];
    const searchPath = pathWithProjectNode('/project', [tools, user].join(path.delimiter));
    expect(searchPath.split(path.delimiter)).toEqual([path.join('/project', 'node_modules/node/bin'), user]);
  });

  it('has no Node.js where none is wanted, and everything else still', async () => {
    const folders = [await folderWith('node', 'npm', 'git'), await folderWith('sh')];
    const searchPath = await pathWithoutNode(path.join(temp, 'links'), folders.join(path.delimiter));
    expect(onPath(['node', 'npm'], searchPath)).toBeUndefined();
    expect(onPath(['git'], searchPath)).toBeDefined();
    expect(onPath(['sh'], searchPath)).toBe(path.join(folders[1] ?? '', 'sh'));
  });
});
