import {
  isAssignment,
  isBinary,
  isLoop,
  isMacro,
  isMember,
  isNamed,
  nodesIn,
  type Loop,
  type Macro,
  type Member,
  type Statement,
} from './jinjaNodes.ts';

/** What can be told of a loop of a template without running it. */
export interface LoopFacts {
  readonly loop: Loop;
  readonly variable: string;
  /** Every name that stands in its body or in a macro: what it may read. */
  readonly names: readonly string[];
  /** Of these, macros, and functions that give the same whenever they are called. */
  readonly functions: ReadonlySet<string>;
  /** Names of which an attribute or an item is read, or an attribute is set. */
  readonly owners: ReadonlySet<Statement>;
  /** Comparisons of the item's place with an attribute that stands in these comparisons only. */
  readonly thresholds: ReadonlyMap<Statement, Threshold>;
}

/** As `loop.index0 > ns.last` of templates that leave out the thoughts before the last question. */
export interface Threshold {
  readonly name: string;
  readonly attribute: string;
  /** @param index of the item, from 0 */
  holds(index: number, value: number): boolean;
}

/** By the loop: those of a template's outermost statements that could go on where they were left. */
export function factsOfLoops(program: {
  readonly body: readonly Statement[];
}): ReadonlyMap<Statement, LoopFacts> {
  const all = [...nodesIn(program)];
  const functions = constantFunctions(all);
  const macros = all.filter(isMacro);
  const facts = program.body.flatMap((statement) => {
    const found = isLoop(statement) ? factsOf(statement, macros, functions) : undefined;
    return found === undefined ? [] : [[statement, found] as const];
  });
  return new Map(facts);
}

/** Undefined: it breaks off, picks its items, or has what gives another value each time. */
function factsOf(
  loop: Loop,
  macros: readonly Macro[],
  functions: ReadonlySet<string>,
): LoopFacts | undefined {
  const { loopvar, iterable, body, defaultBlock } = loop;
  if (!isNamed(loopvar) || iterable.type === 'SelectExpression' || defaultBlock.length > 0) return undefined;
  const nodes = [...nodesIn(body), ...nodesIn(macros)];
  const members = nodes.filter(isMember);
  const attributes = new Set(members.filter(({ computed }) => !computed).map(({ property }) => property));
  const names = new Set(
    nodes
      .filter((node) => !attributes.has(node))
      .filter(isNamed)
      .map(({ value }) => value),
  );
  if (names.has('namespace') || names.has('strftime_now')) return undefined;
  if (nodes.some(({ type }) => type === 'Break' || type === 'Continue')) return undefined;
  return {
    loop,
    variable: loopvar.value,
    names: [...names],
    functions,
    owners: new Set(members.map(({ object }) => object)),
    thresholds: thresholdsIn(nodes, members),
  };
}

/** A name that is given to several macros, or to a value as well, is none of them for sure. */
function constantFunctions(nodes: readonly Statement[]): ReadonlySet<string> {
  const macros = nodes.filter(isMacro).map(({ name }) => name.value);
  const once = macros.filter((name, at) => macros.indexOf(name) === at && macros.lastIndexOf(name) === at);
  const assigned = new Set(
    nodes
      .filter(isAssignment)
      .flatMap(({ assignee }) => [...nodesIn(assignee)])
      .filter(isNamed)
      .map(({ value }) => value),
  );
  return new Set([...once, 'raise_exception', 'range'].filter((name) => !assigned.has(name)));
}

function thresholdsIn(
  nodes: readonly Statement[],
  members: readonly Member[],
): ReadonlyMap<Statement, Threshold> {
  const found = nodes.flatMap((node) => {
    const threshold = thresholdOf(node);
    return threshold === undefined ? [] : [[node, threshold] as const];
  });
  // A place where the attribute is set is a member as well, so such an attribute has more of them.
  const attributeCount = (attribute: string): number =>
    members.filter(({ property, computed }) => !computed && isNamed(property) && property.value === attribute)
      .length;
  const isOnlyCompared = ({ attribute }: Threshold): boolean =>
    attributeCount(attribute) === found.filter(([, other]) => other.attribute === attribute).length;
  return new Map(found.filter(([, threshold]) => isOnlyCompared(threshold)));
}

function thresholdOf(node: Statement): Threshold | undefined {
  if (!isBinary(node)) return undefined;
  const compare = comparisons.get(node.operator.value);
  if (compare === undefined) return undefined;
  const [left, right] = [attributeOf(node.left), attributeOf(node.right)];
  const [first, second] = [left && firstPlace(left), right && firstPlace(right)];
  if (first !== undefined && right !== undefined && second === undefined)
    return { ...right, holds: (index, value) => compare(index + first, value) };
  if (second !== undefined && left !== undefined && first === undefined)
    return { ...left, holds: (index, value) => compare(value, index + second) };
  return undefined;
}

const comparisons: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map([
  ['<', (a, b) => a < b],
  ['<=', (a, b) => a <= b],
  ['>', (a, b) => a > b],
  ['>=', (a, b) => a >= b],
]);

function attributeOf(node: Statement): { name: string; attribute: string } | undefined {
  if (!isMember(node) || node.computed) return undefined;
  const { object, property } = node;
  return isNamed(object) && isNamed(property) ? { name: object.value, attribute: property.value } : undefined;
}

/** How the place of the first item is counted; undefined: it is no place. */
function firstPlace({ name, attribute }: { name: string; attribute: string }): number | undefined {
  if (name !== 'loop') return undefined;
  return { index0: 0, index: 1 }[attribute];
}
