/** Whole runs whose tasks are rows of Parquet: in a folder, and on a hub of our own on loopback. */
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serveHub } from '../../unit/backbone/hub/hubServer.ts';
import { failure, runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const parquet = path.join(import.meta.dirname, '../../fixtures/readers/parquet/brotli/train.parquet');

function project(dataSet: string): Promise<Project> {
  const section = `huggingface_dat_repo
    huggingface_dat_repo:
      dataset_path: ${dataSet}
      training_split: train
      validation_split: test
`;
  return smallProject({
    'small.yaml': smallConfig.replace(/jsonl_dataset_file\n[^]*?(?= {2}rollout:)/, section),
    'workflow.ts': smallWorkflow(
      'return { reward: String(workflowTask.task.metadata.question).length, isSuccess: true };',
    ),
  });
}

const args = ['--conf', 'small.yaml', '--tasks', '3', '--split', 'training'];

it('runs the workflow on the rows of a folder', async () => {
  const made = await project('rows');
  await made.write({ 'rows/README.md': '# Rows\n' });
  await cp(parquet, made.path('rows/train.parquet'));
  const { code, episodes } = await runJson(made, args);
  expect(code).toBe(0);
  expect(episodes.map(({ taskId }) => taskId)).toEqual(['0', '1', '2']);
  expect(await failure(made, [...args.slice(0, -1), 'validation'])).toContain('[task-reader/unknown-split]');
});

it('fetches a data set from a hub once, and needs none afterwards', async () => {
  const hub = await serveHub('owner/rows', { 'data/train-00000-of-00001.parquet': await readFile(parquet) });
  onTestFinished(() => hub.close());
  const made = await project('owner/rows');
  const env = { HF_ENDPOINT: hub.endpoint, HF_HOME: made.path('cache') };
  const first = await runJson(made, args, { env });
  expect({ code: first.code, rewards: first.episodes.length }).toEqual({ code: 0, rewards: 3 });
  const asked = hub.asked.length;
  const again = await runJson(made, args, { env: { ...env, HF_HUB_OFFLINE: '1' } });
  expect(again.episodes.map(({ reward }) => reward)).toEqual(first.episodes.map(({ reward }) => reward));
  expect(hub.asked).toHaveLength(asked);
});
