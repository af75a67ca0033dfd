import type { Environment } from '@huggingface/jinja';
import { lookUp, type Statement, type Value } from './jinjaNodes.ts';
import type { LoopFacts, Threshold } from './loopFacts.ts';

/** A turn of a loop as it went. */
export interface Turn {
  /** Its item and those after it that it looked at, undefined beyond the end. */
  readonly seen: readonly (Value | undefined)[];
  /** Whether it was the last, if it asked. */
  readonly last: boolean | undefined;
  readonly comparisons: readonly Comparison[];
  readonly text: string;
  /** What it left. */
  readonly state: State;
  /** Turns that came after it, the last one last. */
  readonly next: Turn[];
}

export interface Comparison {
  readonly threshold: Threshold;
  readonly held: boolean;
}

export interface State {
  /** Of the loop's own scope. */
  readonly variables: ReadonlyMap<string, Value>;
  /** By name, what is in each namespace; attributes are never taken out. */
  readonly namespaces: ReadonlyMap<string, ReadonlyMap<string, Value>>;
}

/** What a loop begins with. */
export interface Start {
  /** Equal for equal starts. */
  readonly key: string;
  readonly namespaces: ReadonlyMap<string, Value>;
}

/** Each is a place where an episode's conversations part; more of them are rare, and are only slower. */
const mostNext = 64;
const mostRoots = 16;

/** The turns that an episode's renderings of one template took, as trees: what begins alike shares its beginning. */
export class LoopMemory {
  readonly #roots = new Map<Statement, Map<string, Pick<Turn, 'next'>>>();
  readonly #numbers = new WeakMap<Value, number>();
  #numbered = 0;
  readonly #texts = new Map<string, string>();

  /** All that a loop's body may read must have the same values, those that have parts being the very same. */
  startOf({ names, functions, thresholds }: LoopFacts, environment: Environment, items: Value): Start {
    const namespaces = new Map<string, Value>();
    const parts: unknown[] = [];
    for (const name of names) {
      const value = lookUp(environment, name);
      if (value === undefined) continue;
      if (value.type === 'NamespaceValue') {
        namespaces.set(name, value);
        const named = contents(value, thresholds).map(([key, held]) => [key, this.#identity(held)]);
        parts.push([name, named]);
      } else if (value === items) parts.push([name, 'items']);
      else if (value.type === 'FunctionValue' && functions.has(name)) parts.push([name, 'function']);
      else parts.push([name, this.#identity(value)]);
    }
    return { key: JSON.stringify(parts), namespaces };
  }

  #identity(value: Value): unknown {
    if (simpleTypes.has(value.type)) return [value.type, value.value];
    const number = this.#numbers.get(value) ?? this.#numbered++;
    this.#numbers.set(value, number);
    return number;
  }

  rootOf(loop: Statement, start: string): Pick<Turn, 'next'> {
    const roots = this.#roots.get(loop) ?? new Map<string, Pick<Turn, 'next'>>();
    this.#roots.set(loop, roots);
    const root = roots.get(start) ?? { next: [] };
    const [oldest] = roots.keys();
    if (!roots.has(start) && roots.size >= mostRoots && oldest !== undefined) roots.delete(oldest);
    roots.set(start, root);
    return root;
  }

  /** The turn that would go as it went, if there is one. */
  next(
    { next }: Pick<Turn, 'next'>,
    items: readonly Value[],
    index: number,
    namespaces: ReadonlyMap<string, Value>,
  ): Turn | undefined {
    for (let at = next.length - 1; at >= 0; at--) {
      const turn = next[at];
      if (turn !== undefined && goesAlike(turn, items, index, namespaces)) return turn;
    }
    return undefined;
  }

  /** Loops that begin otherwise, as they do for a prompt and for its reply, have the very same strings too. */
  sameText(text: string): string {
    const same = this.#texts.get(text) ?? text;
    this.#texts.set(text, same);
    return same;
  }

  add({ next }: Pick<Turn, 'next'>, turn: Turn): Turn {
    if (next.length >= mostNext) next.shift();
    next.push(turn);
    return turn;
  }
}

function goesAlike(
  { seen, last, comparisons }: Turn,
  items: readonly Value[],
  index: number,
  namespaces: ReadonlyMap<string, Value>,
): boolean {
  if (last !== undefined && last !== (index === items.length - 1)) return false;
  for (let place = 0; place < seen.length; place++) {
    if (seen[place] !== items[index + place]) return false;
  }
  return comparisons.every(({ threshold, held }) => {
    const value = attributeOf(namespaces.get(threshold.name), threshold.attribute);
    return typeof value === 'number' && threshold.holds(index, value) === held;
  });
}

/** What a namespace holds but for what it is only compared by, which no turn sets. */
function contents(
  { value }: Value,
  thresholds: LoopFacts['thresholds'],
): readonly (readonly [string, Value])[] {
  const compared = new Set([...thresholds.values()].map(({ attribute }) => attribute));
  return [...attributesOf(value)].filter(([attribute]) => !compared.has(attribute));
}

function attributesOf(value: unknown): ReadonlyMap<string, Value> {
  return value instanceof Map ? (value as ReadonlyMap<string, Value>) : new Map<string, Value>();
}

/** Values that are all that they say of themselves. */
const simpleTypes = new Set(['StringValue', 'IntegerValue', 'BooleanValue', 'NullValue', 'UndefinedValue']);

/** Undefined: what is left may change under the hands of later turns. */
export function stateOf(
  scope: Environment,
  namespaces: ReadonlyMap<string, Value>,
  { thresholds }: LoopFacts,
): State | undefined {
  for (const { type } of scope.variables.values()) if (type === 'NamespaceValue') return undefined;
  const copies = [...namespaces].map(
    ([name, value]) => [name, new Map(contents(value, thresholds))] as const,
  );
  return { variables: new Map(scope.variables), namespaces: new Map(copies) };
}

/** The plain value of a namespace's attribute. */
export function attributeOf(namespace: Value | undefined, attribute: string): unknown {
  return attributesOf(namespace?.value).get(attribute)?.value;
}
