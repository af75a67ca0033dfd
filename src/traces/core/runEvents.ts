/** Events of our own on top of the protocol's, for clients that show traces; others ignore them. */
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
  /** How many it is to have. */
  readonly episodes: number;
}

/** Body of `agentjet.runProgress`, which comes when an episode has ended. */
export interface RunProgressBody {
  readonly trace: string;
  /** Episodes so far. */
  readonly ended: number;
  /** Of these. */
  readonly failed: number;
}

/** Body of `agentjet.runEnded`, which comes once the process is gone and the trace is complete. */
export interface RunEndedBody extends RunStartedBody {
  /** `cancelled`: the user stopped it, whether or not it could still say so; `died`: it went without a word. */
  readonly status: 'completed' | 'cancelled' | 'failed' | 'died';
}
