import * as z from 'zod/mini';
import { hashText } from '../../base/hash.ts';
import { runState, type RunEvent } from '../../protocol/host/runs.ts';
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
} from './markers.ts';
import { metricsIn, rewardIn, tellsStep, type FoundMetrics } from './metrics.ts';
import { isOfService } from './sources.ts';

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
  checkpoints: z.array(z.int()),
  /** As the log tells of another folder for the job: the names before and after. */
  renamed: z.nullable(z.object({ from: z.string(), to: z.string() })),
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
  readonly stage: string | undefined;
  readonly phase: FoundPhase | undefined;
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
  checkpoints: [],
  renamed: null,
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
        state.checkpoints = [...state.checkpoints, event.step].slice(-remembered);
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

  hasCheckpoint(step: number): boolean {
    return this.#state.checkpoints.includes(step);
  }

  #takeLog(state: FoldState, { source, lines, to }: LogEvent): RunEventBody[] {
    state.to[source] = to;
    return lines.flatMap((text) => {
      const facts = { text, metrics: metricsIn(text, source), stage: stageIn(text), phase: phaseIn(text) };
      const brought = this.#broughtBy(facts);
      this.#takeLine(state, facts);
      // A service's own troubles are seldom why training fails.
      if (!isOfService(source)) state.exception = exceptionIn(text) ?? state.exception;
      return brought;
    });
  }

  #broughtBy({ text, metrics, stage, phase }: LineFacts): RunEventBody[] {
    const found: RunEventBody[] = [];
    if (metrics !== undefined && !this.#state.metrics.includes(keyOf(metrics))) {
      found.push({ type: 'metrics', ...metrics });
    }
    if (stage !== undefined) found.push({ type: 'phase', phase: `stage ${stage}` });
    else if (phase !== undefined && phase.rank > this.#state.rank && phase.phase !== this.#state.phase) {
      found.push({ type: 'phase', phase: phase.phase });
    } else if (metrics !== undefined && tellsStep(metrics.values) && this.#state.rank < trainingRank) {
      found.push({ type: 'phase', phase: 'training' });
    }
    const step = checkpointIn(text);
    if (step !== undefined && !this.hasCheckpoint(step)) found.push({ type: 'checkpoint', step });
    if (isOutOfMemory(text)) {
      const { raised } = outOfMemory(this.#state.alarms, text);
      found.push(...raised.map((alarm) => ({ type: 'alarm' as const, ...alarm })));
    }
    return found;
  }

  #takeLine(state: FoldState, { text, metrics, stage, phase }: LineFacts): void {
    if (stage !== undefined) state.rank = 0;
    else if (phase !== undefined) state.rank = Math.max(phase.rank, state.rank);
    else if (metrics !== undefined && tellsStep(metrics.values)) {
      state.rank = Math.max(trainingRank, state.rank);
    }
    if (stage !== undefined) state.alarms = noteStage(state.alarms);
    else if (phase !== undefined) state.alarms = notePhase(state.alarms, phase.phase);
    else if (metrics !== undefined) state.alarms = noteSign(state.alarms);
    state.failure ??= failureIn(text) ?? null;
    state.renamed = renamedFolderIn(text) ?? state.renamed;
  }

  #takeMetrics(state: FoldState, event: MetricsEvent): RunEventBody[] {
    const checked = this.#checked(event);
    state.metrics = [...state.metrics, keyOf(event)].slice(-remembered);
    state.step = Math.max(state.step ?? 0, event.step);
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

function keyOf({ role, step, values }: Pick<MetricsEvent, 'role' | 'step' | 'values'>): string {
  return `${role} ${step} ${hashText(JSON.stringify(values)).toString(36)}`;
}
