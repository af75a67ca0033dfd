import * as z from 'zod/mini';
import { parseJson } from '../../../base/core/parseJson.ts';
import type { EpisodeRouting } from '../../../tracking/core/records/episodeResult.ts';
import { CodedError } from '../../../base/core/errors.ts';

/** The target tags that are trained; null for all. As in upstream, an empty list means all as well. */
export type Targets = readonly string[] | null;

export function isTrainable(targets: Targets, tag: string): boolean {
  return targets === null || targets.length === 0 || targets.includes(tag);
}

/** The route that an adapter chose for its agent. A request with base URL and key has none: upstream does not route keys. */
export interface AdapterRoute {
  /** The debug model that answers; null for the model being trained. */
  readonly debugModel: string | null;
  /** `name` if the workflow requested the debug model by name; absent if the target is not trained. */
  readonly by?: 'name';
}

/** The header with the route of an adapter in another process: a debug model's name as JSON, `null`, or the route. */
export const adapterHeader = 'x-agentjet-adapter';

const routeSchema = z.union([
  z.pipe(
    z.nullable(z.string()),
    z.transform((debugModel): AdapterRoute => ({ debugModel })),
  ),
  z.pipe(
    z.object({ debugModel: z.string(), by: z.literal('name') }),
    z.transform((route): AdapterRoute => route),
  ),
]);

/** Returns undefined for a request that does not come from one of our adapters. */
export function adapterOf(headers: Readonly<Record<string, string>>): AdapterRoute | undefined {
  const text = headers[adapterHeader];
  return text === undefined ? undefined : routeSchema.safeParse(parseJson(text)).data;
}

type WhyTrained = EpisodeRouting['trainedAnyway'][number]['why'];

export class RouteCounts {
  readonly #debug = new Map<string, { readonly target: string; readonly model: string; calls: number }>();
  readonly #anyway = new Map<string, { readonly target: string; readonly why: WhyTrained; calls: number }>();

  debugModelAnswers(target: string, model: string): void {
    count(this.#debug, { target, model, calls: 0 }, `${target}\n${model}`);
  }

  /** Reports that the model being trained answers for an untrained target: as in upstream, there is no debug model. */
  trainsAnyway(target: string, why: WhyTrained): void {
    count(this.#anyway, { target, why, calls: 0 }, `${target}\n${why}`);
  }

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

/** Compares the targets that the workflows of a run name with those that its agents use. */
export class TargetUsage {
  readonly #named = new Set<string>();
  readonly #used = new Set<string>();
  readonly #warn: (problem: CodedError) => void;
  #warnedOfEmpty = false;

  constructor(warn: (problem: CodedError) => void) {
    this.#warn = warn;
  }

  names(targets: Targets): void {
    for (const target of targets ?? []) this.#named.add(target);
    if (targets?.length !== 0 || this.#warnedOfEmpty) return;
    this.#warnedOfEmpty = true;
    this.#warn(emptyTargets());
  }

  uses(target: string): void {
    this.#used.add(target);
  }

  /** Warns about targets that no agent used. Call it at the end of the run. */
  close(): void {
    const unused = [...this.#named].filter((target) => !this.#used.has(target));
    if (unused.length > 0 && this.#used.size > 0) this.#warn(unusedTargets(unused, [...this.#used]));
  }
}

function emptyTargets(): CodedError {
  return new CodedError({
    code: 'model-tuner/empty-targets',
    message:
      'trainableTargets is an empty list, which AgentJet reads as all targets: every agent is trained.',
    hint: 'Set it to null for all targets, or name the targets to train.',
  });
}

function unusedTargets(unused: readonly string[], used: readonly string[]): CodedError {
  const list = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');
  const many = unused.length === 1 ? '' : 's';
  return new CodedError({
    code: 'model-tuner/unused-targets',
    message: `trainableTargets names the target${many} ${list(unused)}, but no agent of the run uses ${unused.length === 1 ? 'it' : 'them'}. Used targets: ${list(used)}.`,
    hint: 'Use the targetTag with which the adapter of an agent is created.',
  });
}
