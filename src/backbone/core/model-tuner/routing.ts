import * as z from 'zod/mini';
import type { EpisodeRouting } from '../../../tracking/core/records/episodeResult.ts';

/** Which target tags are trained; null: all. An empty list is all as well, whatever its writer meant: as upstream. */
export type Targets = readonly string[] | null;

export function isTrainable(targets: Targets, tag: string): boolean {
  return targets === null || targets.length === 0 || targets.includes(tag);
}

/** What an adapter decided for its agent. A request that comes by base URL and key has none: upstream routes no keys. */
export interface AdapterRoute {
  /** The debug model that answers instead of the model being trained; null: none does. */
  readonly debugModel: string | null;
  /** `name`: it is asked as itself, whatever is trained; absent: for an agent whose target is not. */
  readonly by?: 'name';
}

/**
 * By which an adapter in another process tells its route: the name of the debug model as JSON, or `null`; or the whole
 * route.
 */
export const adapterHeader = 'x-agentjet-adapter';

const toldRoute = z.union([
  z.pipe(
    z.nullable(z.string()),
    z.transform((debugModel): AdapterRoute => ({ debugModel })),
  ),
  z.pipe(
    z.object({ debugModel: z.string(), by: z.literal('name') }),
    z.transform((route): AdapterRoute => route),
  ),
]);

/** Undefined: no adapter of ours made the request. */
export function adapterOf(headers: Readonly<Record<string, string>>): AdapterRoute | undefined {
  const told = headers[adapterHeader];
  if (told === undefined) return undefined;
  try {
    const parsed = toldRoute.safeParse(JSON.parse(told));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // whoever made it, it was no adapter of ours
  }
}

type WhyTrained = EpisodeRouting['trainedAnyway'][number]['why'];

/** Where the calls of one episode went, by their targets. */
export class RouteCounts {
  readonly #debug = new Map<string, { readonly target: string; readonly model: string; calls: number }>();
  readonly #anyway = new Map<string, { readonly target: string; readonly why: WhyTrained; calls: number }>();

  debugModelAnswers(target: string, model: string): void {
    count(this.#debug, { target, model, calls: 0 }, `${target}\n${model}`);
  }

  /** Upstream trains a target that it was not told to train where there is nobody else to answer. */
  trainsAnyway(target: string, why: WhyTrained): void {
    count(this.#anyway, { target, why, calls: 0 }, `${target}\n${why}`);
  }

  /** Undefined: every call was for a target that is trained. */
  get routing(): EpisodeRouting | undefined {
    if (this.#debug.size === 0 && this.#anyway.size === 0) return undefined;
    const copies = <T extends object>(entries: Iterable<T>): T[] =>
      Array.from(entries, (entry) => ({ ...entry }));
    return { debug: copies(this.#debug.values()), trainedAnyway: copies(this.#anyway.values()) };
  }
}

function count<T extends { calls: number }>(entries: Map<string, T>, fresh: T, key: string): void {
  const entry = entries.get(key) ?? fresh;
  entries.set(key, entry);
  entry.calls += 1;
}
