/** A real language model learns as the tiny one does. Only `npm run train:proof` runs this, because it takes minutes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ensurePython } from '../tools/pythonEnvironments.mjs';
import { curveIn, digitsProject, resultsOf, startTraining, writeProof } from './digits.ts';
import { rehearsalServer } from './rehearsalServer.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-real-model-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const server = rehearsalServer({}, async () => {
  const script = path.join(import.meta.dirname, 'realModel.py');
  const { status, stderr } = spawnSync(await ensurePython('llm'), ['-B', script, folder], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return folder;
});

test('a real language model learns to reply with digits', async () => {
  // The rate for the tiny model destroys this one.
  const project = digitsProject(server(), 'typescript', (config) => config.replace('lr: 0.01', 'lr: 0.001'));
  const adapter = await startTraining(project, server(), { seed: 0, steps: 10 });
  await adapter.client.event('terminated');
  const learned = curveIn(resultsOf(project));
  writeProof('realModel', learned);
  expect(learned.curve).toHaveLength(10);
  expect(Math.abs(learned.ratio - 1)).toBeLessThan(1e-3);
  expect(learned.last).toBeGreaterThan(learned.first + 0.3);
});
