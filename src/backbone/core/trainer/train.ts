/**
 * Trains the model on a Tinker server. Each step runs the episodes of some tasks, makes their samples as the training
 * report does, and updates the weights.
 */
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import {
  CancellationSource,
  DelayedCancellation,
  type CancellationToken,
} from '../../../base/core/cancellation.ts';
import { CodedError, hasCode, toReport } from '../../../base/core/errors.ts';
import { writeUrl } from '../../../base/core/httpTexts.ts';
import { Random } from '../../../base/core/random.ts';
import type {
  Datum,
  Sampler,
  TinkerSession,
  TokenCounts,
  TrainedModel,
} from '../../../tinker/core/service.ts';
import { hintOf, preventsTraining } from '../../../tracking/core/finding.ts';
import type { CommonFinding } from '../../../tracking/core/reportTally.ts';
import { trainingReport } from '../../../tracking/core/report.ts';
import { batchSamples } from '../../../tracking/core/batchSamples.ts';
import { groupBy } from '../../../tracking/core/groupBy.ts';
import { measures } from '../../../tracking/core/groups.ts';
import { type EpisodeResult, withSelection } from '../../../tracking/core/records/episodeResult.ts';
import type { TrainingSample } from '../../../tracking/core/samples.ts';
import type { Task } from '../../../sdk/core/index.ts';
import type { ModelTextSource } from '../context-tracker/modelTextSource.ts';
import { openBatch, prepare, runBatch, warn, type LaunchPorts, type Prepared } from '../launcher/batch.ts';
import { factsOf, runStarted, type ModelTuner, type RunFacts } from '../launcher/runPlan.ts';
import { configuredJudge } from '../launcher/userClasses.ts';
import { limitCode } from '../model-tuner/callBudget.ts';
import { createTinkerModel, type TinkerModel } from '../model-tuner/tinker/tinkerModel.ts';
import { toolParserOf, type ToolParser } from '../model-tuner/tinker/toolCallFormats.ts';
import type { TracedTraining } from '../../../tracking/core/records/trace.ts';
import type { TracedRunEnd } from '../../../tracking/core/records/tracedRun.ts';
import type { RunRequest, TrainingLimits, TrainingUsage, TrainRequest } from '../protocol/run.ts';
import { episodeSlots } from '../task-rollout/rollout.ts';
import {
  checkLogprobs,
  datumOf,
  meanKl,
  scaled,
  tracedTraining,
  withKl,
  type LogprobCheck,
  type TrainedSample,
} from './datums.ts';
import { type BudgetParts, estimateOf, pricesOf, secondsPerHour, TrainingBudget } from './trainingBudget.ts';
import { planTraining, rateAt, type TrainPlan } from './trainPlan.ts';
import type { TrainingFolder, TrainingState } from './trainerPorts.ts';

type Metrics = Record<string, number>;

/** Resolves when all steps are trained, or after a cancellation. Rejects with the reason why training cannot continue. */
export async function train(
  asked: RunRequest,
  chosen: TrainRequest,
  ports: LaunchPorts,
  cancellation: CancellationToken,
): Promise<Omit<TracedRunEnd, 'endedAt'>> {
  // Like training, which runs a failed episode three times.
  const request = { attempts: 3, failFast: true, ...asked };
  const prepared = await prepare(request, undefined, ports, cancellation);
  const { config, tasks, plan } = prepared;
  const baseUrl = chosen.baseUrl ?? config.stringOrNull('model.tinker.base_url') ?? undefined;
  const choice = { ...chosen, ...(baseUrl !== undefined && { baseUrl }) };
  const training = planTraining(choice, config, tasks.length, plan.seed);
  for (const note of training.notes) warn(ports, note);
  const toolParser = toolParserOf(plan.toolParser);
  const text = await ports.findModelText(request, plan);
  if (!text.note.exact) throw otherTokenizer(plan.modelPath, text.note.name);
  let budget: TrainingBudget | undefined;
  const session = await ports.trainer.connect(
    choice,
    (kind, count) => budget?.count(kind, count),
    cancellation,
  );
  const late = new DelayedCancellation(cancellation, lastSaveTime, ports.clock);
  let outcome: 'success' | 'errored' | 'interrupted' = 'errored';
  try {
    const baseModel = baseModelOf(choice, session, plan.modelPath);
    const prices = pricesOf(choice, baseModel);
    const model = await session.createModel({ ...training.lora, baseModel }, cancellation);
    const folder = await ports.trainer.openFolder(plan, choice.resume);
    const { state } = folder;
    if (state !== undefined && state.batchSize !== training.batchSize)
      throw otherBatch(config, state, training);
    if (state !== undefined) reportDeleted(state, ports);
    const last = state?.checkpoints.at(-1);
    const opened = openBudget(choice, ports, cancellation, { prices, before: state });
    ({ budget } = opened);
    if ((last?.step ?? 0) < training.totalSteps) budget.beginStep();
    if (last !== undefined) await model.load(last.path, cancellation);
    const parts = {
      ...{ request, choice, ports, cancellation, late: late.token, prepared, training, text },
      ...{ toolParser, session, folder, baseModel, model, prices, ...opened },
    };
    await new Trainer(parts, last?.step ?? 0).run();
    outcome = cancellation.isCancelled ? 'interrupted' : 'success';
    return { status: cancellation.isCancelled ? 'cancelled' : 'completed', error: null };
  } finally {
    budget?.dispose();
    late.dispose();
    await session.close(outcome);
  }
}

/** At the limit of hours, episodes are interrupted. At other limits, calls that have begun end. */
function openBudget(
  limits: TrainingLimits,
  ports: LaunchPorts,
  cancellation: CancellationToken,
  parts: Pick<BudgetParts, 'prices' | 'before'>,
): Pick<TrainerParts, 'budget' | 'interruption'> {
  const interrupting = new CancellationSource(cancellation);
  const budget = new TrainingBudget({
    ...parts,
    limits,
    clock: ports.clock,
    isHeld: () => ports.episodes.isHeld?.() ?? false,
    onReached: (problem, limit) => {
      ports.budget.end(problem);
      if (limit === 'maxHours') interrupting.cancel();
    },
  });
  return { budget, interruption: interrupting.token };
}

interface TrainerParts {
  readonly request: RunRequest;
  readonly choice: TrainRequest;
  readonly ports: LaunchPorts;
  readonly cancellation: CancellationToken;
  /** Ends what a stopped training still waits for: the end of a step that has begun to change weights, and the last save. */
  readonly late: CancellationToken;
  readonly prepared: Prepared;
  readonly training: TrainPlan;
  readonly text: ModelTextSource;
  readonly toolParser: ToolParser;
  readonly session: TinkerSession;
  readonly folder: TrainingFolder;
  readonly baseModel: string;
  readonly model: TrainedModel;
  readonly budget: TrainingBudget;
  /** The prices of a million tokens; undefined: unknown. */
  readonly prices: TokenCounts | undefined;
  /** Ends episodes: with the training, and at its limit of hours. */
  readonly interruption: CancellationToken;
}

/** Episodes that ran, with their samples by episode. */
interface Rollout {
  readonly results: readonly EpisodeResult[];
  readonly samples: ReadonlyMap<number, readonly TrainingSample[]>;
  readonly trace: string | null | undefined;
  /** Seconds. */
  readonly duration: number;
  /** Writes into the trace what training did with its timelines. */
  trained(timelines: readonly TracedTraining[]): void;
  /** Ends the trace. */
  end(): void;
}

class Trainer {
  readonly #parts: TrainerParts;
  readonly #answering: TinkerModel;
  readonly #tuners = new Map<Prepared, ModelTuner>();
  #sampler: Sampler | undefined;
  #base: Sampler | undefined;
  #validation: Prepared | undefined;
  /** Codes of findings that were reported. */
  readonly #told = new Set<string>();
  #state: TrainingState;
  /** False while a step has changed some of the weights, from which a training cannot continue. */
  #isBetweenSteps = true;
  #hasServer = true;

  constructor(parts: TrainerParts, done: number) {
    const { request, choice, prepared, training, text, session, folder, baseModel } = parts;
    this.#parts = parts;
    this.#answering = createTinkerModel({
      description: `${baseModel} on ${session.server.name}`,
      sampler: () => this.#currentSampler(),
      text: () => text.open(),
      toolParser: parts.toolParser,
      maxContextLength: session.server.models.find(({ name }) => name === baseModel)?.maxContextLength,
      clock: parts.ports.clock,
    });
    this.#state = {
      format: 1,
      config: request.config,
      cwd: request.cwd,
      split: request.split,
      options: optionsOf(request, choice),
      ...serverOf(choice),
      baseModel,
      rank: training.lora.rank,
      seed: prepared.plan.seed,
      loss: training.loss.name,
      batchSize: training.batchSize,
      totalSteps: training.totalSteps,
      checkpoints: [...(folder.state?.checkpoints ?? [])],
      ...(folder.state?.deleted !== undefined && { deleted: folder.state.deleted }),
      step: done,
      status: 'running',
      startedAt: folder.state?.startedAt ?? parts.ports.clock.now(),
    };
  }

  async run(): Promise<void> {
    const { cancellation } = this.#parts;
    try {
      await this.#begin();
      await this.#steps().catch((error: unknown) => {
        if (!hasCode(error, 'tinker/cancelled')) throw error;
      });
      await this.#end(cancellation.isCancelled ? 'cancelled' : 'completed');
    } catch (error) {
      this.#state = { ...this.#state, reason: toReport(error, 'trainer/failed').message };
      this.#hasServer = !hasCode(error, ...serverGone);
      await this.#end(hasCode(error, limitCode) ? 'limit-reached' : 'failed').catch(() => undefined); // the first failure is reported
      throw error;
    } finally {
      for (const tuner of this.#tuners.values()) await tuner.close();
    }
  }

  async #begin(): Promise<void> {
    const { ports, prepared, training, text, session, folder, baseModel, prices } = this.#parts;
    const { plan, config } = prepared;
    const steps = training.totalSteps - this.#state.step;
    const episodes = training.batchSize * plan.repeat;
    ports.emit(
      runStarted(this.#facts(prepared, training.batchSize, episodes), {
        folder: folder.path,
        trace: undefined,
        parallel: plan.parallel,
      }),
    );
    ports.emit({
      type: 'training-started',
      server: session.server.name,
      baseModel,
      step: this.#state.step + 1,
      totalSteps: training.totalSteps,
      batchSize: training.batchSize,
      estimate: estimateOf(config, plan, training, { steps, prices }),
    });
    await text.open();
    await folder.rewind(this.#state.step);
    await this.#saveState();
  }

  /** Trains until the last step or a cancellation, with which requests reject as `tinker/cancelled`. */
  async #steps(): Promise<void> {
    const { training, cancellation } = this.#parts;
    if (this.#state.step === 0 && training.validatesFirst) await this.#validate(0);
    while (this.#state.step < training.totalSteps && !cancellation.isCancelled) {
      const step = this.#state.step + 1;
      this.#parts.budget.beginStep();
      if (!(await this.#step(step))) break;
      if (due(step, training.testEvery) && !this.#isCancelled()) await this.#validate(step);
      if (due(step, training.saveEvery) || step === training.totalSteps) await this.#save();
    }
  }

  /** Resolves to false if the step was interrupted. */
  async #step(step: number): Promise<boolean> {
    const { ports, prepared, model, folder, budget, cancellation } = this.#parts;
    const { clock } = ports;
    const start = clock.monotonic();
    const seconds = (since: number): number => (clock.monotonic() - since) / 1000;
    this.#sampler = await model.sampler(cancellation);
    const synced = seconds(start);
    ports.emit({ type: 'training-phase', phase: 'rollout', step });
    const tasks = this.#tasksOf(step);
    const rollout = await this.#rollOut(prepared, tasks, `step-${String(step).padStart(4, '0')}`, step);
    let metrics: Metrics;
    try {
      if (this.#isInterrupted(rollout, tasks.length * prepared.plan.repeat)) return false;
      await this.#saveState();
      ports.emit({ type: 'training-phase', phase: 'update', step });
      const updating = clock.monotonic();
      const batch = this.#batchOf(rollout, step);
      const updated = batch.samples.length === 0 ? {} : await this.#update(batch.samples, rollout, step);
      metrics = {
        ...rewardMetrics(rollout.results),
        ...batch.metrics,
        ...updated,
        'timing_s/sync': synced,
        'timing_s/rollout': rollout.duration,
        'timing_s/update': seconds(updating),
        'timing_s/step': seconds(start),
      };
    } finally {
      rollout.end();
    }
    budget.endStep();
    this.#isBetweenSteps = true;
    const values = { ...metrics, ...usageMetrics(budget.usage) };
    await folder.log({ kind: 'step', step, at: clock.now(), values });
    await this.#saveState({ step });
    ports.emit({ type: 'training-step', step, metrics: values, ...traceOf(rollout) });
    const steps = this.#state.totalSteps - step;
    const expected = steps > 0 ? budget.expected(steps) : undefined;
    ports.emit({
      type: 'training-usage',
      usage: budget.usage,
      ...(expected && { expected: { steps, ...expected } }),
    });
    return true;
  }

  /** Returns the tasks of a step. Each epoch takes them in another order, by the seed. */
  #tasksOf(step: number): readonly Task[] {
    const { training, prepared } = this.#parts;
    const { batchSize, stepsPerEpoch } = training;
    const epoch = Math.floor((step - 1) / stepsPerEpoch);
    const at = ((step - 1) % stepsPerEpoch) * batchSize;
    return shuffled(prepared.tasks, `epoch ${epoch} ${prepared.plan.seed}`).slice(at, at + batchSize);
  }

  async #rollOut(prepared: Prepared, tasks: readonly Task[], name: string, step: number): Promise<Rollout> {
    const { request, ports, text, folder, interruption: cancellation } = this.#parts;
    const { plan } = prepared;
    const start = ports.clock.monotonic();
    const slots = episodeSlots(tasks, plan.repeat, plan.mode).map((slot) => ({ ...slot, step }));
    const samples = new Map<number, readonly TrainingSample[]>();
    const facts = {
      ...this.#facts(prepared, tasks.length, slots.length),
      training: this.#placeOf(step),
    };
    this.#answering.forget();
    const live = openBatch({
      ...prepared,
      ...{ request, slots, tasks, text, ports, cancellation },
      modelTuner: await this.#tunerOf(prepared),
      openTrace: request.trace === false ? undefined : () => folder.openTrace(name, facts),
      onSamples: ({ episode }, own) => samples.set(episode, own),
    });
    const { tracker, rollout } = live;
    try {
      const results = await runBatch(live);
      const selection = rollout.selection();
      const duration = (ports.clock.monotonic() - start) / 1000;
      const end = (): void => {
        const status = results.length < slots.length ? 'cancelled' : 'completed';
        const endedAt = ports.clock.now();
        tracker.runEnded({ status, error: null, ...(selection && { selection: [...selection] }), endedAt });
      };
      const trained = (timelines: readonly TracedTraining[]): void => tracker.trained(timelines);
      const selected = withSelection([...results], selection ?? []);
      return { results: selected, samples, trace: tracker.trace, duration, trained, end };
    } finally {
      live.close();
    }
  }

  /** @param step 0 for a validation */
  #placeOf(step: number): RunFacts['training'] {
    const { step: weights, checkpoints } = this.#state;
    const saved = checkpoints.find((checkpoint) => checkpoint.step === weights);
    return { step: step === 0 ? null : step, weights, ...(saved && { checkpoint: saved.sampler }) };
  }

  #isInterrupted(rollout: Rollout, episodes: number): boolean {
    if (this.#isCancelled()) return true;
    this.#checkLimits(rollout, episodes);
    const { results } = rollout;
    const failures = results.filter(({ error }) => error !== null);
    if (failures.length > 0 && failures.length === results.length) throw allFailed(failures);
    return false;
  }

  /** Throws if a limit has ended the episodes. */
  #checkLimits({ results }: Rollout, episodes: number): void {
    const { ports, budget } = this.#parts;
    budget.check();
    if (ports.budget.isReached) {
      throw ports.budget.error({ ended: results.length, stopped: 0, total: episodes });
    }
  }

  /** Returns the samples of a step that change the weights. */
  #batchOf(
    { results, samples }: Rollout,
    step: number,
  ): { readonly samples: readonly TrainedSample[]; readonly metrics: Metrics } {
    const { plan } = this.#parts.prepared;
    const trained = this.#trainedOf(results);
    const rows = batchSamples(results, { perEpisode: plan.samplesPerEpisode, seed: plan.seed + step });
    const chosen = rows.flatMap(({ episode, timeline, grpoAdvantage: advantage }) => {
      const sample = samples.get(episode)?.[timeline];
      if (sample === undefined || sample.refusal !== null || !advantage || !trained.has(episode)) return [];
      const datum = datumOf({ sample, advantage });
      return datum === undefined ? [] : [{ episode, timeline, advantage, datum }];
    });
    const rewarded = results.filter(({ reward }) => reward !== null);
    const groups = [...groupBy(rewarded, ({ taskId }) => taskId).values()];
    const equal = groups.filter((group) => group.every(({ reward }) => reward === group[0]?.reward)).length;
    const lengths = [...samples.values()].flat();
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    return {
      samples: chosen,
      metrics: {
        'episodes/not_trained': results.length - trained.size,
        'groups/all': groups.length,
        'groups/equal_rewards': equal,
        'samples/all': rows.length,
        'samples/trained': chosen.length,
        ...(lengths.length > 0 && {
          'prompt_length/mean': mean(lengths.map(({ promptTokens }) => promptTokens)),
          'response_length/mean': mean(
            lengths.map(({ inputIds, promptTokens }) => inputIds.length - promptTokens),
          ),
        }),
      },
    };
  }

  /** Returns the episodes that train by the training report, and warns once of each reason why others do not. */
  #trainedOf(results: readonly EpisodeResult[]): ReadonlySet<number> {
    const { ports, prepared } = this.#parts;
    const terms = {
      repeat: prepared.plan.repeat,
      approximate: false,
      judge: configuredJudge(prepared.config),
    };
    const report = trainingReport(results, terms);
    for (const found of report.findings) {
      const { code } = found;
      if (!preventsTraining(found) || code === 'equal-rewards' || this.#told.has(code)) continue;
      this.#told.add(code);
      warn(ports, notTrained(found));
    }
    return new Set(report.episodes.flatMap(({ episode, trains }) => (trains ? [episode] : [])));
  }

  async #update(samples: readonly TrainedSample[], rollout: Rollout, step: number): Promise<Metrics> {
    const { training, model, session, cancellation, late } = this.#parts;
    const { loss, adam, schedule, miniBatches, passes } = training;
    const learningRate = rateAt(step, schedule);
    const { weighted, bases, metrics } = await this.#withKl(samples.map(({ datum }) => datum));
    const size = Math.ceil(weighted.length / miniBatches);
    let check: LogprobCheck | undefined;
    let last: Readonly<Record<string, number>> = {};
    for (let pass = 0; pass < passes; pass++) {
      for (let at = 0; at < weighted.length; at += size) {
        const part = weighted.slice(at, at + size);
        const scaledPart = scaled(part, session.server.reduction);
        const end = this.#isBetweenSteps ? cancellation : late;
        const result = await model.forwardBackward(scaledPart, loss, end);
        if (pass === 0) {
          const traced = samples.slice(at, at + size).map((sample, index) => {
            const logprobs = result.logprobs[index] ?? new Float32Array();
            return tracedTraining(sample, loss.clip, logprobs, bases?.[at + index]);
          });
          rollout.trained(traced);
        }
        // Later parts are trained with other weights than those that sampled.
        check ??= this.#checked(checkLogprobs(part, result, loss.clip), step);
        this.#isBetweenSteps = false;
        last = await model.optimStep({ ...adam, learningRate }, late);
      }
    }
    return {
      ...metrics,
      ...(check && checkMetrics(check)),
      ...serverMetrics(last),
      'actor/lr': learningRate,
    };
  }

  async #withKl(datums: readonly Datum[]): Promise<{
    readonly weighted: readonly Datum[];
    /** Undefined: no comparison. */
    readonly bases?: readonly Float32Array[];
    readonly metrics: Metrics;
  }> {
    const { training, session, baseModel, cancellation } = this.#parts;
    const { kl } = training;
    if (kl === undefined) return { weighted: datums, metrics: {} };
    const base = (this.#base ??= await session.openSampler({ baseModel }, cancellation));
    const bases = await Promise.all(
      datums.map(async ({ inputIds, targetIds }) => {
        const whole = Int32Array.from([...inputIds.subarray(0, 1), ...targetIds]);
        return (await base.score(whole, cancellation)).subarray(1);
      }),
    );
    const weighted = datums.map((datum, index) =>
      withKl(datum, bases[index] ?? new Float32Array(), kl.coefficient, kl.estimator),
    );
    const metrics = { 'actor/kl_loss': meanKl(datums, bases), 'actor/kl_coef': kl.coefficient };
    return { weighted, bases, metrics };
  }

  /** Throws if the trainer's log probabilities cannot be those of the sampled tokens. */
  #checked(check: LogprobCheck, step: number): LogprobCheck {
    const { meanDifference } = check;
    if (!(meanDifference <= limits.wrong)) throw misaligned(step, meanDifference);
    if (meanDifference > limits.suspicious) warn(this.#parts.ports, drifted(step, check));
    return check;
  }

  async #validate(step: number): Promise<void> {
    const { request, ports, cancellation, folder } = this.#parts;
    ports.emit({ type: 'training-phase', phase: 'validation', step });
    const asked = { ...request, split: 'validation', mode: 'validate' } as const;
    // The problems of the config were reported at the start.
    const quiet: LaunchPorts = { ...ports, emit: (event) => event.type !== 'problem' && ports.emit(event) };
    this.#validation ??= await prepare(asked, undefined, quiet, cancellation);
    const prepared = this.#validation;
    this.#sampler = await this.#parts.model.sampler(cancellation);
    const name = `validation-${String(step).padStart(4, '0')}`;
    const rollout = await this.#rollOut(prepared, prepared.tasks, name, 0);
    rollout.end();
    if (cancellation.isCancelled) return;
    this.#checkLimits(rollout, prepared.slots.length);
    const { meanReward, successRate, failed } = measures(rollout.results);
    const metrics: Metrics = {
      ...(meanReward !== null && { 'val/reward/mean': meanReward }),
      ...(successRate !== null && { 'val/success_rate': successRate }),
      'val/failed': failed,
      'timing_s/testing': rollout.duration,
    };
    await folder.log({ kind: 'validation', step, at: ports.clock.now(), values: metrics });
    ports.emit({ type: 'training-validation', step, metrics, ...traceOf(rollout) });
  }

  /** Saves the weights of the last step, unless they are saved or can no longer be. */
  async #save(): Promise<void> {
    const { ports, model, late } = this.#parts;
    const { step, checkpoints, deleted } = this.#state;
    if (step === 0 || checkpoints.at(-1)?.step === step || !this.#isBetweenSteps || !this.#hasServer) return;
    ports.emit({ type: 'training-phase', phase: 'checkpoint', step });
    const name = `step-${step}`;
    const path = await model.save(name, late);
    const sampler = await model.saveForSampling(name, late);
    const checkpoint = { step, path, sampler };
    await this.#saveState({
      checkpoints: [...checkpoints, { ...checkpoint, savedAt: ports.clock.now() }],
      ...(deleted !== undefined && { deleted: deleted.filter((one) => one !== step) }),
    });
    ports.emit({ type: 'training-checkpoint', ...checkpoint });
  }

  async #end(status: TrainingState['status']): Promise<void> {
    const { ports, budget } = this.#parts;
    await this.#save().catch((error: unknown) => {
      if (!hasCode(error, 'tinker/cancelled')) throw error;
      warn(ports, notSaved(this.#state));
    });
    await this.#saveState({ status });
    ports.emit({ type: 'training-usage', usage: budget.usage });
  }

  /** Writes the state into the folder, with what the training has used so far. */
  async #saveState(changes: Partial<TrainingState> = {}): Promise<void> {
    const { folder, budget } = this.#parts;
    const { usage, stepUsage } = budget;
    this.#state = { ...this.#state, ...changes, usage, ...(stepUsage && { stepUsage }) };
    await folder.save(this.#state);
  }

  #isCancelled(): boolean {
    return this.#parts.cancellation.isCancelled;
  }

  #currentSampler(): Sampler {
    if (this.#sampler === undefined) throw new Error('There are no weights to sample from.');
    return this.#sampler;
  }

  async #tunerOf(prepared: Prepared): Promise<ModelTuner> {
    const { request, ports, text } = this.#parts;
    const opened =
      this.#tuners.get(prepared) ??
      (await ports.openModelTuner(request, prepared.plan, text, this.#answering));
    this.#tuners.set(prepared, opened);
    return opened;
  }

  #facts(prepared: Prepared, tasks: number, episodes: number): ReturnType<typeof factsOf> {
    const { request, ports, text } = this.#parts;
    return factsOf(request, prepared.plan, {
      workflowFile: prepared.workflow.file,
      judge: configuredJudge(prepared.config),
      model: this.#answering.description,
      tokenizer: text.note,
      tasks,
      episodes,
      startedAt: ports.clock.now(),
    });
  }
}

/** Milliseconds for the last save of a stopped training. The editor kills its process after three minutes. */
const lastSaveTime = 150_000;

/** Failures after which the server saves nothing. */
const serverGone = ['tinker/no-server', 'tinker/session-over', 'tinker/model-lost', 'tinker/no-funds'];

const limits = {
  /** Mean difference of log probabilities above which something is likely wrong, and above which it is. */
  suspicious: 0.05,
  wrong: 1,
} as const;

/** Returns the options that decide what a training does, apart from those that its state has by themselves. */
function optionsOf(
  request: RunRequest,
  { rehearsal, maxHours, maxTokens, maxCost, prices }: TrainRequest,
): TrainingState['options'] {
  const {
    firstTasks: tasks,
    taskIds,
    repeat,
    trainableTargets,
    tokenizer,
    episodeTimeout,
    parallel,
  } = request;
  const python = request.python?.executable;
  const { package: ajetPackage, pluginDirs } = request.python ?? {};
  const all = { tasks, taskIds, repeat, trainableTargets, tokenizer, episodeTimeout, parallel, rehearsal };
  const limits = { maxHours, maxTokens, maxCost, prices };
  const options = { ...all, ...limits, python, ajetPackage, pluginDirs };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Returns the server for a later process. A tunnel then has another address. Passwords stay out of files. */
function serverOf({ host, baseUrl }: TrainRequest): Pick<TrainingState, 'tinkerHost' | 'baseUrl'> {
  if (host !== undefined) return { tinkerHost: host };
  return baseUrl === undefined ? {} : { baseUrl: writeUrl(baseUrl) };
}

function due(step: number, every: number | undefined): boolean {
  return every !== undefined && step % every === 0;
}

function shuffled<T>(items: readonly T[], key: string): readonly T[] {
  const random = new Random(key);
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other] as T, order[at] as T];
  }
  return order;
}

function rewardMetrics(results: readonly EpisodeResult[]): Metrics {
  const rewards = results.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const { meanReward, successRate, failed } = measures(results);
  return {
    ...(meanReward !== null && {
      'critic/rewards/mean': meanReward,
      'critic/rewards/max': Math.max(...rewards),
      'critic/rewards/min': Math.min(...rewards),
    }),
    ...(successRate !== null && { 'critic/success_rate': successRate }),
    'episodes/failed': failed,
  };
}

function checkMetrics(check: LogprobCheck): Metrics {
  return {
    'training/logprob_diff_mean': check.meanDifference,
    'training/logprob_diff_max': check.mostDifference,
    'training/ratio_mean': check.meanRatio,
    'training/ratio_worst': check.worstRatio,
    'actor/pg_clipfrac': check.clipped,
    'actor/entropy': check.entropy,
    'tokens/trained': check.tokens,
  };
}

function usageMetrics({ prefill, sample, train, seconds, cost }: TrainingUsage): Metrics {
  return {
    'usage/prefill_tokens': prefill,
    'usage/sample_tokens': sample,
    'usage/train_tokens': train,
    'usage/hours': seconds / secondsPerHour,
    ...(cost !== undefined && { 'usage/cost': cost }),
  };
}

/** Names of servers, as the charts know them. Others keep theirs. */
function serverMetrics(values: Readonly<Record<string, number>>): Metrics {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      /(?:^|[./])grad_norm(?::\w+)?$/.test(name) ? 'actor/grad_norm' : `server/${name}`,
      value,
    ]),
  );
}

function traceOf({ trace }: Rollout): { readonly trace?: string | null } {
  return trace === undefined ? {} : { trace };
}

function baseModelOf(
  { baseModel }: TrainRequest,
  { server }: TinkerSession,
  modelPath: string | null,
): string {
  const names = server.models.map(({ name }) => name);
  const wanted = baseModel ?? modelPath ?? undefined;
  if (wanted !== undefined && names.includes(wanted)) return wanted;
  const [only, ...others] = names;
  if (baseModel === undefined && only !== undefined && others.length === 0) return only;
  throw new CodedError({
    code: 'trainer/no-such-model',
    message: `${server.name} does not have the model ${JSON.stringify(wanted ?? '')}.`,
    hint: `Set --base-model (launch.json: baseModel) to one that it has: ${names.join(', ')}.`,
  });
}

/** Warns if the newest checkpoint was deleted. Throws if all were. */
function reportDeleted({ checkpoints, deleted = [] }: TrainingState, ports: LaunchPorts): void {
  const last = checkpoints.at(-1)?.step;
  const newest = Math.max(-1, ...deleted);
  if (last === undefined && deleted.length > 0) throw allDeleted(deleted);
  if (last !== undefined && newest > last) warn(ports, newestDeleted(newest, last));
}

function allDeleted(steps: readonly number[]): CodedError {
  return new CodedError({
    code: 'trainer/checkpoints-deleted',
    message: `The training cannot continue, because its checkpoints were deleted (step ${steps.join(', ')}).`,
    hint: 'Start a new training.',
  });
}

function newestDeleted(newest: number, last: number): CodedError {
  return new CodedError({
    code: 'trainer/newest-deleted',
    message: `The checkpoint of step ${newest} was deleted, so the training continues after step ${last}.`,
    hint: 'The steps after it are trained again.',
  });
}

/** With another batch size, a step of the same number has other tasks. */
function otherBatch(config: Config, before: TrainingState, { batchSize }: TrainPlan): CodedError {
  return new CodedError({
    code: 'trainer/other-batch',
    message: `The training began with ${before.batchSize} tasks per step, and now a step has ${batchSize}.`,
    location: config.locate('ajet.data.train_batch_size'),
    hint: `Set it to ${before.batchSize} again, or start a new training.`,
  });
}

function otherTokenizer(modelPath: string | null, used: string): CodedError {
  return new CodedError({
    code: 'trainer/tokenizer',
    message: `The tokenizer of ${modelPath ?? 'the model'} is not on this machine, and training with that of ${used} would train on wrong tokens.`,
    hint: 'Download it with `agentjet tokenizer`, or name its folder with --tokenizer (launch.json: tokenizer).',
  });
}

function allFailed(failures: readonly EpisodeResult[]): CodedError {
  const [first] = failures;
  const { error } = first ?? {};
  return new CodedError({
    code: 'trainer/all-failed',
    message: `All ${failures.length} episodes of the step failed, the first with: ${error?.message ?? ''}`,
    location: error?.location,
    hint: error?.hint ?? 'Debug the workflow with --backbone debug first.',
  });
}

function notTrained({ code, message, count }: CommonFinding): CodedError {
  return new CodedError({
    code: 'trainer/not-trained',
    message: `${count === 1 ? 'An episode does' : `${count} episodes do`} not train: ${message} [${code}]`,
    hint: hintOf(code),
  });
}

function notSaved({ step, checkpoints }: TrainingState): CodedError {
  const last = checkpoints.at(-1)?.step;
  return new CodedError({
    code: 'trainer/not-saved',
    message: `The server did not save the weights of step ${step} in time.`,
    hint: `Resume trains again from ${last === undefined ? 'the beginning' : `step ${last}`}.`,
  });
}

function drifted(step: number, { meanDifference, mostDifference }: LogprobCheck): CodedError {
  return new CodedError({
    code: 'trainer/logprobs-differ',
    message: `Step ${step}: the log probabilities of trainer and sampler differ by ${meanDifference.toFixed(3)} in the mean, and by up to ${mostDifference.toFixed(2)}.`,
    hint: 'The tokens that were sampled may not be those that are trained. Look for findings about tokens in the trace of the step.',
  });
}

function misaligned(step: number, difference: number): CodedError {
  return new CodedError({
    code: 'trainer/logprobs-wrong',
    message: `Step ${step}: the log probabilities of trainer and sampler differ by ${difference.toFixed(2)} in the mean, so training would learn from wrong tokens.`,
    hint: 'Check that the tokenizer is that of the model on the server. No weights were changed in this step.',
  });
}
