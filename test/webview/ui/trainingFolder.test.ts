/** The page of a training in a folder of this machine, while the folder grows. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/node/clock.ts';
import type { TrainingState } from '../../../src/backbone/core/trainer/trainerPorts.ts';
import type { RunPageMessage } from '../../../src/training/core/page/trainingRunRpc.ts';
import { FolderFeed } from '../../../src/training/editor/folderFeed.ts';
import { ScriptedTraining } from '../../tools/trainingFolder.ts';
import { violations } from '../harness/accessibility.ts';
import { isTooWide } from '../harness/layout.ts';
import { useRunPage } from '../harness/runPage.ts';
import { picture } from '../harness/viewer.ts';

const open = useRunPage();

/** Opens the page of a training that the test scripts. */
async function follow(state: Partial<TrainingState> = {}) {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'agentjet-page-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = path.join(parent, 'math_agent');
  const training = await ScriptedTraining.open(folder, state);
  const { page, asked, tell } = await open();
  let sending = Promise.resolve();
  const send = (message: RunPageMessage): void => {
    sending = sending.then(() => tell(message));
  };
  const feed = new FolderFeed({
    ...{ run: folder, clock: systemClock, send },
    changed: () => {
      if (feed.shown !== undefined) send({ type: 'runs', runs: [feed.shown] });
      feed.start();
    },
    gone: () => send({ type: 'gone', host: '', run: folder }),
  });
  onTestFinished(async () => {
    feed.dispose();
    await sending;
  });
  feed.update();
  return { page, asked, training, folder };
}

test('grows with its folder, and offers its rollouts and checkpoints', async () => {
  const { page, asked, training, folder } = await follow();
  await page.getByText('The first metrics appear after the first complete step.').waitFor();
  await training.validate(0.22);
  for (let step = 1; step <= 11; step += 1) await training.step();
  await training.checkpoint();
  await training.step({ 'training/logprob_diff_mean': 0.21 });
  const header = page.locator('.run-header');
  await header.getByText('of 20', { exact: true }).waitFor();
  await expect.poll(() => header.innerText()).toMatch(/running\s+on this machine/);
  await expect.poll(() => header.innerText()).toMatch(/Step\s+12 of 20/);
  expect(await header.innerText()).not.toContain('GPUs');
  await page.getByText('Trainer and sampler differ').waitFor();
  await page.getByText('tinker://run-1/sampler_weights/step-11').waitFor();
  await picture(page, 'training-folder');
  expect(await violations(page)).toEqual([]);

  asked.length = 0;
  await page.getByRole('heading', { name: 'Checkpoints' }).scrollIntoViewIfNeeded();
  await picture(page, 'training-folder-rollouts');
  await page.getByRole('button', { name: 'Open the rollouts of Step 12' }).click();
  await page.getByRole('button', { name: 'Compare with Step 1: Step 12' }).click();
  await page.getByRole('button', { name: 'Copy path: step 11' }).click();
  await page.getByRole('button', { name: 'Debug with the weights of step 11' }).click();
  await page.getByRole('button', { name: 'Fetch the checkpoint of step 11' }).click();
  await page.getByRole('button', { name: 'Publish the checkpoint of step 11' }).click();
  // A training that is active would list the checkpoint again.
  expect(await page.getByRole('button', { name: 'Delete the checkpoint of step 11' }).count()).toBe(0);
  const run = folder;
  await expect
    .poll(() => asked)
    .toEqual([
      { type: 'openTrace', run, trace: 'step-0012' },
      { type: 'compareTrace', run, trace: 'step-0012' },
      { type: 'copySampler', run, step: 11 },
      { type: 'debugCheckpoint', run, step: 11 },
      { type: 'fetchCheckpoint', run, step: 11 },
      { type: 'publishCheckpoint', run, step: 11 },
    ]);
  await training.save({ status: 'failed', reason: 'The server at http://127.0.0.1:8123 is gone.' });
  await page.getByText('The server at http://127.0.0.1:8123 is gone.').waitFor();
  await page.setViewportSize({ width: 480, height: 900 });
  expect(await isTooWide(page)).toBe(false);
  await picture(page, 'training-folder-failed');
  await page.getByRole('button', { name: 'Resume from step 11' }).first().click();
  await expect.poll(() => asked.at(-1)).toEqual({ type: 'resume', run, step: 11 });
  await page.getByRole('button', { name: 'Delete the checkpoint of step 11' }).click();
  await expect.poll(() => asked.at(-1)).toEqual({ type: 'deleteCheckpoint', run, step: 11 });
  await training.save({ checkpoints: [], deleted: [11] });
  await page.getByText('tinker://run-1/sampler_weights/step-11').waitFor({ state: 'detached' });
});

test('shows what a training has used, and which limit ended it', async () => {
  const options = { maxTokens: 500_000, maxCost: 0.25, maxHours: 1.5 };
  const { page, asked, training, folder } = await follow({ options });
  const usage = { prefill: 101_234, sample: 51_000, train: 148_500, seconds: 4_210, cost: 0.0937 };
  for (let step = 1; step <= 5; step += 1) await training.step();
  await training.checkpoint();
  const stepUsage = { prefill: 20_000, sample: 10_000, train: 30_000, seconds: 800, cost: 0.0187 };
  await training.save({ usage, stepUsage });
  const header = page.locator('.run-header');
  await expect.poll(() => header.innerText()).toMatch(/Tokens\s+300,734 of 500,000, about 1,200,000 in all/i);
  expect(await header.innerText()).toMatch(/Cost\s+0\.0937 of 0\.25, about 0\.37 in all/i);
  expect(await header.innerText()).toMatch(/Time without breakpoints\s+1 h 10 min of 1\.5 h/i);
  expect(await header.innerText()).toContain('101,234 in prompts, 51,000 sampled, 148,500 trained');
  await picture(page, 'training-folder-budget');
  const reason =
    'The next step would exceed the limit of a cost of 0.25 (used: 0.24, in the last step: 0.02).';
  await training.save({ status: 'limit-reached', reason, usage: { ...usage, cost: 0.24 } });
  await page.getByText(reason).waitFor();
  await expect.poll(() => header.innerText()).toMatch(/canceled/);
  await picture(page, 'training-folder-limit');
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 480, height: 900 });
  expect(await isTooWide(page)).toBe(false);
  await page.getByRole('button', { name: 'Resume from step 5' }).first().click();
  await expect.poll(() => asked.at(-1)).toEqual({ type: 'resume', run: folder, step: 5 });
});
