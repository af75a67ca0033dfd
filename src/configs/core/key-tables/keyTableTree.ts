import { compileCondition } from './condition.ts';
import type { KnownRelease } from './releases.ts';
import { valueTypes, type KeyRow, type KeyInfo, type KeyNode, type ValueType } from './keyTableRow.ts';

/** The place of one row among the others; what `ref` leads to is not followed yet. */
interface Spec {
  readonly path: string;
  row: KeyRow | undefined;
  readonly children: Map<string, Spec>;
  item: Spec | undefined;
  anyChild: Spec | undefined;
}

export interface TreeOptions {
  /** The release whose keys the rows are; undefined if it is not known. */
  readonly release?: KnownRelease | undefined;
  /** The meaning of unlisted keys at the top, and in sections that do not define it. */
  readonly top: KeyNode['unlisted'];
  readonly sections: KeyNode['unlisted'];
  /** True if an unlisted key in a closed section makes the program refuse the file. */
  readonly refuses?: boolean;
  /** Sections at the top that other tables tell about, read when first asked for. */
  readonly mounts?: ReadonlyMap<string, () => KeyTree>;
  /** True if a mount is the whole table under another name, not one section of it. */
  readonly mountsWhole?: (name: string) => boolean;
}

/** The rows of one table, arranged by path. */
export class KeyTree {
  readonly top: Spec = newSpec('');
  readonly options: TreeOptions;

  constructor(rows: readonly KeyRow[], options: TreeOptions) {
    this.options = options;
    for (const row of rows) {
      const spec = this.#make(row.path);
      if (spec.row !== undefined) throw new Error(`The key table lists ${row.path} twice.`);
      spec.row = row;
    }
  }

  find(path: string): Spec | undefined {
    let spec: Spec | undefined = this.top;
    for (const step of stepsOf(path)) spec = childSpec(spec, step);
    return spec;
  }

  /** A row with those it refers to, its own first. */
  withReferences(spec: Spec): Spec[] {
    const { ref } = spec.row ?? {};
    if (ref === undefined) return [spec];
    const target = this.find(ref);
    if (target === undefined) throw new Error(`The key table has no ${ref}.`);
    return [spec, ...this.withReferences(target)];
  }

  #make(path: string): Spec {
    let spec: Spec = this.top;
    for (const step of stepsOf(path)) {
      const found = childSpec(spec, step);
      const next = found ?? newSpec(pathBelow(spec.path, step));
      if (step === '[]') spec.item = next;
      else if (step === '{}') spec.anyChild = next;
      else if (found === undefined) spec.children.set(step, next);
      spec = next;
    }
    return spec;
  }
}

function newSpec(path: string): Spec {
  return { path, row: undefined, children: new Map(), item: undefined, anyChild: undefined };
}

function childSpec(spec: Spec | undefined, step: string): Spec | undefined {
  if (step === '[]') return spec?.item;
  return step === '{}' ? spec?.anyChild : spec?.children.get(step);
}

/** `a.b[].c` as `a`, `b`, `[]`, `c`. */
export function stepsOf(path: string): string[] {
  return path.match(/\[\]|\{\}|[^.[\]{}]+/g) ?? [];
}

function pathBelow(path: string, step: string): string {
  return path === '' || step === '[]' || step === '{}' ? path + step : `${path}.${step}`;
}

interface KeyPosition {
  readonly name: string;
  readonly path: string;
  readonly parent: KeyNode | undefined;
  /** Path of what the tree's own paths are below. */
  readonly under: string;
  /** The same for what is below this key, where it differs. */
  readonly underBelow?: string;
  /** Called once, at the first use of the key, so that unused tables are not read. */
  readonly read: () => Content;
}

interface Content {
  readonly tree: KeyTree;
  /** Rows that tell about this key, the first winning. */
  readonly specs: readonly Spec[];
}

/** The root of a tree; every key below it is made when first asked for. */
export function rootOf(tree: KeyTree): KeyNode {
  const read = (): Content => ({ tree, specs: [tree.top] });
  return new TreeKey({ name: '', path: '', parent: undefined, under: '', read });
}

class TreeKey implements KeyNode {
  readonly name: string;
  readonly path: string;
  readonly parent: KeyNode | undefined;
  readonly #place: KeyPosition;
  #content: (Content & { readonly row: KeyRow | undefined }) | undefined;
  #info: KeyInfo | undefined;
  #children: ReadonlyMap<string, KeyNode> | undefined;
  #item: KeyNode['item'] | null = null;
  #anyChild: KeyNode | undefined | null = null;
  #unlisted: KeyNode['unlisted'] | undefined;

  constructor(place: KeyPosition) {
    this.name = place.name;
    this.path = place.path;
    this.parent = place.parent;
    this.#place = place;
  }

  get info(): KeyInfo | undefined {
    const { row, tree } = this.#read();
    if (row === undefined) return undefined;
    return (this.#info ??= infoOf(row, this.#place, tree));
  }

  get children(): ReadonlyMap<string, KeyNode> {
    return (this.#children ??= this.#readChildren());
  }

  get item(): KeyNode['item'] {
    if (this.#item === null) this.#item = this.#readItem();
    return this.#item;
  }

  get anyChild(): KeyNode | undefined {
    if (this.#anyChild === null) this.#anyChild = this.#below('{}');
    return this.#anyChild;
  }

  get unlisted(): KeyNode['unlisted'] {
    return (this.#unlisted ??= this.#readUnlisted());
  }

  #readUnlisted(): KeyNode['unlisted'] {
    const { row, tree, specs } = this.#read();
    if (row?.unlisted !== undefined) return row.unlisted;
    if (specs.includes(tree.top)) return tree.options.top;
    return this.anyChild !== undefined || this.children.size === 0 ? 'open' : tree.options.sections;
  }

  get strict(): boolean {
    const { row, tree } = this.#read();
    return this.unlisted === 'closed' ? tree.options.refuses === true : row?.strict === true;
  }

  #read(): Content & { readonly row: KeyRow | undefined } {
    if (this.#content === undefined) {
      const content = this.#place.read();
      this.#content = { ...content, row: mergedRow(content.specs) };
    }
    return this.#content;
  }

  #readChildren(): ReadonlyMap<string, KeyNode> {
    const { specs, tree } = this.#read();
    // What is referred to comes first, for its order.
    const names = new Set(specs.toReversed().flatMap((spec) => [...spec.children.keys()]));
    const mounts = specs.includes(tree.top) ? tree.options.mounts : undefined;
    for (const name of mounts?.keys() ?? []) names.add(name);
    const children = new Map<string, KeyNode>();
    for (const name of names) {
      const mount = mounts?.get(name);
      const child = mount === undefined ? this.#below(name) : this.#mounted(name, mount, tree);
      if (child !== undefined) children.set(name, child);
    }
    return children;
  }

  #readItem(): KeyNode['item'] {
    const key = this.#below('[]');
    const { items } = this.#read().row ?? {};
    if (items === undefined && key === undefined) return undefined;
    return { value: { types: [items?.type ?? 'object'], allowed: items?.enum, allowsOthers: false }, key };
  }

  #below(step: string): KeyNode | undefined {
    const { tree, specs } = this.#read();
    const { under: own, underBelow: under = own } = this.#place;
    const below = specs.flatMap((spec) => {
      const child = childSpec(spec, step);
      return child === undefined ? [] : tree.withReferences(child);
    });
    if (below.length === 0) return undefined;
    const name = step === '[]' || step === '{}' ? '' : step;
    const read = (): Content => ({ tree, specs: below });
    return new TreeKey({ name, path: pathBelow(this.path, step), parent: this, under, read });
  }

  #mounted(name: string, mount: () => KeyTree, host: KeyTree): KeyNode {
    const whole = host.options.mountsWhole?.(name) === true;
    const read = (): Content => {
      const tree = mount();
      const there = whole ? tree.top : tree.top.children.get(name);
      const specs = [host.top.children.get(name), there].filter((spec) => spec !== undefined);
      return { tree, specs };
    };
    const underBelow = whole ? name : '';
    return new TreeKey({ name, path: name, parent: this, under: '', underBelow, read });
  }
}

/** A row without a type adds to the one it refers to; a row with one is whole. */
function mergedRow(specs: readonly Spec[]): KeyRow | undefined {
  const rows = specs.map((spec) => spec.row).filter((row) => row !== undefined);
  const whole = rows.findIndex((row) => row.type !== undefined);
  const applied = whole === -1 ? rows : rows.slice(0, whole + 1);
  return applied.length < 2 ? applied[0] : (Object.assign({}, ...applied.toReversed()) as KeyRow);
}

function infoOf(row: KeyRow, place: KeyPosition, tree: KeyTree): KeyInfo {
  return {
    ...row,
    types: typesOf(row),
    allowed: row.enum,
    allowsOthers: row.enumIsOpen === true,
    description: row.description ?? '',
    default: row.default ?? null,
    hasDefault: row.default !== undefined,
    // Under another table, what is below has defaults of that table's.
    required: row.required === true && place.under === '',
    deprecated: row.deprecated === true,
    unused: row.unused === true,
    renamedTo: renamedPath(row, place),
    // Empty where it holds for the key that a row refers to, but not for this one.
    doNotSet: row.doNotSet === '' ? undefined : row.doNotSet,
    made: row.made === true,
    absent: row.absent === true ? tree.options.release : undefined,
    hasCurrentDefault: row.absent === undefined ? row.since === undefined : !row.absent,
    ofExample: row.appliesWhen?.endsWith(' only') === true,
    condition: conditionOf(row, place, tree),
    becomes: { verl: list(row.verlPath), trinity: list(row.trinityPath) },
  };
}

function typesOf({ type }: KeyRow): readonly ValueType[] {
  return type === 'any' || type === undefined ? valueTypes : list(type);
}

function conditionOf(
  { appliesWhen }: KeyRow,
  { under, path }: KeyPosition,
  tree: KeyTree,
): KeyInfo['condition'] {
  if (appliesWhen === undefined) return undefined;
  const own = under === '' ? path : path.slice(under.length + 1);
  const known = { has: (asked: string) => tree.find(asked) !== undefined };
  const clauses = compileCondition(appliesWhen, own, known);
  if (under === '') return clauses;
  return clauses.map((clause) => {
    return clause.path === undefined ? clause : { ...clause, path: `${under}.${clause.path}` };
  });
}

function renamedPath({ renamedTo }: KeyRow, { parent, under }: KeyPosition): string | undefined {
  if (renamedTo === undefined) return undefined;
  if (!renamedTo.includes('.')) return pathBelow(parent?.path ?? '', renamedTo);
  return under === '' ? renamedTo : `${under}.${renamedTo}`;
}

function list<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
