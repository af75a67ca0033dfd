import type { InjectedFault } from '../../../../tracking/core/records/episodeResult.ts';
import type { FinishedCall } from '../call.ts';
import { injectedFault } from './faults.ts';

/** Counts the faults injected into the calls of each episode. */
export class FaultTally {
  readonly #faults = new Map<string, InjectedFault[]>();

  take(call: FinishedCall): void {
    const kind = injectedFault(call);
    if (kind === undefined) return;
    const known = this.#faults.get(call.episodeUuid) ?? [];
    this.#faults.set(call.episodeUuid, [...known, { call: call.call, agent: call.agentName, kind }]);
  }

  of(episodeUuid: string): readonly InjectedFault[] {
    return this.#faults.get(episodeUuid) ?? [];
  }
}
