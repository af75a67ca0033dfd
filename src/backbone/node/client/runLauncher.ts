import type { CodedError } from '../../../base/core/errors.ts';
import type { Event } from '../../../base/core/event.ts';
import type { ModelAnswer, RunEvent, RunRequest } from '../../core/protocol/run.ts';

/** What a run's process is started with. */
export interface RunSpec {
  readonly request: RunRequest;
  /** Start under the inspector and hold the first line until a debugger has attached. */
  readonly inspect: boolean;
  /** On top of the adapter's own environment; null takes a variable away. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Absolute path or a name on PATH; undefined: the launcher chooses. */
  readonly runtimeExecutable: string | undefined;
  readonly runtimeArgs: readonly string[];
}

export interface RunOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface RunExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Set when the process went without reporting the end of its run. */
  readonly error: CodedError | undefined;
}

/** The process of one run, seen from outside: whatever holds that process does not hold these. */
export interface RunProcess {
  readonly onEvent: Event<RunEvent>;
  /** What the user's code writes; the inspector's own chatter is not part of it. */
  readonly onOutput: Event<RunOutput>;
  /** The inspector's port on 127.0.0.1; only with `inspect`. Rejects when the process ends without one. */
  readonly inspectorPort: Promise<number>;
  /** After the last event and the last output. Never rejects. */
  readonly exited: Promise<RunExit>;
  /** Gives the run what a person answers in place of its model. */
  answer(answer: ModelAnswer): void;
  /** Tells the run whether a debugger holds the user's Python. */
  hold(held: boolean): void;
  /** Asks the run to end, interrupting its episodes, and to report what there is. */
  cancel(): void;
  /** Ends the process and all it started, at once. */
  killNow(): void;
}

export interface RunLauncher {
  /** Rejects with a `CodedError` when no process can be started. No event comes before the promise resolves. */
  launch(spec: RunSpec): Promise<RunProcess>;
}
