import { describe, expect, test } from 'vitest';
import {
  checkpointIn,
  exceptionIn,
  failureIn,
  isOutOfMemory,
  phaseIn,
  renamedFolderIn,
  stageIn,
} from '../../../../../src/training/core/runs/markers.ts';
import {
  metricsIn,
  rewardIn,
  hasEvaluationMetrics,
  hasStepMetrics,
} from '../../../../../src/training/core/runs/metrics.ts';
import { outcomeOf, type RunEnd } from '../../../../../src/training/core/runs/outcome.ts';

const info = (text: string, actor = ''): string => `${actor}INFO 03-14 09:26:53 [explorer.py:120] ${text}`;
const monitor = (text: string, actor = ''): string => `${actor}INFO 03-14 09:26:53 [monitor.py:88] ${text}`;

describe('metrics', () => {
  test("of Trinity's monitor, as each version writes numbers", () => {
    const dict = `{'rollout/accuracy/mean': 0.25, 'actor/lr': 1e-06, 'n': np.float64(-3.5), "it's": tensor(2., device='cuda:0'), 'whole': 12}`;
    expect(metricsIn(monitor(`Step 7: ${dict}`), 'explorer')).toEqual({
      role: 'explorer',
      step: 7,
      values: { 'rollout/accuracy/mean': 0.25, 'actor/lr': 1e-6, n: -3.5, "it's": 2, whole: 12 },
    });
  });

  test('leave out what is no finite number', () => {
    const dict = `{'a': nan, 'b': inf, 'c': -inf, 'd': None, 'e': True, 'f': 'x', 'g': [1, 2], 'h': 0.5}`;
    expect(metricsIn(monitor(`Step 1: ${dict}`), 'trainer')?.values).toEqual({ h: 0.5 });
  });

  test('tell their role by the actor, by the file or by their names', () => {
    const line = (actor: string, names: string): string => monitor(`Step 1: {${names}}`, actor);
    const of = (text: string, source: string): string | undefined => metricsIn(text, source)?.role;
    expect(of(line('(Trainer pid=12, ip=10.0.0.1) ', "'x': 1"), 'launcher')).toBe('trainer');
    expect(of(line('(Explorer pid=12) ', "'x': 1"), 'launcher')).toBe('explorer');
    expect(of(line('', "'x': 1"), 'trainer')).toBe('trainer');
    expect(of(line('', "'actor/pg_loss': 1"), 'launcher')).toBe('trainer');
    expect(of(line('(Explorer pid=12) ', "'bench/math/acc/mean@4': 1"), 'launcher')).toBe('benchmark');
  });

  test("of verl's console", () => {
    const line =
      '(TaskRunner pid=99) step:12 - actor/pg_loss:-0.01 - critic/rewards/mean:np.float64(0.5) - val/a:b/acc:1 - x:nan';
    expect(metricsIn(line, 'launcher')).toEqual({
      role: 'trainer',
      step: 12,
      values: { 'actor/pg_loss': -0.01, 'critic/rewards/mean': 0.5, 'val/a:b/acc': 1 },
    });
  });

  test("of AgentJet's own validation with verl are no step, which one that comes with a step is", () => {
    const validated =
      'pass_n:4 - total_tasks:20 - num_all_success_tasks:3 - num_pass_n_tasks(pass@4):9 - TGC@1:0.3125 - TGC@4:0.45 - TGC@4-all-pass:0.15 - mean_reward:np.float64(0.3175) - eval_tool_stats/tool_success_rate:98.2 - eval_tool_time/search/mean:0.41 - eval_rewards/final_reward_mean:0.32';
    const trained = 'actor/pg_loss:-0.01 - critic/rewards/mean:0.5 - train_rewards/final_reward_mean:0.3';
    const told = (line: string) => {
      const found = metricsIn(`(TaskRunner pid=4242) step:${line}`, 'launcher');
      const { values = {} } = found ?? {};
      return { ...found, values, isStep: hasStepMetrics(values), isEvaluation: hasEvaluationMetrics(values) };
    };
    expect(told(`0 - ${validated}`)).toMatchObject({
      ...{ role: 'trainer', step: 0, isStep: false, isEvaluation: true },
      values: { 'num_pass_n_tasks(pass@4)': 9, 'TGC@4-all-pass': 0.15, mean_reward: 0.3175 },
    });
    const other = 'num_all_success_tasks(all@4):3 - task_pass_rate@1:0.3 - std_reward:0.4';
    expect(told(`0 - ${other}`)).toMatchObject({ isStep: false, isEvaluation: true });
    expect(told(`8 - ${trained} - ${validated}`)).toMatchObject({ isStep: true, isEvaluation: true });
    expect(told(`8 - ${trained}`)).toMatchObject({ isStep: true, isEvaluation: false });
  });

  test('are not what merely looks like them', () => {
    for (const text of ['Step 7: {}', info("Step 7: {'a': 1}"), 'step:3', 'step:3 - ', 'at step:3 - a:1'])
      expect(metricsIn(text, 'launcher')).toBeUndefined();
  });

  test('have the mean reward on the most uniform curve', () => {
    const groups = 'experience_pipeline/group_advantages/reward_mean/mean';
    expect(rewardIn({ 'critic/score/mean': 1, [groups]: 0.5 })).toEqual({ value: 0.5, rank: 0 });
    expect(rewardIn({ 'critic/score/mean': 1 })?.value).toBe(1);
    expect(rewardIn({ loss: 1 })).toBeUndefined();
  });
});

describe('markers', () => {
  test('of a failure count in a log line alone, with the prefix of Ray or without', () => {
    const failed = 'ERROR 03-14 09:26:53 [trainer.py:99] Error in Trainer: boom';
    expect(failureIn(failed)).toBe('Error in Trainer: boom');
    expect(failureIn(`(Trainer pid=3, ip=1.2.3.4) ${failed}`)).toBe('Error in Trainer: boom');
    for (const marker of [
      'Error in Explorer:',
      'Explorer or Trainer failed:',
      'Explorer failed:',
      'Trainer failed:',
      'Benchmark failed:',
      'Error during explorer preparation',
    ])
      expect(failureIn(`ERROR 01-02 03:04:05 [a.py:1] ${marker} x`)).toBe(`${marker} x`);
    expect(failureIn('the agent said: Trainer failed: x')).toBeUndefined();
    expect(failureIn(info('Trainer sync_weights failed'))).toBeUndefined();
  });

  test('of exceptions are the last lines of tracebacks', () => {
    expect(exceptionIn('ValueError: bad')).toBe('ValueError: bad');
    expect(exceptionIn('(Explorer pid=3) torch.OutOfMemoryError: CUDA')).toBe('torch.OutOfMemoryError: CUDA');
    expect(exceptionIn('ERROR 01-02 03:04:05 [a.py:1] RuntimeError: x')).toBe('RuntimeError: x');
    expect(exceptionIn('KeyboardInterrupt')).toBe('KeyboardInterrupt');
    expect(exceptionIn('  File "a.py", line 3, in f')).toBeUndefined();
    expect(exceptionIn('Note: Error: handled')).toBeUndefined();
  });

  test('of phases, stages, checkpoints and another folder', () => {
    expect(phaseIn(info('Finished initializing Explorer.'))?.phase).toBe('loading models');
    expect(phaseIn(info('All models are ready.', '(Explorer pid=1) '))?.phase).toBe('models are ready');
    expect(phaseIn(info('Explore step 3 started.'))?.phase).toBe('exploring');
    expect(phaseIn(info('Training at step 3 started'))?.phase).toBe('training');
    expect(phaseIn(info('Evaluation at step 0 started.'))?.phase).toBe('evaluating');
    expect(phaseIn('Loading safetensors checkpoint shards:  50% Completed')?.phase).toBe('loading models');
    expect(phaseIn('Training at step 3 started')).toBeUndefined();
    expect(stageIn(info('> Starting stage 2/3...'))).toEqual({ number: 2, of: 3 });
    expect(stageIn(info('> Skipping completed stage 1/3...'))).toBeUndefined();
    expect(checkpointIn(info('Checkpoint at step 40 saved.'))).toBe(40);
    expect(checkpointIn(info('Saving checkpoint at step 40...'))).toBeUndefined();
    const renamed = info('Experiment [first] already exists, renamed as first_20260314092653.');
    expect(renamedFolderIn(renamed)).toEqual({ from: 'first', to: 'first_20260314092653' });
    expect(isOutOfMemory('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB')).toBe(true);
    expect(isOutOfMemory('checking GPU memory')).toBe(false);
  });
});

const end: RunEnd = {
  launcher: 'trinity',
  exit: { code: 0, signal: null },
  rebooted: false,
  cancelledBy: null,
  failure: null,
  exception: null,
};

describe('the final state', () => {
  test('is a success with 0 and no word of a failure', () => {
    expect(outcomeOf(end)).toEqual({ state: 'finished', exitCode: 0 });
    expect(outcomeOf({ ...end, exception: 'ValueError: handled' })).toEqual({
      state: 'finished',
      exitCode: 0,
    });
  });

  test('is a failure when the log says so, also with 0', () => {
    expect(outcomeOf({ ...end, failure: 'Trainer failed:', exception: 'ValueError: x' })).toEqual({
      state: 'failed',
      reason: 'Its log reports a failure: Trainer failed: ValueError: x',
      exitCode: 0,
    });
    expect(outcomeOf({ ...end, exit: { code: 2, signal: null } })).toMatchObject({
      state: 'failed',
      exitCode: 2,
    });
    expect(outcomeOf({ ...end, exit: { code: null, signal: 'SIGKILL' } })).toMatchObject({ state: 'failed' });
    const missing = { code: null, signal: null, error: 'No such program.' };
    expect(outcomeOf({ ...end, exit: missing })).toEqual({ state: 'failed', reason: 'No such program.' });
  });

  test('is cancelled for whoever asked, however it exits', () => {
    for (const code of [0, 1, 130])
      expect(outcomeOf({ ...end, cancelledBy: 'ann', exit: { code, signal: null } })).toMatchObject({
        state: 'cancelled',
        reason: 'Canceled by ann.',
      });
    expect(outcomeOf({ ...end, launcher: 'ray', exit: { code: 130, signal: null } }).state).toBe('cancelled');
    expect(outcomeOf({ ...end, exit: { code: 130, signal: null } }).state).toBe('failed');
  });

  test('is not known where nothing is left that could tell', () => {
    expect(outcomeOf({ ...end, exit: null }).state).toBe('lost');
    expect(outcomeOf({ ...end, exit: null, rebooted: true }).state).toBe('rebooted');
    expect(outcomeOf({ ...end, launcher: 'ray', exit: { code: 75, signal: null } }).state).toBe('lost');
    expect(outcomeOf({ ...end, exit: { code: 75, signal: null } }).state).toBe('failed');
  });

  test('on Ray is not known either where who looked after the job, or its head, has gone', () => {
    const lost = { ...end, launcher: 'ray', exit: { code: 75, signal: null } } as const;
    const killed = { ...end, launcher: 'ray', exit: { code: null, signal: 'SIGKILL' } } as const;
    expect(outcomeOf(lost).reason).toBe("Ray's head has not reported how the job ended.");
    expect(outcomeOf(killed)).toEqual({
      state: 'lost',
      reason: 'The process that monitors the job was ended by SIGKILL.',
    });
    for (const one of [lost, killed]) {
      const { state, reason } = outcomeOf({ ...one, cancelledBy: 'ann' });
      expect(state).toBe('lost');
      expect(reason).toMatch(
        /. ann had canceled the job. Check on the cluster whether it is still running\.$/,
      );
    }
    expect(outcomeOf({ ...lost, exit: null, cancelledBy: 'ann' }).state).toBe('cancelled');
  });
});
