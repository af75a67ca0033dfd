/** The page of a training in a folder of this machine, while the folder grows. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/node/clock.ts';
import type { RunPageMessage } from '../../../src/training/core/page/trainingRunRpc.ts';
import { FolderFeed } from '../../../src/training/editor/folderFeed.ts';
import { ScriptedTraining } from '../../tools/trainingFolder.ts';
import { violations } from '../harness/accessibility.ts';
import { isTooWide } from '../harness/layout.ts';
import { useRunPage } from '../harness/runPage.ts';
import { picture } from '../harness/viewer.ts';

const open = useRunPage();

test('grows with its folder, and offers its rollouts and checkpoints', async () => {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'agentjet-page-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = path.join(parent, 'math_agent');
  const training = await ScriptedTraining.open(folder);
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
  const run = folder;
  await expect
    .poll(() => asked)
    .toEqual([
      { type: 'openTrace', run, trace: 'step-0012' },
      { type: 'compareTrace', run, trace: 'step-0012' },
      { type: 'copySampler', run, step: 11 },
      { type: 'debugCheckpoint', run, step: 11 },
    ]);
  await training.save({ status: 'failed', reason: 'The server at http://127.0.0.1:8123 is gone.' });
  await page.getByText('The server at http://127.0.0.1:8123 is gone.').waitFor();
  await page.setViewportSize({ width: 480, height: 900 });
  expect(await isTooWide(page)).toBe(false);
  await picture(page, 'training-folder-failed');
  await page.getByRole('button', { name: 'Resume from step 11' }).first().click();
  await expect.poll(() => asked.at(-1)).toEqual({ type: 'resume', run, step: 11 });
});
