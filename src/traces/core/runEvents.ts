/** AgentJet's own debug adapter events, for clients that show traces. Other clients ignore them. */
export const traceEventNames = {
  started: 'agentjet.runStarted',
  progressed: 'agentjet.runProgress',
  ended: 'agentjet.runEnded',
} as const;

/** The events of a run that trains, in place of those of a trace. Each step and validation has a trace. */
export const trainingEventNames = {
  started: 'agentjet.trainingStarted',
  progressed: 'agentjet.trainingProgress',
  ended: 'agentjet.trainingEnded',
} as const;

/** Body of `agentjet.trainingStarted`. */
export interface TrainingStartedBody {
  /** Absolute. */
  readonly folder: string;
  readonly experiment: string;
  /** The steps that are done. */
  readonly step: number;
  readonly totalSteps: number;
}

/** Body of `agentjet.trainingProgress`, which is sent after a step or validation. */
export interface TrainingProgressBody {
  readonly folder: string;
  readonly step: number;
  /** The trace of the step or validation, absolute. */
  readonly trace?: string;
}

/** Body of `agentjet.trainingEnded`, which is sent when the process has ended. */
export interface TrainingEndedBody extends Pick<RunEndedBody, 'status'> {
  readonly folder: string;
}

/** Body of `agentjet.runStarted`. Paths are absolute. */
export interface RunStartedBody {
  readonly trace: string;
  readonly folder: string;
  readonly experiment: string;
  /** The planned number of episodes. */
  readonly episodes: number;
}

/** Body of `agentjet.runProgress`, which is sent when an episode has ended. */
export interface RunProgressBody {
  readonly trace: string;
  readonly ended: number;
  readonly failed: number;
}

/** Body of `agentjet.runEnded`, which is sent when the process has ended and the trace is complete. */
export interface RunEndedBody extends RunStartedBody {
  /** `cancelled`: the user stopped it, with or without a last message. `died`: it ended without a message. */
  readonly status: 'completed' | 'cancelled' | 'failed' | 'died';
}
