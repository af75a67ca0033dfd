import type { CallIdentity } from '../model.ts';
import { sharedMessageLength, findDivergence, type Divergence } from './divergence.ts';
import type { RecordedCall } from './format.ts';
import { normalizeRequest, type NormalizedRequest } from './normalizeRequest.ts';
import type { VolatileScanner } from './volatile.ts';

/** A recorded call that has not been replayed yet. */
export interface UnusedCall {
  readonly recorded: RecordedCall;
  readonly request: NormalizedRequest;
}

/** The recorded calls of one episode. Each is replayed once. */
export class EpisodeReplay {
  readonly recorded: number;
  readonly #open: UnusedCall[];

  constructor(calls: readonly RecordedCall[], scanner: VolatileScanner) {
    this.recorded = calls.length;
    this.#open = [...calls]
      .sort((a, b) => a.call - b.call)
      .map((recorded) => ({ recorded, request: normalizeRequest(recorded.request, scanner) }));
  }

  /** The calls that have not been replayed. */
  get open(): readonly UnusedCall[] {
    return this.#open;
  }

  /** The call that asked the same, whenever it came: the agent's own if there is one, and the first recorded. */
  take(request: NormalizedRequest, by: CallIdentity): UnusedCall | undefined {
    const equal = this.#open.filter((open) => open.request.key === request.key);
    return this.#answer(equal.find(({ recorded }) => isBy(recorded, by)) ?? equal[0]);
  }

  /** Takes the first unused call. */
  next(): UnusedCall | undefined {
    return this.#answer(this.#open[0]);
  }

  /** The call that should have come instead, and how this one departs from it. */
  expected(
    request: NormalizedRequest,
    by: CallIdentity,
  ): { open: UnusedCall; divergence: Divergence } | undefined {
    const open = mostAlike(this.#turn(by), request);
    const divergence = open && findDivergence(open.request, request);
    return open && divergence && { open, divergence };
  }

  /** Marks the call as used. */
  spend(open: UnusedCall): void {
    this.#answer(open);
  }

  /** The agent's next call, and the calls that ran in parallel to it. */
  #turn(by: CallIdentity): readonly UnusedCall[] {
    const own = this.#open.filter(({ recorded }) => isBy(recorded, by));
    const candidates = own.length > 0 ? own : this.#open;
    const next = candidates[0]?.recorded;
    if (next === undefined) return [];
    const endedAt = next.startedAt + next.seconds * 1000;
    return candidates.filter(({ recorded }) => recorded === next || recorded.startedAt < endedAt);
  }

  #answer(open: UnusedCall | undefined): UnusedCall | undefined {
    if (open !== undefined) this.#open.splice(this.#open.indexOf(open), 1);
    return open;
  }
}

function isBy(recorded: RecordedCall, { agentName, targetTag }: CallIdentity): boolean {
  return recorded.agentName === agentName && recorded.targetTag === targetTag;
}

/** Returns the most similar call, the first one if several are equally similar. */
function mostAlike(calls: readonly UnusedCall[], request: NormalizedRequest): UnusedCall | undefined {
  const [first] = calls;
  if (calls.length <= 1) return first;
  const lengths = calls.map((open) => sharedMessageLength(open.request, request));
  return calls[lengths.indexOf(Math.max(...lengths))];
}
