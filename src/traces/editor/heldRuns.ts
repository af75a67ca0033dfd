import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { debugType } from '../../base/core/ids.ts';
import { followHeldCode } from '../../base/editor/heldCode.ts';
import { traceEventNames, type RunStartedBody } from '../core/runEvents.ts';

/** Follows which runs of this window a debugger holds, so that their viewers can say so. */
export class HeldRuns implements Disposable {
  readonly #store = new DisposableStore();
  /** The trace of each run by its session. */
  readonly #traces = new Map<string, string>();
  /** The sessions in which code is held, with the session of the run. */
  readonly #held = new Map<string, string>();

  constructor(onChanged: (trace: string, held: boolean) => void) {
    this.#store.add(
      vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
        if (session.type !== debugType || event !== traceEventNames.started) return;
        this.#traces.set(session.id, (body as RunStartedBody).trace);
      }),
    );
    this.#store.add(
      followHeldCode(['*'], (run, held, code) => {
        if (held) this.#held.set(code.id, run.id);
        else this.#held.delete(code.id);
        const trace = this.#traces.get(run.id);
        if (trace !== undefined) onChanged(trace, this.isHeld(trace));
      }),
    );
  }

  isHeld(trace: string): boolean {
    return [...this.#held.values()].some((run) => this.#traces.get(run) === trace);
  }

  dispose(): void {
    this.#store.dispose();
  }
}
