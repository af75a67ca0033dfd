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

/** The input of a workflow and a judge: a task and the episode. */
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

/** The output of a workflow. */
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

/** The state of all episodes of a run, by `taskThreadIndex`. Every workflow can read all of it. */
export interface ObservationWindow {
  /** Steps taken in the environment; −1 once the episode has ended well. */
  readonly step: readonly number[];
  /** Tokens generated. */
  readonly token: readonly number[];
  /** True if the episode is no longer needed: its further LLM calls are not trained. */
  readonly stop: readonly boolean[];
}

/** The action of an agent in its environment: a chat message. */
export interface GymAction {
  readonly role: string;
  /** A text, or a list of parts as agents return. Of a list, the first part's `text` is sent. */
  readonly content: unknown;
}

export interface GymStep {
  /** The observation: a text, or the list of messages that the service sent. */
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
  /** Returns the score of the instance. As in upstream, the service receives the argument as `messages`, not as `params`. */
  evaluate(messages?: Readonly<Record<string, unknown>>): Promise<number>;
  /** Always throws: every episode has its own environment. */
  reset(): never;
}
