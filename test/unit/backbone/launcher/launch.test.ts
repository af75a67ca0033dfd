import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingHelper } from '../../../../src/backbone/core/helper-llm/createHelper.ts';
import { localParts } from '../../../../src/backbone/node/readerTools.ts';
import { noHub } from '../task-reader/source.ts';
import { CallBudget } from '../../../../src/backbone/core/model-tuner/callBudget.ts';
import type { LaunchPorts } from '../../../../src/backbone/core/launcher/batch.ts';
import { launch } from '../../../../src/backbone/core/launcher/launch.ts';
import type { RunFacts } from '../../../../src/backbone/core/launcher/runPlan.ts';
import type { FinishedCall } from '../../../../src/backbone/core/model-tuner/call.ts';
import { CancellationSource } from '../../../../src/base/core/cancellation.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { Emitter } from '../../../../src/base/core/event.ts';
import type { EpisodeResult } from '../../../../src/tracking/core/records/episodeResult.ts';
import type { RunEvent, RunRequest } from '../../../../src/backbone/core/protocol/run.ts';
import {
  BaseJudge,
  Workflow,
  type AjetTuner,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../../../src/sdk/core/index.ts';
import { finishedCall, letters, NotingWriter } from '../recording.ts';
import { unasked } from '../taskSource.ts';
import { composeText, memoryFiles } from '../../configs/memoryFiles.ts';
import { FakeClock } from '../../fakeClock.ts';
import { TinkerServer } from '../../../tools/tinkerServer.ts';
import { openTinker } from '../../../../src/tinker/node/openTinker.ts';
import type { TrainingState } from '../../../../src/backbone/core/trainer/trainerPorts.ts';

const request: RunRequest = {
  protocol: 1,
  config: '/project/conf/exp.yaml',
  cwd: '/project',
  model: { kind: 'embedded' },
  split: 'training',
  repeat: 2,
  allowEnvironment: true,
};

const config = `ajet:
  experiment_name: exp
  task_reader: {type: jsonl_dataset_file, jsonl_dataset_file: {training: {file_path: tasks.jsonl}}}
  rollout: {user_workflow: w.ts->W}
  task_judge: {judge_type: customized_protocol, judge_protocol: j.ts->J}
`;

class OneEach extends Workflow {
  override execute(): Promise<WorkflowOutput> {
    return Promise.resolve({ reward: 1 });
  }
}

class LeftToTheJudge extends Workflow {
  override execute(): Promise<WorkflowOutput> {
    return Promise.resolve({});
  }
}

class Half extends BaseJudge {
  override computeReward(): readonly [number, boolean] {
    return [0.5, true];
  }
}

interface Changes extends Partial<LaunchPorts> {
  readonly text?: string;
}

function portsOf({ text = config, ...changes }: Changes = {}) {
  const events: RunEvent[] = [];
  const seen = { closed: 0, judgesLoaded: 0, facts: [] as RunFacts[] };
  const writer = new NotingWriter();
  const calls = new Emitter<FinishedCall>();
  const data = '{"task_id": "a", "main_query": "q"}\n{"task_id": "b", "main_query": "q"}';
  const files = memoryFiles({ '/project/w.ts': '', '/project/conf/j.ts': '', '/project/tasks.jsonl': data });
  const ports: LaunchPorts = {
    clock: new FakeClock(),
    files: { ...files, lines: () => linesOf(data) },
    paths: path.posix,
    emit: (event) => events.push(event),
    readConfig: () => composeText(text),
    loadWorkflow: () => Promise.resolve(OneEach),
    loadJudge: () => {
      seen.judgesLoaded += 1;
      return Promise.resolve(Half);
    },
    loadRewardFn: () => Promise.reject(new Error('no reward function is named')),
    placeOfMethod: ({ where, name }, method) =>
      Promise.resolve({ file: `${where} ${name}.${method}`, line: 7 }),
    findModelText: () => Promise.resolve({ note: letters.note, open: () => Promise.resolve(letters) }),
    openHelper: () => missingHelper(),
    readerTools: () => unasked.tools,
    dataSets: { parts: localParts, hub: noHub },
    openModelTuner: () =>
      Promise.resolve({
        description: 'nobody',
        onCall: calls.event,
        // One call of each episode, which ends with the episode.
        openCalls: ({ episode }) => ({
          tunerFor: () => ({}) as AjetTuner,
          answered: 1,
          outside: { run: (work) => work(), list: () => [] },
          failure: undefined,
          routing: undefined,
          close: () => calls.fire(finishedCall({ episode })),
        }),
        episodesEnded: () => undefined,
        close: () => {
          seen.closed += 1;
          return Promise.resolve();
        },
      }),
    envTransport: { post: () => Promise.reject(new Error('No service is asked.')) },
    budget: new CallBudget({}),
    trainer: {
      connect: () => expect.unreachable('nothing is trained'),
      openFolder: () => expect.unreachable('nothing is trained'),
    },
    readReplayed: () => expect.unreachable('no trace is asked for'),
    readTrace: () => expect.unreachable('no trace is asked for'),
    openFolder: (plan) =>
      Promise.resolve({
        path: plan.folder,
        openTrace: (facts) => {
          seen.facts.push(facts);
          return writer;
        },
      }),
    episodes: {
      newUuid: () => 'ab'.repeat(16),
      userFrame: () => undefined,
      onUncaught: () => ({ dispose: () => undefined }),
    },
    ...changes,
  };
  const results = (): EpisodeResult[] =>
    events.flatMap((event) => (event.type === 'episode-ended' ? [event.result] : []));
  return { ports, events, results, seen, writer, noted: writer.noted, spans: writer.spans };
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* await Promise.resolve(text.split('\n'));
}

const never = new CancellationSource().token;

it('ends a stopped training whose last save takes too long', async () => {
  const server = await TinkerServer.start();
  onTestFinished(() => server.close());
  server.hold('save_weights');
  const [clock, stop] = [new FakeClock(), new CancellationSource()];
  const events: RunEvent[] = [];
  const states: TrainingState[] = [];
  const { ports, writer } = portsOf({
    text: `${config}  data: { train_batch_size: 1 }\ndefaults: [ajet_default, _self_]\n`,
    clock,
    emit: (event) => {
      events.push(event);
      if (event.type === 'training-step') stop.cancel();
    },
    findModelText: () =>
      Promise.resolve({ note: { ...letters.note, exact: true }, open: () => Promise.resolve(letters) }),
    trainer: {
      connect: () =>
        openTinker({
          ...{ baseUrl: server.url, env: {}, homeFolder: '/nowhere' },
          startHeartbeats: () => ({ dispose: () => undefined }),
        }),
      openFolder: () =>
        Promise.resolve({
          ...{ path: '/runs/exp', state: undefined, openTrace: () => writer },
          rewind: () => Promise.resolve(),
          log: () => Promise.resolve(),
          save: (state) => Promise.resolve(void states.push(state)),
        }),
    },
  });
  const ended = launch({ ...request, train: { steps: 3 } }, ports, stop.token);
  await server.received('save_weights');
  clock.advance(150_000);
  await ended;
  expect(events.at(-1)).toMatchObject({ type: 'run-ended', status: 'cancelled' });
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'problem',
      report: expect.objectContaining({ code: 'trainer/not-saved' }) as object,
    }),
  );
  expect(states.at(-1)).toMatchObject({ status: 'cancelled', step: 1, checkpoints: [] });
});

describe('launch', () => {
  it('tells the run from its start to its end', async () => {
    const { ports, events, results, seen, spans } = portsOf();
    await launch(request, ports, never);
    expect(spans.map(({ kind, name }) => `${kind} ${name}`)).toEqual(Array(4).fill('workflow OneEach'));
    const told = events.filter(({ type }) => type !== 'problem');
    expect(told[0]).toMatchObject({
      type: 'run-started',
      episodes: 4,
      folder: '/project/saved_experiments/exp',
      trace: '/runs/exp/exp.ajtrace',
      tokenizer: letters.note,
    });
    expect(told.at(-1)).toEqual({ type: 'run-ended', status: 'completed', error: null });
    expect(results().map(({ episode, taskId, reward }) => [episode, taskId, reward])).toEqual([
      [0, 'a', 1],
      [1, 'a', 1],
      [2, 'b', 1],
      [3, 'b', 1],
    ]);
    expect(seen).toMatchObject({ closed: 1, judgesLoaded: 0 });
  });

  it('says in the trace what run it is of', async () => {
    const { ports, seen } = portsOf();
    await launch(request, ports, never);
    expect(seen.facts).toEqual([
      {
        experiment: 'exp',
        config: '/project/conf/exp.yaml',
        workflow: 'w.ts->W',
        workflowFile: '/project/w.ts',
        judge: 'j.ts->J',
        model: 'nobody',
        tokenizer: letters.note,
        limits: { modelLength: 18000, promptLength: 3000, responseLength: 15000, turnLength: 4096 },
        merging: { compareLevel: 'text', ignoreTools: true, fixesDrift: true, toolCallsDisabled: false },
        batch: { perEpisode: 30, seed: 12345 },
        launch: expect.objectContaining({
          split: 'training',
          mode: 'sample',
          asUpstreamDebug: false,
        }) as object,
        tasks: 2,
        repeat: 2,
        episodes: 4,
        startedAt: 0,
      },
    ]);
  });

  it.each([
    ['model/unreachable', 0, 1, 'failed'],
    ['loader/threw', 0, 1, 'failed'],
    ['model/rate-limited', 0, 4, 'completed'],
    // An episode before it succeeded, so the error need not repeat.
    ['model/unreachable', 1, 4, 'completed'],
  ])(
    'runs fewer episodes after %s behind %i good ones, if it is to fail fast',
    async (code, good, count, status) => {
      let ran = 0;
      class Failing extends Workflow {
        override execute(): Promise<WorkflowOutput> {
          if (ran++ < good) return Promise.resolve({ reward: 1 });
          return Promise.reject(new CodedError({ code, message: 'It fails.' }));
        }
      }
      const { ports, events, results } = portsOf({ loadWorkflow: () => Promise.resolve(Failing) });
      await launch({ ...request, parallel: 1, failFast: true }, ports, never);
      expect(results()).toHaveLength(count);
      expect(events.at(-1)).toMatchObject({ type: 'run-ended', status });
      events.length = 0;
      await launch({ ...request, parallel: 1 }, ports, never);
      expect(results()).toHaveLength(4);
    },
  );

  it('has calls and ends in the trace before it tells of them', async () => {
    const { ports, noted, writer } = portsOf();
    const emit = ({ type }: RunEvent): void => {
      if (type !== 'problem') noted.push(`- ${type}`);
    };
    await launch({ ...request, firstTasks: 1, repeat: 1 }, { ...ports, emit }, never);
    expect(noted).toEqual([
      '- run-started',
      '- episode-started',
      'episode 0 starts',
      expect.stringMatching(/^call 0\/0 200: /),
      '- llm-call',
      'episode 0 ends, 1 timelines',
      '- episode-ended',
      '- places',
      'run completed',
      '- run-ended',
    ]);
    expect(writer.places?.judge?.file).toBe('/project/conf/j.ts J.computeReward');
  });

  it('tells with each episode what training would make of it', async () => {
    const { ports, results } = portsOf();
    await launch(request, ports, never);
    expect(results().map(({ tracking }) => tracking?.timelines)).toEqual([1, 1, 1, 1]);
  });

  it('tracks without a trace where none is wanted', async () => {
    const { ports, events, results, noted } = portsOf();
    await launch({ ...request, trace: false }, ports, never);
    expect(noted).toEqual([]);
    expect(events.find(({ type }) => type === 'run-started')).not.toHaveProperty('trace');
    expect(results()[0]?.tracking?.timelines).toBe(1);
  });

  it('says where the method is that returned what cannot be taken', async () => {
    class Silent extends LeftToTheJudge {
      override execute(): Promise<never> {
        return Promise.resolve(undefined as never);
      }
    }
    class Undecided extends Half {
      override computeReward(): never {
        return 'no opinion' as never;
      }
    }
    const locationWith = async (changes: Changes): Promise<unknown> => {
      const { ports, results } = portsOf(changes);
      await launch(request, ports, never);
      return results()[0]?.error?.location;
    };
    const silent = { loadWorkflow: () => Promise.resolve(Silent) };
    expect(await locationWith(silent)).toEqual({ file: '/project/w.ts W.execute', line: 7 });
    const judged = {
      loadWorkflow: () => Promise.resolve(LeftToTheJudge),
      loadJudge: () => Promise.resolve(Undecided),
    };
    const location = { file: '/project/conf/j.ts J.computeReward', line: 7 };
    expect(await locationWith(judged)).toEqual(location);
  });

  it('is warned of a tokenizer that is not the model’s own', async () => {
    const problem = new CodedError({ code: 'tokenizer/broken', message: 'Broken.', hint: 'Mend it.' });
    const text = { note: letters.note, problem, open: () => Promise.resolve(letters) };
    const { ports, events } = portsOf({ findModelText: () => Promise.resolve(text) });
    await launch(request, ports, never);
    const report = expect.objectContaining({ code: 'tokenizer/broken' }) as unknown;
    expect(events).toContainEqual({ type: 'problem', severity: 'warning', report });
    expect(events.at(-1)).toMatchObject({ status: 'completed' });
  });

  it('is no run where its tokenizer is not there', async () => {
    const missing = new CodedError({ code: 'tokenizer/not-found', message: 'None.', hint: 'Name one.' });
    const { ports, events } = portsOf({ findModelText: () => Promise.reject(missing) });
    await launch(request, ports, never);
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { code: 'tokenizer/not-found' } });
  });

  it('has the judges of AgentJet built in', async () => {
    class Boxed extends Workflow {
      override execute(): Promise<WorkflowOutput> {
        return Promise.resolve({ metadata: { final_answer: String.raw`\boxed{4}`, target: 4, nums: [4] } });
      }
    }
    const judge = 'tutorial.example_countdown.countdown_answer_as_judge->CountdownAnswerAsJudge';
    const loadWorkflow = (): Promise<typeof Boxed> => Promise.resolve(Boxed);
    const { ports, results, seen } = portsOf({ text: config.replace('j.ts->J', judge), loadWorkflow });
    await launch(request, ports, never);
    expect(results().map(({ reward, error }) => [reward, error])).toEqual(Array(4).fill([1, null]));
    expect(seen.judgesLoaded).toBe(0);
  });

  it('ends the episodes, not the run, where the built-in judge lacks something', async () => {
    const judge = 'tutorial.example_math_agent.math_answer_as_judge->MathAnswerAsJudge';
    const loadWorkflow = (): Promise<typeof LeftToTheJudge> => Promise.resolve(LeftToTheJudge);
    const { ports, events, results } = portsOf({ text: config.replace('j.ts->J', judge), loadWorkflow });
    await launch(request, ports, never);
    expect(results().map(({ error }) => [error?.code, error?.location?.file])).toEqual(
      Array(4).fill(['task-judge/missing-input', '/project/w.ts W.execute']),
    );
    expect(events.at(-1)).toMatchObject({ type: 'run-ended', status: 'completed' });
  });

  it('shows the workflow the config, sections of its own included, which none can change', async () => {
    class Sized extends Workflow {
      override execute(_: WorkflowTask, { config }: AjetTuner): Promise<WorkflowOutput> {
        const { lake, ajet } = config as { lake: { size: number }; ajet: { model: { path: string } } };
        expect(() => (lake.size = 1)).toThrow(TypeError);
        return Promise.resolve({ reward: lake.size + ajet.model.path.length / 100 });
      }
    }
    const text = `${config}  model: {path: four}\nlake: {size: 6}\n`;
    const { ports, results } = portsOf({ text, loadWorkflow: () => Promise.resolve(Sized) });
    await launch(request, ports, never);
    expect(results().map(({ reward }) => reward)).toEqual([6.04, 6.04, 6.04, 6.04]);
  });

  it('loads the judge once, and only when it is needed', async () => {
    const { ports, results, seen } = portsOf({ loadWorkflow: () => Promise.resolve(LeftToTheJudge) });
    await launch(request, ports, never);
    expect(results().map(({ reward }) => reward)).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(seen.judgesLoaded).toBe(1);
  });

  it('puts an error without a place at the line of the config that led to it', async () => {
    const failing = new CodedError({ code: 'loader/no-such-export', message: 'No W.', hint: 'Export it.' });
    const { ports, events } = portsOf({ loadWorkflow: () => Promise.reject(failing) });
    await launch(request, ports, never);
    const location = { file: '/project/conf/exp.yaml', line: 4, column: 28 };
    const error = expect.objectContaining({
      code: 'loader/no-such-export',
      hint: 'Export it.',
      location,
    }) as unknown;
    expect(events.at(-1)).toEqual({ type: 'run-ended', status: 'failed', error });
  });

  it('closes the Model Tuner where the folder cannot be made', async () => {
    const { ports, events, seen } = portsOf({ openFolder: () => Promise.reject(new Error('full')) });
    await launch(request, ports, never);
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { code: 'launcher/unexpected' } });
    expect(seen.closed).toBe(1);
  });

  it('ends as cancelled, and starts nothing more', async () => {
    const cancellation = new CancellationSource();
    cancellation.cancel();
    const { ports, events, noted } = portsOf();
    await launch(request, ports, cancellation.token);
    expect(events.at(-1)).toEqual({ type: 'run-ended', status: 'cancelled', error: null });
    expect(noted).toEqual(['run cancelled']);
  });

  it.each([
    ['w.ts->W', 'w.py->W', 'launcher/workflow-not-found'],
    ['w.ts->W', 'nowhere.ts->W', 'launcher/workflow-not-found'],
    ['{user_workflow: w.ts->W}', '{}', 'launcher/no-workflow'],
    ['tasks.jsonl', 'none.jsonl', 'task-reader/file-not-found'],
    ['experiment_name: exp', 'experiment_name: [', 'config/yaml-syntax'],
  ])('%s: %s cannot start', async (from, to, code) => {
    const { ports, events } = portsOf({ text: config.replace(from, to) });
    await launch(request, ports, never);
    expect(events.some(({ type }) => type === 'run-started')).toBe(false);
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { code } });
  });
});

describe('an oversampled run', () => {
  const oversampled = config.replace(
    'user_workflow: w.ts->W',
    'user_workflow: w.ts->W, enable_oversample: true, submit_oversample_multiplier: 2',
  );

  it('starts more episodes, tells some to stop, keeps none of their calls, and says which train', async () => {
    const seen: { stop: boolean | undefined; steps: readonly number[] }[] = [];
    /** Task a: every repeat has the same reward; task b: each another. */
    class ByRepeat extends Workflow {
      override execute({ taskId, taskThreadIndex, ...task }: WorkflowTask): Promise<WorkflowOutput> {
        const { stop, step } = task.observationWindow;
        seen[taskThreadIndex] = { stop: stop[taskThreadIndex], steps: [...step] };
        return Promise.resolve({ reward: taskId === 'a' ? 1 : taskThreadIndex });
      }
    }
    const { ports, events, results, noted } = portsOf({
      text: oversampled,
      loadWorkflow: () => Promise.resolve(ByRepeat),
    });
    await launch({ ...request, parallel: 1 }, ports, never);
    const selected = events.at(-2);
    expect(events).toContainEqual(expect.objectContaining({ type: 'run-started', repeat: 4, episodes: 8 }));
    // Three equal rewards give task a up; two different ones are enough of task b, and then nobody is waited for.
    const stopped = [false, false, false, true, false, false, true, true];
    expect(results().map((result) => result.stopped === true)).toEqual(stopped);
    expect(seen.map(({ stop }) => stop)).toEqual(stopped);
    expect(seen[4]?.steps).toEqual([-1, -1, -1, -1, 0, 0, 0, 0]);
    const times = [0, 0, 0, 0, 1, 1, 1, 1];
    expect(selected).toEqual({
      type: 'selection',
      episodes: times.map((count, episode) => ({ episode, times: count })),
    });
    expect(noted.at(-1)).toBe(`run completed, training takes ${times.join()}`);
    const problems = results()[3]?.tracking?.problems.map(({ code }) => code);
    expect(problems).toContain('externally-interrupted');
    expect(results().map(({ tracking }) => tracking?.timelines)).toEqual([1, 1, 1, 0, 1, 1, 0, 0]);
  });

  it('has to have room for it', async () => {
    const { ports, events } = portsOf({ text: oversampled.replace('multiplier: 2', 'multiplier: 1.2') });
    await launch(request, ports, never);
    expect(events.at(-1)).toMatchObject({ error: { code: 'task-rollout/oversample-multiplier' } });
  });
});
