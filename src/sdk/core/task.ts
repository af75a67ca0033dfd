/** One row of the data set, in the data set's own spelling: field for field upstream's `Task`. */
export interface Task {
  /** The question; `[not defined]` where a JSONL row has none. */
  readonly main_query: string;
  readonly init_messages: readonly InitMessage[];
  /** Identifies the task's group of episodes; "" where the row has none. */
  readonly task_id: string;
  /** `no_env` unless the task belongs to an environment service. */
  readonly env_type: string;
  /** The row's `metadata`, or the whole row when it has no such field. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What a workflow and a judge are given: a task, and which episode of it this is. */
export interface WorkflowTask {
  readonly task: Task;
  readonly taskId: string;
  readonly envType: string;
  /** Position of the episode in the run: task position × repeats + repeat, from 0. */
  readonly taskThreadIndex: number;
  /** Position of the task in the run, from 0. */
  readonly taskBatchIndex: number;
  /** `T<task id>#R<repeat>`. */
  readonly taskTag: string;
  /** 32 hexadecimal digits, new for every episode. */
  readonly episodeUuid: string;
  /** Steps, tokens and stop flags of all episodes of the run. */
  readonly observationWindow: ObservationWindow;
  /** The episode's instance in the environment service that its task comes from. */
  readonly gymEnv: GymEnv;
}

/** What a workflow returns. */
export interface WorkflowOutput {
  /** Null or absent: the judge computes it. Any number, 0 included, is taken as it is and the judge is not run. */
  readonly reward?: number | null;
  /** Counts as false when absent. */
  readonly isSuccess?: boolean | null;
  /** For the judge; anything the workflow likes. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Numbers in it are the episode's metrics. */
  readonly logMetrics?: Readonly<Record<string, unknown>>;
  /** Only of a workflow that is a function: what it responded, for a judge that is one. */
  readonly response?: unknown;
}

/** A chat message of a task, as data sets hold them. */
export interface InitMessage {
  readonly role: string;
  readonly content: string;
}

/** What is going on in the episodes of a run, by `taskThreadIndex`; every workflow may look at all of them. */
export interface ObservationWindow {
  /** Steps taken in the environment; −1 once the episode has ended well. */
  readonly step: readonly number[];
  /** Tokens generated. */
  readonly token: readonly number[];
  /** Whether the episode is no longer wanted: what it asks of the model from now on is not trained on. */
  readonly stop: readonly boolean[];
}

/** What an agent does in its environment: a chat message. */
export interface GymAction {
  readonly role: string;
  /** Of a list of parts, as agents reply with, the first part's `text` is sent. */
  readonly content: unknown;
}

export interface GymStep {
  /** What the environment answers: a text, or the list of messages that the service sent. */
  readonly obs: string | readonly InitMessage[];
  /** 0 where the environment answers with a single message. */
  readonly reward: number;
  readonly terminate: boolean;
  readonly info: Readonly<Record<string, unknown>>;
}

/**
 * The episode's instance in an environment service (`ajet.task_reader.type: env_service`), made before `execute` and
 * released after the judge. With other readers it is there, too, but every method throws.
 */
export interface GymEnv {
  /** Base URL of the service, without a slash at its end; undefined where there is none. */
  readonly serviceUrl: string | undefined;
  step(action: GymAction): Promise<GymStep>;
  /** The instance's score. What is given arrives in the service as `messages`, not as `params`: so does upstream. */
  evaluate(messages?: Readonly<Record<string, unknown>>): Promise<number>;
  /** Throws: every episode has an environment of its own. */
  reset(): never;
}
