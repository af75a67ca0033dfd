import * as z from 'zod/mini';
import { hashText } from '../../../base/core/random.ts';
import { runState, type RunEvent } from '../protocol/runs.ts';
import {
  alarmState,
  checkMetrics,
  noAlarms,
  noteAlarm,
  notePhase,
  noteProgress,
  noteStage,
  outOfMemory,
} from './alarms.ts';
import {
  checkpointIn,
  exceptionIn,
  failureIn,
  isOutOfMemory,
  phaseIn,
  phaseRank,
  renamedFolderIn,
  stageIn,
  type PhaseStart,
  type StageStart,
  isServiceSource,
} from './markers.ts';
import { metricsIn, rewardIn, hasStepMetrics, type StepMetrics } from './metrics.ts';
import { lineLimit } from './lines.ts';

const savedStep = z.object({ step: z.int(), stage: z.nullable(z.int()) });

/** The state of a run after its events, as a JSON value. */
const foldState = z.object({
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
  /** The bytes of each source that are already events. */
  to: z.record(z.string(), z.int()),
  /** Recent metrics, because a line can arrive twice: in its actor's file and through the driver. */
  metrics: z.array(z.string()),
  /** The current stage, from 1; null if there is none or it is unknown. */
  stage: z.nullable(z.int()),
  checkpoints: z.array(savedStep),
  /** Renamed folders of the job or its stages, from the log. */
  renamed: z.array(z.object({ from: z.string(), to: z.string() })),
  failure: z.nullable(z.string()),
  exception: z.nullable(z.string()),
  alarms: alarmState,
});
export type FoldState = z.infer<typeof foldState>;
type Body<E> = E extends unknown ? Omit<E, 'seq' | 'at'> : never;
export type RunEventBody = Body<RunEvent>;
export type LogEvent = Extract<RunEvent, { type: 'log' }>;
type MetricsEvent = Extract<RunEvent, { type: 'metrics' }>;

interface LineFacts {
  readonly text: string;
  readonly metrics: StepMetrics | undefined;
  readonly begun: StageStart | undefined;
  readonly phase: PhaseStart | undefined;
  /** The stage of the events that follow from the line. */
  readonly of: { readonly stage?: number };
}

const remembered = 64;
/** A rank above that of any reward curve. */
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
 * Computes the state of a run from its events, with the same result after a restart. {@link take} returns the events
 * that follow from an event. The writer of the file appends them right after it. A reader that finds a file without
 * them creates them.
 */
export class RunFold {
  readonly #state: FoldState;

  constructor(state?: FoldState) {
    this.#state = state ?? { ...beginning, to: {} };
  }

  /** Returns undefined if the value is not a state. */
  static decode(value: unknown): RunFold | undefined {
    const decoded = foldState.safeParse(value);
    return decoded.success ? new RunFold(decoded.data) : undefined;
  }

  /** The current state. It changes with the next event. */
  get state(): Readonly<FoldState> {
    return this.#state;
  }

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
        state.rank = Math.max(state.rank, phaseRank(event.phase));
        state.alarms = noteProgress(state.alarms);
        break;
      case 'checkpoint':
        state.checkpoints = kept(state.checkpoints, { step: event.step, stage: event.stage ?? null });
        state.alarms = noteProgress(state.alarms);
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
    // Actors of a stage can log before the driver reports its start.
    if (stage !== undefined) enterStage(state, stage);
    return lines.flatMap((text) => {
      const begun = stageIn(text);
      if (begun !== undefined) enterStage(state, begun.number);
      const own = stage ?? state.stage;
      const facts: LineFacts = {
        text,
        metrics: metricsIn(text, source),
        begun,
        // Late lines of an ended stage do not change the phase of the current one.
        phase: isLate(state, own) ? undefined : phaseIn(text),
        of: own === null ? {} : { stage: own },
      };
      const brought = this.#broughtBy(state, facts);
      this.#takeLine(state, facts);
      // Errors of a service are rarely the reason why training fails.
      if (stage !== undefined || !isServiceSource(source))
        state.exception = exceptionIn(text) ?? state.exception;
      return brought;
    });
  }

  #broughtBy(state: FoldState, { text, metrics, begun, phase, of }: LineFacts): RunEventBody[] {
    const found: RunEventBody[] = [];
    if (metrics !== undefined && !state.metrics.includes(keyOf(metrics))) {
      found.push({ type: 'metrics', ...metrics, ...of });
    }
    if (begun !== undefined) found.push({ type: 'phase', phase: `stage ${begun.number}/${begun.of}` });
    else if (phase !== undefined && phase.rank > state.rank && phase.phase !== state.phase) {
      found.push({ type: 'phase', phase: phase.phase });
    } else if (isStep(state, metrics, of.stage) && state.rank < trainingRank) {
      found.push({ type: 'phase', phase: 'training' });
    }
    const step = checkpointIn(text);
    if (step !== undefined && !this.hasCheckpoint(step, of.stage)) {
      found.push({ type: 'checkpoint', step, ...of });
    }
    if (isOutOfMemory(text)) {
      const { raised } = outOfMemory(state.alarms, text);
      found.push(...raised.map((alarm) => ({ type: 'alarm' as const, ...alarm })));
    }
    return found;
  }

  #takeLine(state: FoldState, { text, metrics, phase, of }: LineFacts): void {
    if (phase !== undefined) {
      state.rank = Math.max(phase.rank, state.rank);
      state.alarms = notePhase(state.alarms, phase.phase);
    } else if (metrics !== undefined && !isLate(state, of.stage)) {
      if (isStep(state, metrics, of.stage)) state.rank = Math.max(trainingRank, state.rank);
      state.alarms = noteProgress(state.alarms);
    }
    const failure = failureIn(text);
    // Upstream continues with the next stage, which would otherwise get the blame.
    if (failure !== undefined) {
      state.failure ??= of.stage === undefined ? failure : `In stage ${of.stage}: ${failure}`;
    }
    const renamed = renamedFolderIn(text);
    if (renamed !== undefined) state.renamed = kept(state.renamed, renamed);
  }

  #takeMetrics(state: FoldState, event: MetricsEvent): RunEventBody[] {
    state.metrics = kept(state.metrics, keyOf(event));
    if (isLate(state, event.stage)) return [];
    state.step = Math.max(state.step ?? 0, event.step);
    const found = rewardIn(event.values);
    const reward = found !== undefined && found.rank <= state.rewardRank ? found : undefined;
    // Rewards before a better curve belong to another curve.
    const isBetter = reward !== undefined && reward.rank < state.rewardRank;
    const before = isBetter ? { ...state.alarms, rewards: [] } : state.alarms;
    const checked = checkMetrics(before, event, reward?.value);
    state.alarms = checked.state;
    if (reward !== undefined) {
      state.reward = reward.value;
      state.rewardRank = reward.rank;
    }
    return checked.raised.map((alarm) => ({ type: 'alarm', ...alarm }));
  }
}

const trainingRank = 7;

function kept<T>(list: readonly T[], item: T): T[] {
  return [...list, item].slice(-remembered);
}

/** Returns true if a stage ended before the current one began. */
function isLate(state: FoldState, stage: number | null | undefined): boolean {
  return (stage ?? Infinity) < (state.stage ?? 0);
}

function isStep(state: FoldState, metrics: StepMetrics | undefined, stage: number | undefined): boolean {
  return metrics !== undefined && !isLate(state, stage) && hasStepMetrics(metrics.values);
}

/** Enters a stage, in which steps, rewards and phases begin again, unless it has begun already. */
function enterStage(state: FoldState, stage: number): void {
  if (stage <= (state.stage ?? 0)) return;
  state.stage = stage;
  state.rank = 0;
  state.step = null;
  state.reward = null;
  state.rewardRank = noReward;
  state.alarms = noteStage(state.alarms);
}

function keyOf({ role, step, values }: StepMetrics): string {
  return `${role} ${step} ${hashText(JSON.stringify(values)).toString(36)}`;
}

interface OpenEvent {
  readonly event: LogEvent;
  /** The length of its lines with their ends, so that empty lines count. */
  readonly length: number;
}

/**
 * Numbers events, each with the events that follow from it. Consecutive lines of one source become one event, up to
 * the first that causes another event or continues in the next. A hundred thousand lines per second become a few
 * hundred events.
 *
 * @param bodies log events with one line each
 */
export function* numberEvents(
  fold: RunFold,
  bodies: readonly RunEventBody[],
  at: number,
): Generator<readonly RunEvent[], void, undefined> {
  let open: OpenEvent | undefined;
  for (const body of bodies) {
    if (open !== undefined && !isJoinable(open, body)) {
      yield [open.event];
      open = undefined;
    }
    const event: RunEvent = { seq: open?.event.seq ?? fold.state.seq + 1, at, ...body };
    const brought = fold.take(event);
    if (event.type === 'log') {
      open = joined(open, event);
      if (brought.length === 0 && event.part !== true) continue;
    }
    const events: RunEvent[] = [open?.event ?? event];
    open = undefined;
    for (const one of brought) {
      const next: RunEvent = { seq: fold.state.seq + 1, at, ...one };
      events.push(next);
      brought.push(...fold.take(next));
    }
    yield events;
  }
  if (open !== undefined) yield [open.event];
}

function isJoinable({ event, length }: OpenEvent, next: RunEventBody): boolean {
  return next.type === 'log' && next.source === event.source && length + lengthOf(next.lines) <= lineLimit;
}

function joined(open: OpenEvent | undefined, event: LogEvent): OpenEvent {
  const length = lengthOf(event.lines);
  if (open === undefined) return { event: { ...event, lines: [...event.lines] }, length };
  const { lines } = open.event;
  lines.push(...event.lines);
  return { event: { ...event, lines }, length: open.length + length };
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
