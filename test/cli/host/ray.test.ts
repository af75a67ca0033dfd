import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followRayJob, submitRayJob, type RayJobOptions } from '../../../src/node/host/ray/runRayJob.ts';
import type { RaySpec } from '../../../src/node/host/ray/raySpec.ts';
import type { RayState } from '../../../src/remote/launch/rayWatch.ts';
import { shellCommand } from '../../../src/remote/launch/shellWords.ts';
import { startRay, type RayCluster } from './rayCluster.ts';

/** A job's own process, and Ray's round it, take seconds to start. */
const patience = 120_000;

let cluster: RayCluster | undefined;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-ray-'));
  await mkdir(path.join(folder, 'conf'));
  await writeFile(path.join(folder, 'conf', hostileName), printer);
  await writeFile(path.join(folder, 'tool.sh'), '#!/bin/sh\necho tool\n');
  await chmod(path.join(folder, 'tool.sh'), 0o755);
  await symlink('/etc', path.join(folder, 'outside'));
  cluster = await startRay();
}, 300_000);
afterAll(async () => {
  await cluster?.end();
  await rm(folder, { recursive: true, force: true });
});

function ray(): RayCluster {
  if (cluster === undefined) throw new Error('Ray was not started');
  return cluster;
}

function spec(id: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): RaySpec {
  return { head: ray().head, id, name: id, entrypoint: shellCommand(words), env, folder };
}

/** Follows a job and gathers what is written; `onText` is told of all of it each time. */
async function follow(
  id: string,
  options: Partial<RayJobOptions> & { readonly onText?: (text: string) => void } = {},
): Promise<{ readonly state: RayState; readonly text: string }> {
  let text = '';
  const write = (more: string): void => {
    text += more;
    options.onText?.(text);
  };
  const stop = new AbortController().signal;
  const state = await followRayJob(id, { jobs: ray().jobs, stop, interval: 200, ...options, write });
  return { state, text };
}

const hostileName = `$(touch ran) 'x' "; touch ran; #.py`;
const printer = `import os, subprocess, sys
print(*map(ascii, sys.argv[1:]))
print(os.environ['TOLD'], *sorted(os.listdir('.')), flush=True)
subprocess.run(['./tool.sh'])
`;

const linux = process.platform === 'linux';

describe.skipIf(!linux).concurrent('a job on a real Ray cluster', { timeout: patience }, () => {
  test('has the words, variables and files that it was given, and nothing is run of them', async () => {
    const words = ['python', `./conf/${hostileName}`, '-rf', '', 'ü\n`id`', '$HOME', "'"];
    await submitRayJob(spec('words', words, { TOLD: 'a "b" $c' }), ray().jobs);
    const { state, text } = await follow('words');
    expect(state).toEqual({ kind: 'succeeded' });
    expect(text).toContain(`'-rf' '' '\\xfc\\n\`id\`' '$HOME' "'"\n`);
    // Neither `ran`, by a name that was run, nor `outside`, a link that leads out.
    expect(text).toContain('a "b" $c conf tool.sh\ntool\n');
  });

  test('that fails tells so, with its exit code and its last line', async () => {
    await submitRayJob(spec('fails', ['sh', '-c', 'echo out of luck; exit 3']), ray().jobs);
    const { state, text } = await follow('fails');
    expect(state).toMatchObject({ kind: 'failed', exitCode: 3 });
    expect(text).toMatch(/^out of luck$/m);
  });

  test('is found again by its id, each line told once, and is stopped', async () => {
    const job = spec('stopped', ['sh', '-c', 'echo one; echo two; exec sleep 1000']);
    await submitRayJob(job, ray().jobs);
    await submitRayJob(job, ray().jobs);
    const stopping = new AbortController();
    const onText = (text: string): void => {
      if (/^two$/m.test(text)) stopping.abort();
    };
    const { state, text } = await follow('stopped', { stop: stopping.signal, onText });
    expect(state.kind).toBe('stopped');
    expect(text.match(/^(?:one|two)$/gm)).toEqual(['one', 'two']);
  });

  test('of which Ray knows nothing is lost', async () => {
    expect((await follow('never')).state).toMatchObject({ kind: 'lost' });
  });
});

describe.skipIf(!linux)('a head that dies', { timeout: patience }, () => {
  test('loses its job when it stays away; what that printed stays', async () => {
    await submitRayJob(spec('dies', ['sh', '-c', 'echo alive; exec sleep 1000']), ray().jobs);
    let isKilled = false;
    const onText = (text: string): void => {
      if (isKilled || !/^alive$/m.test(text)) return;
      isKilled = true;
      ray().kill();
    };
    const { state, text } = await follow('dies', { silenceAllowed: 1_000, onText });
    expect(state).toMatchObject({ kind: 'lost' });
    expect('reason' in state ? state.reason : '').toMatch(/has not answered for \d+ s: .*does not answer/);
    expect(text).toMatch(/^alive$/m);
    expect(text).toContain('is silent');
  });
});
