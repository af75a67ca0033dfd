/** The phases of a run that is a Tinker server. */
export const tinkerPhases = {
  /** Its process runs and does not answer yet. */
  starting: 'starting the server',
  serving: 'serving',
  /** It has answered before and does not now. */
  silent: 'not answering',
} as const;
export type TinkerPhase = (typeof tinkerPhases)[keyof typeof tinkerPhases];
