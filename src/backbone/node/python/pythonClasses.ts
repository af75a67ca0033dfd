import type { WorkflowClass } from '../../core/function-form/functionWorkflow.ts';
import type { JudgeClass } from '../../core/task-judge/judge.ts';
import {
  loadedCode,
  returnedOutput,
  returnedVerdict,
  type WorkerRequest,
  type WorkerMethod,
} from '../../core/protocol/worker.ts';
import {
  BaseJudge,
  Workflow,
  type AjetTuner,
  type GymAction,
  type JudgeHelper,
  type Verdict,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../../sdk/core/index.ts';
import type { Locator } from '../../../configs/core/locator.ts';
import { adapterHeader } from '../../core/model-tuner/routing.ts';
import type { CodedError, Location } from '../../../base/core/errors.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';
import {
  pythonJudgeFunction,
  pythonWorkflowFunction,
  type FunctionPorts,
  answerExperience,
  pythonTrinityWorkflow,
  readLoaded,
} from './pythonFunctions.ts';
import type { CallHandle, PythonWorker, WorkerLaunch } from './worker.ts';

/** The objects that an episode's Python code can use while it runs. */
interface Running {
  readonly task: WorkflowTask;
  readonly calls: Set<CallHandle>;
  tuner: AjetTuner | undefined;
  helper: JudgeHelper | undefined;
}

/** Answers the requests of a script that calls AgentScope's `tune`, or creates an `AgentJetJob`. */
export interface ScriptAnswers {
  tune(call: unknown): Promise<unknown>;
  preview(call: unknown): Promise<unknown>;
  job(call: unknown): Promise<unknown>;
}

export interface PythonOptions {
  /** Starts the worker. Called on first use, and again after it died. */
  start(answer: WorkerLaunch['answer']): Promise<PythonWorker>;
  warn(problem: CodedError): void;
  openText(): Promise<ModelText>;
}

/** Workflows and judges in Python, as classes whose methods the worker executes. */
export class PythonClasses {
  readonly #options: PythonOptions;
  readonly #places = new Map<string, Location>();
  readonly #running = new Map<string, Running>();
  #worker: Promise<PythonWorker> | undefined;
  #script: ScriptAnswers | undefined;

  constructor(options: PythonOptions) {
    this.#options = options;
  }

  /** Loads a workflow. Rejects with the error of its import. */
  async loadWorkflow(locator: Locator): Promise<WorkflowClass> {
    if (locator.kind === 'trinity') return this.#loadTrinity(locator);
    const loaded = loadedCode.parse(await this.#call('load', { ...locator, what: 'workflow' }).result);
    if (loaded.form === 'function') return pythonWorkflowFunction(this.#functionPorts(locator, loaded.file));
    const execute = (task: WorkflowTask, tuner: AjetTuner, workflow: Workflow): Promise<WorkflowOutput> =>
      this.#execute(locator, task, tuner, workflow);
    const PythonWorkflow = class extends Workflow {
      override trainableTargets = loaded.trainableTargets ?? null;
      override execute(task: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
        return execute(task, tuner, this);
      }
    };
    return Object.defineProperty(PythonWorkflow, 'name', { value: locator.name });
  }

  /** Checks a reward function. Rejects if Trinity has none of that name. */
  async loadRewardFn(name: string): Promise<void> {
    this.#reportProblems(await this.#call('load-trinity', { what: 'reward function', name }).result);
  }

  /** Returns the location of the workflow of a Trinity locator. */
  locationOf({ name }: Locator): Location | undefined {
    return this.#places.get(name);
  }

  async #loadTrinity(locator: Locator): Promise<WorkflowClass> {
    const { name, where: taskset } = locator;
    const place = this.#reportProblems(await this.#call('load-trinity', { what: 'workflow', name }).result);
    if (place !== undefined) this.#places.set(name, place);
    return pythonTrinityWorkflow(this.#functionPorts(locator, null), taskset);
  }

  #reportProblems(loaded: unknown): Location | undefined {
    const { location: place, warnings } = readLoaded(loaded);
    for (const warning of warnings) this.#options.warn(warning);
    return place;
  }

  async loadJudge(locator: Locator): Promise<JudgeClass> {
    const loaded = loadedCode.parse(await this.#call('load', { ...locator, what: 'judge' }).result);
    if (loaded.form === 'function') return pythonJudgeFunction(this.#functionPorts(locator, loaded.file));
    const judge = (task: WorkflowTask, output: WorkflowOutput, own: BaseJudge): Promise<Verdict> =>
      this.#judge(locator, task, output, own);
    const PythonJudge = class extends BaseJudge {
      override computeReward(task: WorkflowTask, output: WorkflowOutput): Promise<Verdict> {
        return judge(task, output, this);
      }
    };
    return Object.defineProperty(PythonJudge, 'name', { value: locator.name });
  }

  /** Runs a script as `__main__` to its end. Rejects with its error. */
  async runScript(file: string, answers: ScriptAnswers): Promise<void> {
    this.#script = answers;
    await this.#call('script', { file }).result;
  }

  /** Ends an episode: cancels its running calls and removes its state. */
  ended(episodeUuid: string): void {
    const running = this.#running.get(episodeUuid);
    if (running === undefined) return;
    this.#running.delete(episodeUuid);
    for (const call of running.calls) call.cancel();
    void this.#forget(episodeUuid).catch(() => undefined); // a worker that died has no state
  }

  async #forget(episodeUuid: string): Promise<void> {
    const worker = await this.#worker;
    if (worker?.hasEnded === false) await worker.call('forget', { episodeUuid }).result;
  }

  #functionPorts(locator: Locator, file: string | null): FunctionPorts {
    return {
      name: locator.name,
      file,
      call: (method, task, params, tuner) => {
        const running = this.#runningOf(task);
        running.tuner ??= tuner;
        return this.#callFor(running, method, { ...codeOf(locator, task), ...params });
      },
      warn: (problem) => this.#options.warn(problem),
    };
  }

  async #execute(
    locator: Locator,
    task: WorkflowTask,
    tuner: AjetTuner,
    workflow: Workflow,
  ): Promise<WorkflowOutput> {
    const running = this.#runningOf(task);
    running.tuner = tuner;
    running.helper = workflow.helperLlm;
    const { baseUrl } = tuner.asOaiBaseUrlApiKey();
    const value = await this.#callFor(running, 'execute', {
      ...codeOf(locator, task),
      config: tuner.config,
      access: { baseUrl, adapterHeader, debugModels: Object.keys(tuner.auxiliaryModels) },
      trainableTargets: workflow.trainableTargets,
    });
    const { reward, ...output } = returnedOutput.parse(value);
    return { ...output, reward: reward as number | null }; // checked with the reward of every other workflow
  }

  async #judge(
    locator: Locator,
    task: WorkflowTask,
    output: WorkflowOutput,
    judge: BaseJudge,
  ): Promise<Verdict> {
    const running = this.#runningOf(task);
    running.helper = judge.helperLlm;
    const value = await this.#callFor(running, 'judge', {
      ...codeOf(locator, task),
      config: judge.config,
      output: {
        isSuccess: output.isSuccess ?? null,
        metadata: output.metadata ?? {},
        logMetrics: output.logMetrics ?? {},
      },
    });
    const { reward, isSuccess, metadata, logMetrics } = returnedVerdict.parse(value);
    Object.assign(output, { metadata, logMetrics }); // a judge may add to them
    return { reward: reward as number, isSuccess };
  }

  #runningOf(task: WorkflowTask): Running {
    const known = this.#running.get(task.episodeUuid);
    if (known !== undefined) return known;
    const running: Running = { task, calls: new Set(), tuner: undefined, helper: undefined };
    this.#running.set(task.episodeUuid, running);
    return running;
  }

  async #callFor(
    running: Running,
    method: WorkerMethod,
    params: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const call = this.#call(method, params);
    running.calls.add(call);
    try {
      return await call.result;
    } finally {
      running.calls.delete(call);
    }
  }

  #call(method: WorkerMethod, params: Readonly<Record<string, unknown>>): CallHandle {
    let isCancelled = false;
    const made = this.#alive().then((worker) => {
      const call = worker.call(method, params);
      if (isCancelled) call.cancel();
      return call;
    });
    return {
      result: made.then((call) => call.result),
      cancel: () => {
        isCancelled = true;
        void made.then(
          (call) => call.cancel(),
          () => undefined, // it never started
        );
      },
    };
  }

  async #alive(): Promise<PythonWorker> {
    const before = this.#worker;
    const worker = await before;
    if (worker !== undefined && !worker.hasEnded) return worker;
    // Only the first of several calls restarts the worker.
    if (this.#worker === before)
      this.#worker = this.#options.start((method, params) => this.#answer(method, params));
    return this.#alive();
  }

  #answer(method: WorkerRequest, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (method !== 'tune' && method !== 'preview' && method !== 'job')
      return this.#answerEpisode(method, params);
    if (this.#script === undefined) throw new Error('Only a script that is run directly can do this.');
    return this.#script[method](params);
  }

  async #answerEpisode(
    method: Exclude<WorkerRequest, keyof ScriptAnswers>,
    params: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const running = this.#running.get(String(params['episodeUuid']));
    if (running === undefined) throw new Error('The episode has ended.');
    const { task, tuner, helper } = running;
    switch (method) {
      case 'gym-step':
        return task.gymEnv.step(params['action'] as GymAction);
      case 'gym-evaluate':
        return task.gymEnv.evaluate(params['messages'] as Readonly<Record<string, unknown>>);
      case 'window':
        return task.observationWindow[params['name'] as 'step' | 'token' | 'stop'];
      case 'context-overflow':
        return tuner?.getContextTracker().contextOverflow ?? false;
      case 'experience':
        return answerExperience(params, () => this.#options.openText());
      case 'helper':
        if (helper === undefined) throw new Error('The episode has no helper LLM.');
        return helper.ask(params['messages'] as Parameters<JudgeHelper['ask']>[0]);
    }
  }
}

function codeOf(locator: Locator, task: WorkflowTask): Readonly<Record<string, unknown>> {
  const { gymEnv, observationWindow, ...plain } = task;
  return {
    kind: locator.kind,
    where: locator.where,
    name_of_class: locator.name,
    name: task.taskTag,
    episodeUuid: task.episodeUuid,
    task: { ...plain, serviceUrl: gymEnv.serviceUrl ?? null, episodes: observationWindow.step.length },
  };
}
