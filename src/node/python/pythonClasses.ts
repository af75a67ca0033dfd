import type { JudgeClass } from '../../backbone/task-judge/judge.ts';
import {
  loadedClass,
  returnedOutput,
  returnedVerdict,
  type WorkerAsk,
  type WorkerMethod,
} from '../../protocol/worker.ts';
import {
  BaseJudge,
  Workflow,
  type AjetTuner,
  type GymAction,
  type JudgeHelper,
  type Verdict,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../workflow/index.ts';
import { adapterHeader } from '../../backbone/model-tuner/routing.ts';
import type { CallHandle, PythonWorker, WorkerLaunch } from './worker.ts';

/** A class of the user's Python: in a file, absolute, or in a module by its dotted name. */
export interface PythonLocator {
  readonly kind: 'file' | 'module';
  readonly where: string;
  readonly name: string;
}

/** What an episode's code in Python may ask of the backbone, while it runs. */
interface Running {
  readonly task: WorkflowTask;
  readonly calls: Set<CallHandle>;
  tuner: AjetTuner | undefined;
  helper: JudgeHelper | undefined;
}

/** Workflows and judges that are Python, as the rest of a run knows them: classes whose methods the worker carries out. */
export class PythonClasses {
  readonly #start: (answer: WorkerLaunch['answer']) => Promise<PythonWorker>;
  readonly #running = new Map<string, Running>();
  #worker: Promise<PythonWorker> | undefined;

  /** @param start the worker; called when it is first needed, and anew where the last has died */
  constructor(start: (answer: WorkerLaunch['answer']) => Promise<PythonWorker>) {
    this.#start = start;
  }

  /** Rejects with what the module raises as it is imported. */
  async loadWorkflow(locator: PythonLocator): Promise<new () => Workflow> {
    const loaded = loadedClass.parse(await this.#call('load', { ...locator, what: 'workflow' }).result);
    const execute = (task: WorkflowTask, tuner: AjetTuner, workflow: Workflow): Promise<WorkflowOutput> =>
      this.#execute(locator, task, tuner, workflow);
    const PythonWorkflow = class extends Workflow {
      override trainableTargets = loaded.trainableTargets ?? null;
      override execute(task: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
        return execute(task, tuner, this);
      }
    };
    Object.defineProperty(PythonWorkflow, 'name', { value: locator.name });
    return PythonWorkflow;
  }

  async loadJudge(locator: PythonLocator): Promise<JudgeClass> {
    await this.#call('load', { ...locator, what: 'judge' }).result;
    const judge = (task: WorkflowTask, output: WorkflowOutput, own: BaseJudge): Promise<Verdict> =>
      this.#judge(locator, task, output, own);
    const PythonJudge = class extends BaseJudge {
      override computeReward(task: WorkflowTask, output: WorkflowOutput): Promise<Verdict> {
        return judge(task, output, this);
      }
    };
    Object.defineProperty(PythonJudge, 'name', { value: locator.name });
    return PythonJudge;
  }

  /** The episode is over: what of it still runs is cancelled, and what was kept of it forgotten. */
  ended(episodeUuid: string): void {
    const running = this.#running.get(episodeUuid);
    if (running === undefined) return;
    this.#running.delete(episodeUuid);
    for (const call of running.calls) call.cancel();
    void this.#forget(episodeUuid).catch(() => undefined); // a worker that died has forgotten
  }

  async #forget(episodeUuid: string): Promise<void> {
    const worker = await this.#worker;
    if (worker?.hasEnded === false) await worker.call('forget', { episodeUuid }).result;
  }

  async #execute(
    locator: PythonLocator,
    task: WorkflowTask,
    tuner: AjetTuner,
    workflow: Workflow,
  ): Promise<WorkflowOutput> {
    const running = this.#runningOf(task);
    running.tuner = tuner;
    const { baseUrl } = tuner.asOaiBaseUrlApiKey();
    const value = await this.#callFor(running, 'execute', {
      ...codeOf(locator, task),
      config: tuner.config,
      access: { baseUrl, adapterHeader },
      trainableTargets: workflow.trainableTargets,
    });
    const { reward, ...output } = returnedOutput.parse(value);
    return { ...output, reward: reward as number | null }; // checked with the reward of every other workflow
  }

  async #judge(
    locator: PythonLocator,
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
          () => undefined, // it never began
        );
      },
    };
  }

  async #alive(): Promise<PythonWorker> {
    const before = this.#worker;
    const worker = await before;
    if (worker !== undefined && !worker.hasEnded) return worker;
    // Of several calls that find it dead, the first starts the next.
    if (this.#worker === before) this.#worker = this.#start((method, params) => this.#answer(method, params));
    return this.#alive();
  }

  async #answer(method: WorkerAsk, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const running = this.#running.get(String(params['episodeUuid']));
    if (running === undefined) throw new Error('The episode is over.');
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
      case 'helper':
        if (helper === undefined) throw new Error('Only a judge asks the helper LLM.');
        return helper.ask(params['messages'] as Parameters<JudgeHelper['ask']>[0]);
    }
  }
}

function codeOf(locator: PythonLocator, task: WorkflowTask): Readonly<Record<string, unknown>> {
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
