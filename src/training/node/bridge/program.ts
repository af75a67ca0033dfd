import type { Emitter } from '../../../base/core/event.ts';
import { CodedError, toReport, type ErrorReport } from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { asJudgeClass, asWorkflowClass } from '../../../backbone/core/function-form/functionWorkflow.ts';
import type { JudgeClass } from '../../../backbone/core/task-judge/judge.ts';
import type { BridgeCall, BridgedTask, FromBridge, ToBridge } from '../../core/protocol/bridge.ts';
import type { GymEnv, GymStep, Workflow, WorkflowOutput, WorkflowTask } from '../../../sdk/core/index.ts';
import type { Loader } from '../../../backbone/node/loader/loader.ts';
import { bridgeErrors, bridgedTuner } from './tuner.ts';

type MessageOf<T extends ToBridge['type']> = Extract<ToBridge, { type: T }>;

interface UserCode {
  readonly Workflow: (new () => Workflow) | undefined;
  readonly Judge: JudgeClass | undefined;
}

interface RunningEpisode {
  readonly give: (error: unknown) => void;
  overflow: boolean;
}

interface PendingCall {
  readonly episode: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class BridgeProgram {
  readonly #send: (message: FromBridge) => void;
  readonly #loader: Loader;
  readonly #onUncaught: Emitter<unknown>['event'];
  readonly #running = new Map<number, RunningEpisode>();
  readonly #calls = new Map<number, PendingCall>();
  #nextCall = 1;
  #loaded: UserCode | undefined;
  #config: Readonly<Record<string, unknown>> = {};

  /** @param onUncaught errors of user code outside of promises, while a single episode runs */
  constructor(send: (message: FromBridge) => void, loader: Loader, onUncaught: Emitter<unknown>['event']) {
    this.#send = send;
    this.#loader = loader;
    this.#onUncaught = onUncaught;
  }

  get running(): number {
    return this.#running.size;
  }

  take(message: ToBridge): void {
    if (message.type === 'open') void this.#open(message);
    else if (message.type === 'config') this.#config = message.config;
    else if (message.type === 'execute') void this.#run(message.id, () => this.#execute(message));
    else if (message.type === 'judge') void this.#run(message.id, () => this.#judge(message));
    else if (message.type === 'answer') this.#answer(message);
    else this.#running.get(message.id)?.give(bridgeErrors.cancelled());
  }

  async #open({ workflow, judge }: MessageOf<'open'>): Promise<void> {
    try {
      const W = workflow && (await this.#loader.loadExport(workflow, 'workflow', [])).value;
      const J = judge && (await this.#loader.loadExport(judge, 'judge', [])).value;
      const Workflow = W === null ? undefined : asWorkflowClass(W);
      const Judge = J === null ? undefined : asJudgeClass(J);
      this.#loaded = { Workflow, Judge };
      this.#send({
        type: 'ready',
        trainableTargets: Workflow === undefined ? null : new Workflow().trainableTargets,
      });
    } catch (error) {
      this.#send({ type: 'failed', error: this.#report(error) });
    }
  }

  async #run(id: number, work: () => Promise<unknown>): Promise<void> {
    let uncaught: { dispose(): void } | undefined;
    const interrupted = new Promise<never>((_, reject) => {
      this.#running.set(id, { give: reject, overflow: false });
      uncaught = this.#onUncaught((error) => {
        if (this.#running.size === 1) reject(asError(error));
      });
    });
    try {
      this.#send({ type: 'done', id, value: await Promise.race([work(), interrupted]) });
    } catch (error) {
      this.#send({ type: 'error', id, error: this.#report(error) });
    } finally {
      uncaught?.dispose();
      this.#running.delete(id);
      for (const [call, { episode, reject }] of this.#calls) {
        if (episode !== id) continue;
        this.#calls.delete(call);
        reject(bridgeErrors.cancelled());
      }
    }
  }

  async #execute({ id, task, endpoint }: MessageOf<'execute'>): Promise<unknown> {
    const { Workflow } = this.#loaded ?? {};
    if (Workflow === undefined) throw new Error('No workflow is open.');
    const workflow = new Workflow();
    const ask = (call: BridgeCall): Promise<unknown> => this.#ask(id, call);
    const tuner = bridgedTuner({
      config: this.#config,
      episodeUuid: task.episodeUuid,
      targets: workflow.trainableTargets,
      endpoint,
      ask,
      contextOverflow: () => this.#running.get(id)?.overflow ?? false,
    });
    const output: unknown = await workflow.execute(taskOf(task, ask), tuner);
    const { name } = Workflow;
    if (!isRecord(output)) throw bridgeErrors.noOutput(name, output);
    const { reward = null, isSuccess = null, metadata = {}, logMetrics = {} } = output as WorkflowOutput;
    if (reward !== null && !Number.isFinite(reward)) throw bridgeErrors.badReward(`execute of ${name}`);
    return { reward, isSuccess, metadata, logMetrics: loggable(logMetrics) };
  }

  async #judge({ id, task, output }: MessageOf<'judge'>): Promise<unknown> {
    const { Judge } = this.#loaded ?? {};
    if (Judge === undefined) throw new Error('No judge is open.');
    const judge = new Judge(this.#config);
    const verdict = await judge.computeReward(
      taskOf(task, (call) => this.#ask(id, call)),
      output,
    );
    const [reward, isSuccess] = 'reward' in verdict ? [verdict.reward, verdict.isSuccess] : verdict;
    if (!Number.isFinite(reward)) throw bridgeErrors.badReward(`computeReward of ${Judge.name}`);
    return { reward, isSuccess };
  }

  #ask(episode: number, call: BridgeCall): Promise<unknown> {
    if (!this.#running.has(episode)) return Promise.reject(bridgeErrors.cancelled());
    const id = this.#nextCall++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { episode, resolve, reject });
      this.#send({ type: 'call', id, episode, call });
    });
  }

  #answer({ id, result, error, overflow }: MessageOf<'answer'>): void {
    const waiting = this.#calls.get(id);
    if (waiting === undefined) return; // its episode has ended
    this.#calls.delete(id);
    const running = this.#running.get(waiting.episode);
    if (running !== undefined && overflow !== undefined) running.overflow = overflow;
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new CodedError({ code: 'bridge/model-failed', message: error }));
  }

  #report(error: unknown): ErrorReport {
    const location = this.#loader.userFrame(error);
    const report = toReport(error, 'bridge/threw');
    return { ...report, ...(report.location === undefined && location !== undefined && { location }) };
  }
}

/** Keeps the metrics that training accepts: numbers, lists of numbers, and objects. Others would raise an error. */
function loggable(metrics: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isTaken = (value: unknown): boolean =>
    Number.isFinite(value) || isRecord(value) || (Array.isArray(value) && value.every(Number.isFinite));
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => isTaken(value)));
}

function taskOf(given: BridgedTask, ask: (call: BridgeCall) => Promise<unknown>): WorkflowTask {
  const { serviceUrl, ...task } = given;
  const gymEnv: GymEnv = {
    serviceUrl: serviceUrl ?? undefined,
    step: async (action) => (await ask({ method: 'gym-step', action })) as GymStep,
    evaluate: async (messages = {}) => (await ask({ method: 'gym-evaluate', messages })) as number,
    reset: () => {
      throw bridgeErrors.noReset();
    },
  };
  return { ...task, gymEnv } as WorkflowTask;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`The thrown value is not an Error: ${String(thrown)}`);
}
