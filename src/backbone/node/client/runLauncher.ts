import type { CodedError } from '../../../base/core/errors.ts';
import type { Event } from '../../../base/core/event.ts';
import type { ModelAnswer, RunEvent, RunRequest } from '../../core/protocol/run.ts';

export interface RunSpec {
  readonly request: RunRequest;
  /** Starts under the inspector, and waits for a debugger before it loads the user's code. */
  readonly inspect: boolean;
  /** Variables on top of the adapter's environment; null removes one. */
  readonly env: Readonly<Record<string, string | null>>;
  /** An absolute path or a name on PATH; undefined to let the launcher choose. */
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
  /** Set if the process ended without a report of its run. */
  readonly error: CodedError | undefined;
}

/** The process of one run, as its client sees it. A debugger that stops the process does not stop this object. */
export interface RunProcess {
  readonly onEvent: Event<RunEvent>;
  /** Fires with the output of the user's code, without messages of the inspector. */
  readonly onOutput: Event<RunOutput>;
  /**
   * The inspector's WebSocket address on 127.0.0.1, only with `inspect`. It contains a secret. Rejects if the process ends
   * before it has one.
   */
  readonly inspectorUrl: Promise<URL>;
  /** Resolves after the last event and the last output. Never rejects. */
  readonly exited: Promise<RunExit>;
  answer(answer: ModelAnswer): void;
  /** Lets the process load code of the user. Call it once the inspector has the breakpoints of the debugger. */
  debuggerAttached(): void;
  /** Sets whether a debugger holds the user's Python. */
  hold(held: boolean): void;
  /** Interrupts the episodes. The run then reports its results and ends. */
  cancel(): void;
  /** Kills the process and everything it started. */
  killNow(): void;
}

export interface RunLauncher {
  /** Rejects with a `CodedError` when no process can be started. No event comes before the promise resolves. */
  launch(spec: RunSpec): Promise<RunProcess>;
}
