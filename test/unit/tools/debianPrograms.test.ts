import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resultOrReason } from '../../bench/measure.mjs';
import { debianProgram } from '../../tools/debianPrograms.mjs';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-debian-'));
  await mkdir(path.join(folder, 'bin'));
  vi.stubEnv('PATH', path.join(folder, 'bin'));
  vi.stubEnv('XDG_CACHE_HOME', path.join(folder, 'cache'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

async function script(name: string, lines: readonly string[]): Promise<string> {
  const file = path.join(folder, 'bin', name);
  await writeFile(file, ['#!/bin/sh', 'PATH=/usr/bin:/bin', ...lines, ''].join('\n'));
  await chmod(file, 0o755);
  return file;
}

/** Fetches one package, and counts how often. */
async function apt(): Promise<void> {
  await script('apt-get', [
    `echo "$@" >> '${folder}/asked'`,
    'cache=$(sed -n \'s/^Dir::Cache "\\(.*\\)";$/\\1/p\' "$2")',
    'case "$*" in *install*) touch "$cache/archives/tool.deb";; esac',
  ]);
  await script('dpkg-deb', [
    'mkdir -p "$3/usr/bin" "$3/usr/lib/here"',
    'cp /bin/ls "$3/usr/bin/tool"',
    'touch "$3/usr/lib/here/libtool.so.1"',
  ]);
}

describe.runIf(process.platform === 'linux')('a program of a Debian package', () => {
  it('is the one on PATH where there is one', async () => {
    const file = await script('tool', []);
    expect(await debianProgram('tool')).toEqual({ file, env: process.env });
    expect(existsSync(path.join(folder, 'cache'))).toBe(false);
  });

  it('is fetched once, and told with its libraries', async () => {
    await apt();
    await script('ldd', ['exec ldd "$@"']);
    const { file, env } = await debianProgram('tool', 'tools');
    expect(file).toMatch(/agentjet-dev\/[\w-]+-tools\/usr\/bin\/tool$/);
    expect(env['LD_LIBRARY_PATH']).toBe(path.resolve(file, '../../lib/here'));
    await rm(path.join(folder, 'bin', 'apt-get'));
    await script('apt-get', ['exit 1']);
    expect((await debianProgram('tool', 'tools')).file).toBe(file);
  });

  it('that cannot be had is told so, and leaves nothing behind', async () => {
    await expect(debianProgram('tool')).rejects.toThrow(
      'There is no tool, and no apt-get to fetch it with: install it.',
    );
    await apt();
    await script('apt-get', ['echo "E: Unable to locate package tool" >&2; exit 100']);
    await expect(debianProgram('tool')).rejects.toThrow(
      /could not fetch what is needed: check the network[^]*Unable to locate package tool/,
    );
    expect(readdirSync(path.join(folder, 'cache/agentjet-dev'))).toEqual([]);
  });
});

describe('a bench that cannot be run', () => {
  it('tells why, in place of numbers', async () => {
    const about = { name: 'sync', metric: 'ms', baselineName: 'rsync', target: 1.5 };
    const measure = async () => {
      await debianProgram('rsync');
      return { ours: [], baseline: [] };
    };
    expect(await resultOrReason({ ...about, measure })).toEqual({
      bench: 'sync',
      metric: 'ms',
      baselineName: 'rsync',
      target: 1.5,
      pass: false,
      notRun: 'There is no rsync, and no apt-get to fetch it with: install it.',
    });
  });
});
