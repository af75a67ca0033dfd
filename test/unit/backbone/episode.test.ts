import { describe, expect, it } from 'vitest';
import { RolloutState } from '../../../src/backbone/core/task-rollout/rolloutState.ts';
import { runEpisode, type EpisodeContext } from '../../../src/backbone/core/task-runner/episode.ts';
import { withoutService, type OpenEnvironment } from '../../../src/backbone/core/env-service/environment.ts';
import { CancellationSource, neverCancelled } from '../../../src/base/core/cancellation.ts';
import { CodedError } from '../../../src/base/core/errors.ts';
import type { OutsideCalls } from '../../../src/tracking/core/records/episodeResult.ts';
import {
  BaseJudge,
  Workflow,
  type AjetTuner,
  type Verdict,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../../src/sdk/core/index.ts';
import { FakeClock } from '../fakeClock.ts';

const task = { main_query: 'q', init_messages: [], task_id: 't7', env_type: 'no_env', metadata: { n: 1 } };
const slot = { episode: 5, task, taskIndex: 1, repeat: 1 };
const tuner = {} as AjetTuner;
const rollout = new RolloutState({
  tasks: 2,
  perTask: 4,
  oversampling: undefined,
  worldSize: 1,
  random: () => 0,
});

function workflow(execute: (task: WorkflowTask) => Promise<unknown>): new () => Workflow {
  return class extends Workflow {
    override execute(workflowTask: WorkflowTask): Promise<WorkflowOutput> {
      return execute(workflowTask) as Promise<WorkflowOutput>;
    }
  };
}

function context(
  execute: (task: WorkflowTask) => Promise<unknown>,
  changes: Partial<EpisodeContext & { failure: CodedError; outside: readonly OutsideCalls[] }> = {},
) {
  const seen = {
    retries: [] as unknown[],
    changed: [] as string[],
    targets: null as readonly string[] | null,
    closed: 0,
    uncaught: (() => undefined) as (error: unknown) => void,
  };
  const clock = new FakeClock();
  const made: EpisodeContext = {
    Workflow: workflow(execute),
    config: {},
    decides: 'workflow',
    clock,
    timeout: undefined,
    loadJudge: () =>
      Promise.resolve(
        class extends BaseJudge {
          override computeReward(): readonly [number, boolean] {
            return [1, true];
          }
        },
      ),
    helperLlm: { ask: () => Promise.reject(new Error('not asked')) },
    openEnvironment: () => withoutService,
    rollout,
    attempts: 1,
    onRetry: ({ attempt = 1 }, { code }, seconds) => seen.retries.push([attempt, code, seconds]),
    onTaskChanged: (_, field) => seen.changed.push(field),
    openCalls: () => ({
      tunerFor: ({ trainableTargets }) => {
        seen.targets = trainableTargets;
        return tuner;
      },
      answered: 3,
      failure: changes.failure,
      routing: undefined,
      outside: { run: (work) => work(), list: () => changes.outside ?? [] },
      close: () => (seen.closed += 1),
    }),
    newUuid: () => 'ab'.repeat(16),
    userFrame: () => ({ file: '/w/workflow.ts', line: 4 }),
    placeOf: (method) => Promise.resolve({ file: `/w/${method}.ts`, line: 2 }),
    onUncaught: (listener) => {
      seen.uncaught = listener;
      return { dispose: () => undefined };
    },
    ...changes,
  };
  return { context: made, clock, seen };
}

class Asking extends BaseJudge {
  override async computeReward(): Promise<Verdict> {
    await this.helperLlm.ask([{ role: 'user', content: 'Is it right?' }]);
    return { reward: 1, isSuccess: true };
  }
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('runEpisode', () => {
  it('tells when the workflow and the judge run, ask the helper and change the environment', async () => {
    const told: string[] = [];
    const openEnvironment: OpenEnvironment = ({ beginSpan }) => {
      const end = beginSpan?.({ kind: 'environment', name: 'create' });
      return { ...withoutService, leave: () => Promise.resolve(end?.(null)) };
    };
    const { context: made } = context(() => Promise.resolve({ metadata: {} }), {
      openEnvironment,
      loadJudge: () => Promise.resolve(Asking),
      spansOf:
        ({ episode }) =>
        ({ kind, name }) => {
          told.push(`${episode}: ${kind} ${name}`);
          return (error) => told.push(`${kind} ends: ${error ?? 'well'}`);
        },
    });
    const { error } = await runEpisode(slot, made, neverCancelled);
    expect(error).toMatchObject({ code: 'task-judge/threw' });
    expect(told).toEqual([
      '5: environment create',
      expect.stringMatching(/^5: workflow /),
      'workflow ends: well',
      '5: judge Asking',
      '5: helper helper LLM',
      'helper ends: not asked',
      'judge ends: not asked',
      'environment ends: well',
    ]);
  });

  it('gives the workflow its task, and the judge its output', async () => {
    let given: WorkflowTask | undefined;
    const { context: made, seen } = context((workflowTask) => {
      given = workflowTask;
      return Promise.resolve({ metadata: {} });
    });
    const result = await runEpisode(slot, made, neverCancelled);
    expect(given).toEqual({
      task: { ...task, init_messages: [{ role: 'user', content: 'q' }] },
      taskId: 't7',
      envType: 'no_env',
      taskThreadIndex: 5,
      taskBatchIndex: 1,
      taskTag: 'Tt7#R1',
      episodeUuid: 'ab'.repeat(16),
      observationWindow: rollout.window,
      gymEnv: withoutService.gymEnv,
    });
    expect(result).toMatchObject({ episode: 5, reward: 1, isSuccess: true, llmCalls: 3, error: null });
    expect(seen.closed).toBe(1);
  });

  it('tells of LLM calls that bypass the tuner, where there were any', async () => {
    const outside = [{ host: 'api.example.com', calls: 2 }];
    const reward = (): Promise<unknown> => Promise.resolve({ reward: 1 });
    const told = await runEpisode(slot, context(reward, { outside }).context, neverCancelled);
    expect(told.outside).toEqual(outside);
    expect(await runEpisode(slot, context(reward).context, neverCancelled)).not.toHaveProperty('outside');
  });

  it('keeps what one episode does to its task from the others', async () => {
    const { context: made } = context((workflowTask) => {
      (workflowTask.task.metadata as Record<string, unknown>)['n'] = 2;
      return Promise.resolve({ reward: 1 });
    });
    await runEpisode(slot, made, neverCancelled);
    expect(task.metadata.n).toBe(1);
  });

  it.each(['main_query', 'metadata'] as const)(
    'tells that the workflow changes %s of its task',
    async (field) => {
      const { context: made, seen } = context(({ task: given }) => {
        if (field === 'main_query') (given as { main_query: string }).main_query = 'other';
        else (given.metadata as Record<string, unknown>)['n'] = 2;
        return Promise.resolve({ reward: 1 });
      });
      await runEpisode(slot, made, neverCancelled);
      expect(seen.changed).toEqual([field]);
    },
  );

  describe('that fails', () => {
    /** Throws until the given attempt, and notes what it is given. */
    function failing(until: number, code = 'x/y') {
      const uuids: string[] = [];
      let made = 0;
      const one = context(
        (given) => {
          uuids.push(given.episodeUuid);
          if (uuids.length >= until) return Promise.resolve({ reward: 1 });
          return Promise.reject(new CodedError({ code, message: 'No.' }));
        },
        { attempts: 3, newUuid: () => String((made += 1)) },
      );
      return { ...one, uuids };
    }

    it('is tried again after 1 and 2 seconds, each time as an episode of its own', async () => {
      const { context: made, clock, seen, uuids } = failing(3);
      const result = runEpisode(slot, made, neverCancelled);
      for (const seconds of [1, 2]) {
        await expect.poll(() => seen.retries.length).toBe(seconds);
        clock.advance(seconds * 1000 - 1);
        expect(uuids).toHaveLength(seconds);
        clock.advance(1);
      }
      expect(await result).toMatchObject({ reward: 1, attempts: 3, seconds: 3 });
      expect(uuids).toEqual(['1', '2', '3']);
      expect(seen.retries).toEqual([
        [1, 'x/y', 1],
        [2, 'x/y', 2],
      ]);
      expect(seen.closed).toBe(3);
    });

    it('is tried no more often than it may be', async () => {
      const { context: made, clock, seen } = failing(9);
      const result = runEpisode(slot, made, neverCancelled);
      for (const count of [1, 2]) {
        await expect.poll(() => seen.retries.length).toBe(count);
        clock.advance(2000);
      }
      expect(await result).toMatchObject({ reward: null, attempts: 3, error: { code: 'x/y' } });
    });

    it('is not tried again once the run is cancelled, or its time is over', async () => {
      const { context: made, seen } = failing(9);
      const source = new CancellationSource();
      const result = runEpisode(slot, made, source.token);
      await expect.poll(() => seen.retries.length).toBe(1);
      source.cancel();
      expect(await result).toMatchObject({ error: { code: 'x/y' } });
      const late = context(never, { attempts: 3, timeout: 10 });
      const timedOut = runEpisode(slot, late.context, neverCancelled);
      late.clock.advance(10_000);
      expect((await timedOut).error?.code).toBe('episode/timed-out');
      expect(late.seen.retries).toEqual([]);
    });
  });

  it('records what a workflow throws, and where', async () => {
    const { context: made } = context(() => Promise.reject(new Error('no such tool')));
    expect(await runEpisode(slot, made, neverCancelled)).toMatchObject({
      reward: null,
      isSuccess: false,
      error: {
        code: 'episode/workflow-threw',
        message: 'no such tool',
        location: { file: '/w/workflow.ts', line: 4 },
      },
    });
  });

  it('names the failure of the model that made the workflow throw', async () => {
    const failure = new CodedError({
      code: 'model/unauthorized',
      message: 'The key was refused.',
      hint: 'Check it.',
    });
    const { context: made } = context(() => Promise.reject(new Error('401 status code')), { failure });
    expect((await runEpisode(slot, made, neverCancelled)).error).toMatchObject({
      code: 'model/unauthorized',
      hint: 'Check it.',
      location: { line: 4 },
    });
  });

  it.each([[undefined], [null], ['text'], [[1]]])('refuses the output %j', async (output) => {
    const { context: made } = context(() => Promise.resolve(output));
    expect((await runEpisode(slot, made, neverCancelled)).error).toMatchObject({
      code: 'episode/no-output',
      location: { file: '/w/execute.ts', line: 2 },
    });
  });

  it('ends a workflow that never returns when its time is up', async () => {
    const { context: made, clock, seen } = context(never, { timeout: 3 });
    const result = runEpisode(slot, made, neverCancelled);
    clock.advance(3100);
    expect((await result).error).toMatchObject({
      code: 'episode/timed-out',
      location: { file: '/w/execute.ts', line: 2 },
    });
    expect(seen.closed).toBe(1);
  });

  it('ends at once on cancellation', async () => {
    const source = new CancellationSource();
    const result = runEpisode(slot, context(never).context, source.token);
    source.cancel();
    expect((await result).error?.code).toBe('episode/cancelled');
  });

  it('ends with an error that no promise carries', async () => {
    const { context: made, seen } = context(never);
    const result = runEpisode(slot, made, neverCancelled);
    seen.uncaught(new Error('in a timer'));
    expect((await result).error).toMatchObject({ code: 'episode/workflow-threw', message: 'in a timer' });
  });

  it('refuses a task with nothing to ask', async () => {
    const { context: made } = context(never);
    const empty = { ...slot, task: { ...task, main_query: '' } };
    expect((await runEpisode(empty, made, neverCancelled)).error?.code).toBe('episode/empty-task');
  });

  describe('in an environment', () => {
    const left = { code: 'env-service/not-released', message: 'It still lives.' };

    /** Notes what happens to it, and is not released where `leaving` fails. */
    function environments(notes: string[], leaving?: Error): OpenEnvironment {
      return ({ uuid }) => ({
        gymEnv: withoutService.gymEnv,
        enter: (entered) => {
          notes.push(`enter ${uuid}`);
          return Promise.resolve({ ...entered, main_query: 'as told' });
        },
        leave: ({ isCancelled }) => {
          notes.push(isCancelled ? 'leave at once' : 'leave');
          return leaving === undefined ? Promise.resolve() : Promise.reject(leaving);
        },
      });
    }

    it('is given its query, and leaves after the judge', async () => {
      const notes: string[] = [];
      const { context: made } = context(
        ({ task: given }) => {
          notes.push(given.main_query);
          return Promise.resolve({});
        },
        { openEnvironment: environments(notes) },
      );
      expect(await runEpisode(slot, made, neverCancelled)).toMatchObject({ reward: 1, error: null });
      expect(notes).toEqual([`enter ${'ab'.repeat(16)}`, 'as told', 'leave']);
    });

    it('leaves it when the workflow throws, is cancelled or runs out of time', async () => {
      const notes: string[] = [];
      const changes = { openEnvironment: environments(notes), timeout: 10 };
      await runEpisode(slot, context(() => Promise.reject(new Error('x')), changes).context, neverCancelled);
      const source = new CancellationSource();
      const cancelled = runEpisode(slot, context(never, changes).context, source.token);
      source.cancel();
      await cancelled;
      const late = context(never, changes);
      const timedOut = runEpisode(slot, late.context, neverCancelled);
      late.clock.advance(10_000);
      await timedOut;
      expect(notes.filter((note) => note.startsWith('leave'))).toEqual(['leave', 'leave at once', 'leave']);
    });

    it('fails where it is not released, but first for what failed first', async () => {
      const changes = { openEnvironment: environments([], new CodedError(left)) };
      const { context: fine } = context(() => Promise.resolve({ reward: 1 }), changes);
      expect(await runEpisode(slot, fine, neverCancelled)).toMatchObject({ reward: null, error: left });
      const { context: broken } = context(() => Promise.reject(new Error('no such tool')), changes);
      expect((await runEpisode(slot, broken, neverCancelled)).error).toMatchObject({
        code: 'episode/workflow-threw',
        message: 'no such tool\nIt still lives.',
      });
    });
  });
});
