import type { InitMessage } from './task.ts';

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
