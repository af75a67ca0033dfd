/** AgentJet's own debug adapter events, for clients that show traces. Other clients ignore them. */
export const traceEventNames = {
  started: 'agentjet.runStarted',
  progressed: 'agentjet.runProgress',
  ended: 'agentjet.runEnded',
} as const;

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
