import * as z from 'zod/mini';
import { hashText } from '../../../base/core/random.ts';
import { runState, type RunEvent } from '../protocol/runs.ts';
import {
  alarmState,
  checkMetrics,
  noAlarms,
  noteAlarm,
  notePhase,
  noteSign,
  noteStage,
  outOfMemory,
  type Checked,
} from './alarms.ts';
import {
  checkpointIn,
  exceptionIn,
  failureIn,
  isOutOfMemory,
  phaseIn,
  renamedFolderIn,
  stageIn,
  type FoundPhase,
  type FoundStage,
} from './markers.ts';
import { metricsIn, rewardIn, tellsStep, type FoundMetrics } from './metrics.ts';
import { isOfService } from './sources.ts';

/** A checkpoint that was told of. */
const savedStep = z.object({ step: z.int(), stage: z.nullable(z.int()) });

/** What a run's events come to; a JSON value. */
const foldState = z.object({
  /** The number of the newest. */
  seq: z.int(),
  state: runState,
  stateAt: z.number(),
  reason: z.nullable(z.string()),
  exitCode: z.nullable(z.int()),
  phase: z.nullable(z.string()),
  rank: z.int(),
  step: z.nullable(z.int()),
  reward: z.nullable(z.number()),
  rewardRank: z.int(),
  /** Bytes of each source that are events. */
  to: z.record(z.string(), z.int()),
  /** Metrics that came of late: a line can come by its actor's file and through the driver. */
  metrics: z.array(z.string()),
  /** Which of several goes on, counted from 1; null: there are none, or that was not told. */
  stage: z.nullable(z.int()),
  checkpoints: z.array(savedStep),
  /** As the log tells of other folders for the job or for its stages: the names before and after. */
  renamed: z.array(z.object({ from: z.string(), to: z.string() })),
  failure: z.nullable(z.string()),
  exception: z.nullable(z.string()),
  alarms: alarmState,
});
export type FoldState = z.infer<typeof foldState>;

type Body<E> = E extends unknown ? Omit<E, 'seq' | 'at'> : never;
/** An event before it is numbered. */
export type RunEventBody = Body<RunEvent>;
export type LogEvent = Extract<RunEvent, { type: 'log' }>;
type MetricsEvent = Extract<RunEvent, { type: 'metrics' }>;

interface LineFacts {
  readonly text: string;
  readonly metrics: FoundMetrics | undefined;
  /** That it says has begun. */
  readonly begun: FoundStage | undefined;
  readonly phase: FoundPhase | undefined;
  /** What the events that it brings are of. */
  readonly of: { readonly stage?: number };
}

const remembered = 64;
/** Beyond any curve's rank. */
const noReward = 1_000;

const beginning: FoldState = {
  seq: 0,
  state: 'queued',
  stateAt: 0,
  reason: null,
  exitCode: null,
  phase: null,
  rank: 0,
  step: null,
  reward: null,
  rewardRank: noReward,
  to: {},
  metrics: [],
  stage: null,
  checkpoints: [],
  renamed: [],
  failure: null,
  exception: null,
  alarms: noAlarms,
};

/**
 * The state of a run as its events make it: the same after it was read again from the file. {@link take} tells which events
 * an event brings with it; whoever writes the file puts them right after it, and who finds a file that ends between them
 * makes those that lack.
 */
export class RunFold {
  readonly #state: FoldState;

  constructor(state?: FoldState) {
    this.#state = state ?? { ...beginning, to: {} };
  }

  /** Undefined: it is none. */
  static decode(value: unknown): RunFold | undefined {
    const decoded = foldState.safeParse(value);
    return decoded.success ? new RunFold(decoded.data) : undefined;
  }

  /** Changes with the next event. */
  get state(): Readonly<FoldState> {
    return this.#state;
  }

  /** @returns what the event brings with it */
  take(event: RunEvent): RunEventBody[] {
    const state = this.#state;
    state.seq = event.seq;
    switch (event.type) {
      case 'state':
        state.state = event.state;
        state.stateAt = event.at;
        state.reason = event.reason ?? null;
        state.exitCode = event.exitCode ?? state.exitCode;
        break;
      case 'log':
        return this.#takeLog(state, event);
      case 'metrics':
        return this.#takeMetrics(state, event);
      case 'phase':
        state.phase = event.phase;
        state.alarms = noteSign(state.alarms);
        break;
      case 'checkpoint':
        state.checkpoints = [...state.checkpoints, { step: event.step, stage: event.stage ?? null }].slice(
          -remembered,
        );
        state.alarms = noteSign(state.alarms);
        break;
      case 'alarm':
        state.alarms = noteAlarm(state.alarms, event.alarm);
        break;
      case 'notice':
        break;
    }
    return [];
  }

  hasCheckpoint(step: number, stage?: number): boolean {
    return this.#state.checkpoints.some((one) => one.step === step && one.stage === (stage ?? null));
  }

  #takeLog(state: FoldState, { source, lines, to, stage }: LogEvent): RunEventBody[] {
    state.to[source] = to;
    // Actors of a stage can be heard before the driver says that it has begun.
    if (stage !== undefined) enterStage(state, stage);
    return lines.flatMap((text) => {
      const begun = stageIn(text);
      if (begun !== undefined) enterStage(state, begun.number);
      const own = stage ?? state.stage;
      const facts: LineFacts = {
        text,
        metrics: metricsIn(text, source),
        begun,
        // What is read late of a stage that has ended says nothing of the one that goes on.
        phase: isLate(state, own) ? undefined : phaseIn(text),
        of: own === null ? {} : { stage: own },
      };
      const brought = this.#broughtBy(facts);
      this.#takeLine(state, facts);
      // A service's own troubles are seldom why training fails.
      if (stage !== undefined || !isOfService(source)) state.exception = exceptionIn(text) ?? state.exception;
      return brought;
    });
  }

  #broughtBy({ text, metrics, begun, phase, of }: LineFacts): RunEventBody[] {
    const found: RunEventBody[] = [];
    const tells = metrics !== undefined && !isLate(this.#state, of.stage) && tellsStep(metrics.values);
    if (metrics !== undefined && !this.#state.metrics.includes(keyOf(metrics))) {
      found.push({ type: 'metrics', ...metrics, ...of });
    }
    if (begun !== undefined) found.push({ type: 'phase', phase: `stage ${begun.number}/${begun.of}` });
    else if (phase !== undefined && phase.rank > this.#state.rank && phase.phase !== this.#state.phase) {
      found.push({ type: 'phase', phase: phase.phase });
    } else if (tells && this.#state.rank < trainingRank) {
      found.push({ type: 'phase', phase: 'training' });
    }
    const step = checkpointIn(text);
    if (step !== undefined && !this.hasCheckpoint(step, of.stage)) {
      found.push({ type: 'checkpoint', step, ...of });
    }
    if (isOutOfMemory(text)) {
      const { raised } = outOfMemory(this.#state.alarms, text);
      found.push(...raised.map((alarm) => ({ type: 'alarm' as const, ...alarm })));
    }
    return found;
  }

  #takeLine(state: FoldState, { text, metrics, phase, of }: LineFacts): void {
    if (phase !== undefined) {
      state.rank = Math.max(phase.rank, state.rank);
      state.alarms = notePhase(state.alarms, phase.phase);
    } else if (metrics !== undefined && !isLate(state, of.stage)) {
      if (tellsStep(metrics.values)) state.rank = Math.max(trainingRank, state.rank);
      state.alarms = noteSign(state.alarms);
    }
    const failure = failureIn(text);
    // Upstream goes on with the next stage: it would pass for the reason why that one failed.
    if (failure !== undefined) {
      state.failure ??= of.stage === undefined ? failure : `In stage ${of.stage}: ${failure}`;
    }
    const renamed = renamedFolderIn(text);
    if (renamed !== undefined) state.renamed = [...state.renamed, renamed].slice(-remembered);
  }

  #takeMetrics(state: FoldState, event: MetricsEvent): RunEventBody[] {
    state.metrics = [...state.metrics, keyOf(event)].slice(-remembered);
    if (isLate(state, event.stage)) return [];
    state.step = Math.max(state.step ?? 0, event.step);
    const checked = this.#checked(event);
    const reward = rewardIn(event.values);
    if (reward !== undefined && reward.rank <= state.rewardRank) {
      state.reward = reward.value;
      state.rewardRank = reward.rank;
    }
    state.alarms = checked.state;
    return checked.raised.map((alarm) => ({ type: 'alarm', ...alarm }));
  }

  #checked(found: MetricsEvent): Checked {
    const reward = rewardIn(found.values);
    const { alarms, rewardRank } = this.#state;
    const counts = reward !== undefined && reward.rank <= rewardRank;
    // What came before a better curve is of another.
    const before = counts && reward.rank < rewardRank ? { ...alarms, rewards: [] } : alarms;
    return checkMetrics(before, found, counts ? reward.value : undefined);
  }
}

const trainingRank = 7;

/** Of a stage that ended before the one that goes on began. */
function isLate(state: FoldState, stage: number | null | undefined): boolean {
  return (stage ?? Infinity) < (state.stage ?? 0);
}

/** Steps, rewards and phases begin again; unless it has begun already. */
function enterStage(state: FoldState, stage: number): void {
  if (stage <= (state.stage ?? 0)) return;
  state.stage = stage;
  state.rank = 0;
  state.step = null;
  state.reward = null;
  state.rewardRank = noReward;
  state.alarms = noteStage(state.alarms);
}

function keyOf({ role, step, values }: Pick<MetricsEvent, 'role' | 'step' | 'values'>): string {
  return `${role} ${step} ${hashText(JSON.stringify(values)).toString(36)}`;
}
