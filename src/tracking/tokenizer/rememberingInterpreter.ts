import { Environment } from '@huggingface/jinja';
import {
  asValue,
  isCall,
  isMember,
  isNamed,
  lookUp,
  nodesIn,
  textOf,
  type Member,
  type Statement,
  type Value,
} from './jinjaNodes.ts';
import type { LoopFacts } from './loopFacts.ts';
import {
  attributeOf,
  stateOf,
  type Comparison,
  type LoopMemory,
  type State,
  type Turn,
} from './loopMemory.ts';
import { PythonInterpreter } from './pythonJinja.ts';

/** One turn of a loop, as it is watched for what it looks at. */
interface Watched {
  readonly facts: LoopFacts;
  readonly items: Value;
  readonly loop: Value;
  readonly index: number;
  /** The last item that was looked at, even in vain; infinite: nobody can tell. */
  reach: number;
  /** Whether it asked if its item is the last. */
  asksForLast: boolean;
  readonly comparisons: Comparison[];
}

interface Run {
  readonly facts: LoopFacts;
  readonly items: Value;
  readonly list: readonly Value[];
  readonly scope: Environment;
  readonly namespaces: ReadonlyMap<string, Value>;
}

/**
 * Renders as its base does, but goes on in a template's loop over the messages where an earlier rendering went the same
 * way. A turn of the loop gives what it gave before if all that it looks at is as before: the values that the loop
 * begins with, the items up to its own and those after it that it looked at, and what the turns before left in
 * variables. What a turn looks at is seen as it is evaluated; where that cannot be told, it is evaluated every time.
 */
export class RememberingInterpreter extends PythonInterpreter {
  readonly #facts: ReadonlyMap<Statement, LoopFacts>;
  readonly #memory: LoopMemory;
  #watched: Watched | undefined;

  constructor(environment: Environment, facts: ReadonlyMap<Statement, LoopFacts>, memory: LoopMemory) {
    super(environment);
    this.#facts = facts;
    this.#memory = memory;
  }

  /** The text in pieces. One that is remembered is the very same string each time. */
  pieces(program: { readonly body: readonly Statement[] }): readonly string[] {
    const pieces: string[] = [];
    let text = '';
    for (const statement of program.body) {
      const turns = this.#turnsOf(statement);
      if (turns === undefined) {
        text += textOf(this.evaluate(statement, this.global));
        continue;
      }
      pieces.push(text);
      for (const turn of turns) pieces.push(turn);
      text = '';
    }
    pieces.push(text);
    return pieces;
  }

  override evaluate(statement: Statement | undefined, environment: Environment): Value {
    if (this.#watched !== undefined && statement !== undefined)
      this.#look(this.#watched, statement, environment);
    return super.evaluate(statement, environment);
  }

  /** Undefined: it is no loop whose turns can be remembered. */
  #turnsOf(statement: Statement): readonly string[] | undefined {
    const facts = this.#facts.get(statement);
    if (facts === undefined) return undefined;
    const scope = new Environment(this.global);
    const items = this.evaluate(facts.loop.iterable, scope);
    const list: unknown = items.value;
    if (items.type !== 'ArrayValue' || !Array.isArray(list) || list.length === 0) return undefined;
    const { key, namespaces } = this.#memory.startOf(facts, this.global, items);
    const run = { facts, items, list: list as readonly Value[], scope, namespaces };
    return this.#goOn(run, this.#memory.rootOf(statement, key));
  }

  #goOn(run: Run, root: Pick<Turn, 'next'>): readonly string[] {
    const texts: string[] = [];
    let before: Pick<Turn, 'next'> | undefined = root;
    let known = this.#memory.next(root, run.list, 0, run.namespaces);
    let state: State | undefined;
    while (known !== undefined) {
      texts.push(known.text);
      state = known.state;
      before = known;
      known = this.#memory.next(known, run.list, texts.length, run.namespaces);
    }
    if (state !== undefined) restore(state, run);
    while (texts.length < run.list.length) {
      const turn = this.#turn(run, texts.length);
      texts.push(turn.text);
      before = before && turn.remembered && this.#memory.add(before, turn.remembered);
    }
    return texts;
  }

  #turn(run: Run, index: number): { readonly text: string; readonly remembered: Turn | undefined } {
    const { facts, items, list, scope, namespaces } = run;
    const loop = loopValue(list, index);
    scope.setVariable('loop', loop);
    scope.setVariable(facts.variable, list[index] ?? asValue(undefined));
    const watched: Watched = { facts, items, loop, index, reach: index, asksForLast: false, comparisons: [] };
    let written = '';
    this.#watched = watched;
    try {
      for (const statement of facts.loop.body) written += textOf(this.evaluate(statement, scope));
    } finally {
      this.#watched = undefined;
    }
    const text = this.#memory.sameText(written);
    const { reach, asksForLast, comparisons } = watched;
    const state = Number.isFinite(reach) ? stateOf(scope, namespaces, facts) : undefined;
    if (state === undefined) return { text, remembered: undefined };
    const seen = Array.from({ length: reach - index + 1 }, (_, place) => list[index + place]);
    const last = asksForLast ? index === list.length - 1 : undefined;
    return { text, remembered: { seen, last, comparisons, text, state, next: [] } };
  }

  #look(watched: Watched, statement: Statement, environment: Environment): void {
    if (isNamed(statement)) {
      if (watched.facts.owners.has(statement)) return; // the member tells more
      const value = lookUp(environment, statement.value);
      if (value === watched.items || value === watched.loop || value?.type === 'NamespaceValue')
        watched.reach = Infinity;
    } else if (isMember(statement)) this.#lookAtMember(watched, statement, environment);
    else compare(watched, statement, environment);
  }

  #lookAtMember(watched: Watched, { object, property, computed }: Member, environment: Environment): void {
    if (!isNamed(object)) return;
    const owner = lookUp(environment, object.value);
    if (owner === watched.loop) {
      const name = !computed && isNamed(property) ? property.value : '';
      watched.asksForLast ||= name === 'last';
      watched.reach = Math.max(watched.reach, watched.index + (looksAhead[name] ?? Infinity));
    } else if (owner === watched.items) {
      // What is called may change something, and must not be asked twice.
      const isIndex = computed && property.type !== 'SliceExpression' && ![...nodesIn(property)].some(isCall);
      const place: unknown = isIndex ? this.evaluate(property, environment).value : undefined;
      // What is counted from the end is another item each time.
      const isPlace = typeof place === 'number' && place >= 0;
      watched.reach = Math.max(watched.reach, isPlace ? place : Infinity);
    } else if (owner?.type === 'NamespaceValue' && computed) watched.reach = Infinity;
  }
}

/** How far a turn looks beyond its item; what is not here depends on all items. */
const looksAhead: Readonly<Record<string, number>> = {
  index: 0,
  index0: 0,
  first: 0,
  previtem: 0,
  last: 0,
  nextitem: 1,
};

function compare(watched: Watched, statement: Statement, environment: Environment): void {
  const threshold = watched.facts.thresholds.get(statement);
  const owner = threshold && lookUp(environment, threshold.name);
  if (threshold === undefined || owner?.type !== 'NamespaceValue') return;
  const value = attributeOf(owner, threshold.attribute);
  const isOwnLoop = lookUp(environment, 'loop') === watched.loop;
  if (typeof value !== 'number' || !isOwnLoop) watched.reach = Infinity;
  else watched.comparisons.push({ threshold, held: threshold.holds(watched.index, value) });
}

/** `loop`, as the library makes it. */
function loopValue(list: readonly Value[], index: number): Value {
  const left = list.length - index;
  const loop = asValue({
    index: index + 1,
    index0: index,
    revindex: left,
    revindex0: left - 1,
    first: index === 0,
    last: left === 1,
    length: list.length,
    previtem: undefined,
    nextitem: undefined,
  });
  const fields: unknown = loop.value;
  const [previous, next] = [list[index - 1], list[index + 1]];
  if (fields instanceof Map && previous !== undefined) fields.set('previtem', previous);
  if (fields instanceof Map && next !== undefined) fields.set('nextitem', next);
  return loop;
}

function restore(state: State, { scope, namespaces }: Run): void {
  for (const [name, value] of state.variables) scope.setVariable(name, value);
  for (const [name, attributes] of state.namespaces) {
    const namespace: unknown = namespaces.get(name)?.value;
    if (!(namespace instanceof Map)) continue;
    for (const [attribute, value] of attributes) namespace.set(attribute, value);
  }
}
