import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseRuntime } from '../../../../src/base/node/runtime/chooseRuntime.ts';
import { createProbe } from '../../../../src/base/node/runtime/probe.ts';

let folder = '';
beforeAll(async () => (folder = await mkdtemp(path.join(tmpdir(), 'agentjet-probe-'))));
afterAll(() => rm(folder, { recursive: true }));

async function program(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
  return file;
}

test('this Node tells its version and what it can do', async () => {
  expect(await createProbe()(process.execPath, {})).toEqual({
    ok: true,
    version: process.versions.node,
    features: { registerHooks: true, stripTypes: true, sqlite: true },
  });
});

test('every node on PATH, whatever its age, tells the version that it prints', async () => {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const nodes = folders.map((one) => path.join(one, name)).filter((file) => existsSync(file));
  expect(nodes).not.toEqual([]);
  const probe = createProbe();
  for (const file of new Set(nodes)) {
    const printed = execFileSync(file, ['--version'], { encoding: 'utf8' }).trim();
    expect(await probe(file, {})).toMatchObject({ ok: true, version: printed.slice(1) });
  }
});

test('what is not there does not exist', async () => {
  expect(await createProbe()('/no/such/node', {})).toEqual({ ok: false, reason: 'does not exist' });
});

describe.runIf(process.platform !== 'win32')('other programs', () => {
  test.each([
    ['speaks', 'echo hello', 'is not Node'],
    ['speaks-json', 'echo 3', 'is not Node'],
    ['fails', 'echo "bad option" >&2; exit 9', 'cannot be run: bad option'],
  ])('%s', async (name, text, reason) => {
    expect(await createProbe()(await program(name, text), {})).toEqual({ ok: false, reason });
  });

  test('a file that may not be executed', async () => {
    const file = path.join(folder, 'plain');
    await writeFile(file, 'text');
    const result = await createProbe()(file, {});
    expect(result).toHaveProperty('reason', expect.stringContaining('EACCES'));
  });

  test('is asked once, and again when its file has changed', async () => {
    const log = path.join(folder, 'calls');
    const file = await program('counting', `echo called >> ${log}; exec ${process.execPath} "$@"`);
    const probe = createProbe();
    const calls = async (): Promise<number> => {
      return (await readFile(log, 'utf8')).trim().split('\n').length;
    };
    await probe(file, {});
    await probe(file, {});
    expect(await calls()).toBe(1);
    await utimes(file, 1, 1);
    expect(await probe(file, {})).toMatchObject({ ok: true });
    expect(await calls()).toBe(2);
  });

  test('an old Node on PATH is passed over for this one', async () => {
    const features = '"registerHooks":false,"stripTypes":false,"sqlite":false';
    const old = path.dirname(await program('node', `echo '{"version":"20.20.2",${features}}'`));
    const runtime = await chooseRuntime({
      path: [old, path.dirname(process.execPath)].join(path.delimiter),
      platform: process.platform,
      probe: createProbe(),
    });
    expect(runtime).toMatchObject({ executable: process.execPath, version: process.versions.node });
  });
});
