/** The page of a training in a folder of this machine, while the folder grows. */
import { appendFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FolderFeed } from '../../../../src/training/editor/folderFeed.ts';
import type { RunPageMessage } from '../../../../src/training/core/page/trainingRunRpc.ts';
import { RunPageModel } from '../../../../src/training/webview/data/model.ts';
import type { RunData } from '../../../../src/training/webview/data/runData.ts';
import { ScriptedTraining } from '../../../tools/trainingFolder.ts';
import { FakeClock } from '../../fakeClock.ts';
import { temporaryFolder } from '../client/wire/wireHost.ts';

interface Following {
  readonly training: ScriptedTraining;
  readonly model: RunPageModel;
  /** Resolves once the page has what a reading of the folder, from now on, brings. */
  readonly until: (isSo: (run: RunData) => boolean) => Promise<RunData>;
  readonly message: (type: RunPageMessage['type']) => Promise<RunPageMessage>;
}

async function follow(): Promise<Following> {
  const folder = path.join(temporaryFolder(), 'math_agent');
  const training = await ScriptedTraining.open(folder);
  const clock = new FakeClock();
  const model = new RunPageModel(() => 0);
  const sent: RunPageMessage[] = [];
  const looks = new Set<() => void>();
  const send = (message: RunPageMessage): void => {
    sent.push(message);
    model.take(message);
    for (const look of looks) look();
  };
  const feed = new FolderFeed({
    ...{ run: folder, clock, send },
    changed: () => {
      if (feed.shown !== undefined) send({ type: 'runs', runs: [feed.shown] });
      feed.start();
    },
    gone: () => send({ type: 'gone', host: '', run: folder }),
  });
  onTestFinished(() => feed.dispose());
  const found = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = (): void => {
        const value = find();
        if (value === undefined) return;
        looks.delete(look);
        resolve(value);
      };
      looks.add(look);
      look();
      feed.update();
    });
  return {
    ...{ training, model },
    until: (isSo) => found(() => model.runs?.find(isSo)),
    message: (type) => found(() => sent.find((one) => one.type === type)),
  };
}

const lastReward = (run: RunData) => run.metrics.get('critic/rewards/mean')?.last;

describe('the page of a training in a folder', () => {
  it('follows steps, validations, checkpoints and the end', async () => {
    const { training, until } = await follow();
    const before = await until(() => true);
    expect(before.shown).toMatchObject({
      record: { state: 'running', step: null, totalSteps: 20, name: 'math_agent' },
      local: { baseModel: 'Qwen/Qwen2.5-0.5B-Instruct', rank: 16, traces: [] },
    });
    await training.validate(0.2);
    await training.step();
    await training.step({ 'critic/rewards/mean': 0.5 });
    await training.checkpoint();
    const run = await until(({ checkpoints }) => checkpoints.length > 0);
    expect(run.shown.record).toMatchObject({ step: 2, reward: 0.5 });
    expect(run.shown.local?.traces).toEqual(['validation-0000', 'step-0001', 'step-0002']);
    expect(lastReward(run)).toEqual({ at: 2, value: 0.5 });
    expect(run.metrics.get('val/reward/mean')?.last).toEqual({ at: 0, value: 0.2 });
    expect(run.checkpoints).toMatchObject([
      { step: 2, reward: 0.5, sampler: 'tinker://run-1/sampler_weights/step-2', resumable: true },
    ]);
    await training.save({ status: 'failed', reason: 'The server is gone.' });
    const ended = await until(({ isOver }) => isOver);
    expect(ended.shown.record).toMatchObject({ state: 'failed', reason: 'The server is gone.' });
  });

  it('has the alarms of a training', async () => {
    const { training, until } = await follow();
    const wrong = { 'groups/equal_rewards': 8, 'training/logprob_diff_mean': 0.2 };
    for (let step = 1; step <= 3; step += 1) await training.step(wrong);
    const run = await until(({ alarms }) => alarms.length > 0);
    expect(run.alarms.map(({ alarm }) => alarm).sort()).toEqual(['logprob-difference', 'no-advantage']);
  });

  it('goes back to the step from which the training is resumed', async () => {
    const { training, until } = await follow();
    await training.step();
    await training.checkpoint();
    await training.step();
    await until((run) => run.step === 2);
    const resumed = await ScriptedTraining.resume(training.folder);
    const back = await until((run) => run.step === 1);
    expect(lastReward(back)?.at).toBe(1);
    await resumed.step({ 'critic/rewards/mean': 0.75 });
    const run = await until(({ step }) => step === 2);
    expect(lastReward(run)).toEqual({ at: 2, value: 0.75 });
  });

  it('is lost if its process has ended', async () => {
    const { training, until } = await follow();
    const file = path.join(training.folder, 'training.json');
    // No process can have this id.
    const writer = { pid: 2 ** 30, started: '1', host: (await import('node:os')).hostname(), at: 0 };
    await writeFile(file, JSON.stringify({ ...training.state, writer }));
    expect((await until(() => true)).shown.record.state).toBe('lost');
  });

  it('says why it cannot read, and leaves out damaged lines', async () => {
    const { training, until, model, message } = await follow();
    await training.step();
    const metrics = path.join(training.folder, 'metrics.jsonl');
    await appendFile(metrics, '{"kind": "step", "step": "two"}\nnot JSON\n{"kind": "step", "ste');
    const run = await until(({ step }) => step === 1);
    expect(lastReward(run)?.at).toBe(1);
    await writeFile(path.join(training.folder, 'training.json'), '{}');
    await until(({ unheard }) => unheard !== null);
    expect(model.runs?.[0]?.unheard).toContain('training.json is damaged');
    await training.save();
    await until(({ unheard }) => unheard === null);
    await rm(training.folder, { recursive: true });
    expect(await message('gone')).toMatchObject({ run: training.folder });
  });
});
