/** What the editor has the trace server's program do: imports and exports, each in a process of its own. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { expect, inject, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../src/base/core/cancellation.ts';
import { runTraceJob, type Job, type TraceJobOutcome } from '../../../src/traces/node/client/traceJob.ts';
import type { SpawnTraceServer } from '../../../src/traces/node/client/serverProcess.ts';
import { emptyProject } from '../harness/project.ts';

const fixture = path.join(import.meta.dirname, '../../fixtures/imports/traces.jsonl');

const start: SpawnTraceServer = (args) => {
  const child = spawn(process.execPath, [path.join(inject('dist'), 'traceServer.mjs'), ...args]);
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
  child.stdin.on('error', () => undefined); // it has ended
  return Promise.resolve(child);
};

it('imports, and exports what it imported', async () => {
  const project = await emptyProject();
  const shares: number[] = [];
  const control = { cancellation: neverCancelled, onProgress: (share: number) => void shares.push(share) };
  const run = (job: Job): Promise<TraceJobOutcome> => runTraceJob(start, job, control);
  const { file: trace } = await run({ kind: 'import', file: fixture, cacheFolder: project.path('imports') });
  expect(path.basename(trace)).toBe('traces.jsonl.ajtrace');
  const out = project.path('out.html');
  expect(await run({ kind: 'export', format: 'html', trace, out, redactTexts: true })).toEqual({
    file: out,
    note: { episodes: 4, incomplete: 0, isDamaged: false },
  });
  expect(readFileSync(out, 'utf8')).toContain('[redacted]');
  const part = { trace, out, redactTexts: false, filter: 'group=1 reward<0.5' };
  expect(await run({ kind: 'export', format: 'jsonl', ...part })).toMatchObject({ note: { episodes: 1 } });
  const { secrets } = await run({ kind: 'secrets', trace });
  expect(secrets).toEqual([]);
  expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
});

it('tells why it cannot, and is called off', async () => {
  const project = await emptyProject();
  await project.write({ 'a.txt': 'hello' });
  const control = { cancellation: neverCancelled, onProgress: () => undefined };
  const job = { kind: 'import', cacheFolder: project.path('other') } as const;
  await expect(runTraceJob(start, { ...job, file: project.path('a.txt') }, control)).rejects.toMatchObject({
    code: 'import/unknown-format',
  });
  const source = new CancellationSource();
  source.cancel();
  const cancelled = { ...control, cancellation: source.token };
  await expect(runTraceJob(start, { ...job, file: fixture }, cancelled)).rejects.toMatchObject({
    code: 'import/cancelled',
  });
  expect(existsSync(project.path('other/traces.jsonl.ajtrace'))).toBe(false);
});
