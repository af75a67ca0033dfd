import ajetTable from '../data/ajet-keys.json' with { type: 'json' };
import astunerTable from '../data/astuner-differences.json' with { type: 'json' };
import trinityTable from '../data/trinity-keys.json' with { type: 'json' };
import verlTable from '../data/verl-keys.json' with { type: 'json' };
import type { KeyRow, KeyNode } from './keyTableRow.ts';
import { KeyTree, rootOf, stepsOf } from './keyTableTree.ts';
import { rowsOfRelease, usualTrinity, type KnownRelease } from './releases.ts';
import type { NodePath } from '../node.ts';

export type { KeyInfo, KeyNode, ValueInfo, ValueType } from './keyTableRow.ts';

/** The keys of one format. Keys are made when first asked for, so a large table costs only what is looked at. */
export class KeyTable {
  readonly root: KeyNode;
  readonly #mounted: ReadonlySet<string>;
  #keys: readonly KeyNode[] | undefined;
  #required: readonly KeyNode[] | undefined;
  #byName: Map<string, readonly KeyNode[]> | undefined;

  /** `mounted` are the top-level sections of other tables. */
  constructor(root: KeyNode, mounted: Iterable<string> = []) {
    this.root = root;
    this.#mounted = new Set(mounted);
  }

  /** Every key of the table and the sections it implies, in the table's order; not those that other tables tell. */
  get keys(): readonly KeyNode[] {
    return (this.#keys ??= [...keysBelow(this.root, this.#mounted)]);
  }

  get required(): readonly KeyNode[] {
    return (this.#required ??= this.keys.filter(
      ({ info }) => info?.required === true && info.absent === undefined,
    ));
  }

  /** The keys with a name that have one place in a document; not those in lists, or under names of the user's choice. */
  named(name: string): readonly KeyNode[] {
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (const key of this.keys) {
        if (/[[{]/.test(key.path)) continue;
        this.#byName.set(key.name, [...(this.#byName.get(key.name) ?? []), key]);
      }
    }
    return this.#byName.get(name) ?? [];
  }

  /** By a path as in the table, with `[]` and `{}`. */
  get(path: string): KeyNode | undefined {
    let node: KeyNode | undefined = this.root;
    for (const step of stepsOf(path)) {
      if (step === '[]') node = node?.item?.key;
      else node = step === '{}' ? node?.anyChild : node?.children.get(step);
    }
    return node;
  }

  /** The key at a path of a document, or the key whose list's item is there. */
  find(path: NodePath): KeyNode | undefined {
    let node: KeyNode | undefined = this.root;
    for (const step of path) node = typeof step === 'number' ? node?.item?.key : childOf(node, step);
    return node;
  }
}

/** Returns the key for a name in a section: a listed key, or the key for any name. */
export function childOf(section: KeyNode | undefined, name: string): KeyNode | undefined {
  return section?.children.get(name) ?? section?.anyChild;
}

function* keysBelow(key: KeyNode, except: ReadonlySet<string>): Generator<KeyNode> {
  for (const child of key.children.values()) {
    yield child;
    if (!except.has(child.path)) yield* keysBelow(child, except);
  }
  for (const child of [key.item?.key, key.anyChild]) {
    if (child === undefined) continue;
    yield child;
    yield* keysBelow(child, except);
  }
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

// The data is checked by the tests of the tables, not each time it is read.
const rowsOf = ({ rows }: { readonly rows: unknown }): readonly KeyRow[] => rows as readonly KeyRow[];

/** The releases whose keys and defaults apply; AgentJet's is undefined if nothing names it. */
export interface TableReleases {
  readonly ajet?: KnownRelease | undefined;
  readonly trinity?: KnownRelease | undefined;
}

/** Makes each table once per release. */
function perRelease<T>(make: (releases: Required<TableReleases>) => T): (releases?: TableReleases) => T {
  const made = new Map<string, T>();
  return ({ ajet, trinity = usualTrinity } = {}) => {
    const id = JSON.stringify([ajet, trinity]);
    const table = made.get(id) ?? make({ ajet, trinity });
    made.set(id, table);
    return table;
  };
}

const trinityTree = perRelease(({ trinity: release }) => {
  const rows = rowsOfRelease(rowsOf(trinityTable), release);
  return new KeyTree(rows, { top: 'closed', sections: 'closed', refuses: true, release });
});
const verlTree = lazy(() => new KeyTree(rowsOf(verlTable), { top: 'passed-on', sections: 'passed-on' }));

const verlSections = [
  'actor_rollout_ref',
  'algorithm',
  'critic',
  'custom_reward_function',
  'data',
  'ray_init',
  'reward_model',
  'trainer',
];

/** The table of a launcher, with the sections of the backbones next to its own, which are passed on unchanged. */
function launcherTable(rows: readonly KeyRow[], releases: TableReleases): KeyTable {
  const mounts = new Map([
    ['trinity', () => trinityTree(releases)],
    ...verlSections.map((name) => [name, verlTree] as const),
  ]);
  const mountsWhole = (name: string): boolean => name === 'trinity';
  const { ajet: release } = releases;
  const tree = new KeyTree(rows, { top: 'open', sections: 'closed', mounts, mountsWhole, release });
  return new KeyTable(rootOf(tree), mounts.keys());
}

/** The keys of AgentJet's configs, with the sections of its backbones. */
export const ajetKeys = perRelease((releases) =>
  launcherTable(rowsOfRelease(rowsOf(ajetTable), releases.ajet), releases),
);

/** The keys of its predecessor ASTuner: the same tree under another name, but for a few keys. */
export const astunerKeys = perRelease(({ trinity }) => {
  const changes = new Map(Object.entries(astunerTable.change as Record<string, Partial<KeyRow>>));
  const added = rowsOf({ rows: astunerTable.add });
  const own = new Set(added.map(({ path }) => path));
  const same = rowsOf(ajetTable).flatMap((row): KeyRow[] => {
    // Newer than the predecessor.
    if (row.since !== undefined) return [];
    const renamed = JSON.parse(JSON.stringify(row).replaceAll(/\bajet(?=[."])/g, 'astuner')) as KeyRow;
    if (own.has(renamed.path)) return [];
    return [{ ...renamed, renamedTo: undefined, removed: undefined, ...changes.get(renamed.path) }];
  });
  return launcherTable([...same, ...added], { trinity });
});

export const trinityKeys = perRelease((releases) => new KeyTable(rootOf(trinityTree(releases))));
