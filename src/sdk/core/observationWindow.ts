/** What is going on in the episodes of a run, by `taskThreadIndex`; every workflow may look at all of them. */
export interface ObservationWindow {
  /** Steps taken in the environment; −1 once the episode has ended well. */
  readonly step: readonly number[];
  /** Tokens generated. */
  readonly token: readonly number[];
  /** Whether the episode is no longer wanted: what it asks of the model from now on is not trained on. */
  readonly stop: readonly boolean[];
}
