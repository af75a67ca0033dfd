import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rayToken } from '../../../../../src/training/node/host/ray/rayJobs.ts';

test('the token of a Ray cluster is the variable’s, else of the file that is named, else of the home folder', async () => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'agentjet-ray-token-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const named = path.join(home, 'named');
  const env = { HOME: home };
  expect(await rayToken(env)).toBeUndefined();
  await mkdir(path.join(home, '.ray'));
  await writeFile(path.join(home, '.ray/auth_token'), 'kept\n');
  await writeFile(named, ' named ');
  expect(await rayToken(env)).toBe('kept');
  expect(await rayToken({ ...env, RAY_AUTH_TOKEN_PATH: named })).toBe('named');
  expect(await rayToken({ ...env, RAY_AUTH_TOKEN_PATH: named, RAY_AUTH_TOKEN: 'given' })).toBe('given');
  // Another one than the file that is named would be refused, and told to a cluster that it is not of.
  expect(await rayToken({ ...env, RAY_AUTH_TOKEN_PATH: path.join(home, 'none') })).toBeUndefined();
  expect(await rayToken({ ...env, RAY_AUTH_TOKEN: 'given', RAY_AUTH_MODE: 'disabled' })).toBeUndefined();
});
