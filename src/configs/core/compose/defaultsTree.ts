import { Unresolved, type Environment } from '../interpolation/host.ts';
import { Resolver } from '../interpolation/resolver.ts';
import type { MappingValue, ScalarPart, Value } from '../value.ts';
import { DefaultEntry, type Report } from './defaultsList.ts';
import { hydraGroups } from './hydraGroups.ts';
import type { LoadedFile, Repository } from './repository.ts';

/** One file of a composition, in the order in which they are laid over one another. */
export interface Choice {
  readonly loaded: LoadedFile;
  /** Keys, dotted, that its content is put under; empty: the top. */
  readonly package: string;
  /** The entry that names it; undefined for the primary file. */
  readonly entry: DefaultEntry | undefined;
  /** True if the file has `defaults`, and this is its `_self_`. */
  readonly isSelf: boolean;
}

export interface TreeContext {
  readonly repository: Pick<Repository, 'load'>;
  readonly report: Report;
  readonly environment: Environment;
  readonly missing: (entry: DefaultEntry) => void;
}

interface TreeNode {
  readonly entry: DefaultEntry;
  readonly parent: TreeNode | undefined;
  loaded?: LoadedFile | undefined;
  children?: TreeNode[];
}

/**
 * Follows `defaults` lists as Hydra 1.3 does. It reads entries from the last to the first, so that an `override` is
 * known before the choice that it changes. Entries with `${group}` come after their neighbors. A list without
 * `_self_` ends with it. Entries that Hydra rejects are reported and ignored.
 */
export class DefaultsTree {
  readonly #context: TreeContext;
  readonly #overrides = new Map<
    string,
    { value: DefaultEntry['value']; used: boolean; entry: DefaultEntry }
  >();
  readonly #choices = new Map<string, { value: string | null; entry: DefaultEntry }>();

  constructor(context: TreeContext) {
    this.#context = context;
  }

  async follow(primary: LoadedFile): Promise<Choice[]> {
    const root: TreeNode = { entry: implied('\0'), parent: undefined, loaded: primary };
    await this.#grow(root, false);
    const choices = flatten(root).flatMap((leaf) => choiceOf(leaf, root));
    this.#reportTwice(choices);
    await this.#reportUnused();
    return choices;
  }

  async #grow(node: TreeNode, interpolated: boolean): Promise<void> {
    const { entry } = node;
    if (node.parent !== undefined && !(await this.#load(node))) return;
    const list = node.loaded?.entries() ?? [];
    if (list.length === 0) return;
    this.#addSelf(list);
    this.#noteOverrides(list, entry, interpolated);
    const children: TreeNode[] = [];
    for (const child of list.toReversed()) {
      if (child.isSelf) children.push({ entry: child, parent: node });
      else if (!child.override) children.push(...(await this.#children(child, node, interpolated)));
    }
    for (const child of children) await this.#grownLater(child, list);
    if (children.length > 0) node.children = children.toReversed();
  }

  /** False where there is nothing further to read. */
  async #load(node: TreeNode): Promise<boolean> {
    const { entry } = node;
    const { name } = entry;
    if (name !== null && name !== '???') {
      node.loaded = await this.#context.repository.load(entry.path);
      entry.setHeader(node.loaded?.header);
    }
    if (entry.group !== undefined) this.#noteChoice(entry);
    if (name === null) return false;
    if (entry.path.endsWith('???')) {
      const message = `\`${entry.path}\` of \`defaults\` is not chosen.`;
      return this.#leave(entry, message, 'Name one of the files of the group.');
    }
    if (node.loaded === undefined) {
      entry.left = true;
      if (!entry.optional) this.#context.missing(entry);
      return false;
    }
    for (let above = node.parent; above !== undefined; above = above.parent) {
      if (above.entry.path !== entry.path) continue;
      return this.#leave(entry, `\`${entry.path}\` includes itself.`, 'Remove this entry.');
    }
    return true;
  }

  #leave(entry: DefaultEntry, message: string, hint: string): false {
    entry.left = true;
    this.#context.report(entry.origin, message, hint);
    return false;
  }

  #addSelf(list: DefaultEntry[]): void {
    const selves = list.filter((entry) => entry.isSelf);
    for (const again of selves.slice(1)) {
      this.#context.report(again.origin, '`_self_` is in `defaults` more than once.', 'Keep one of them.');
      again.left = true;
    }
    if (selves.length === 0 && list.some((entry) => !entry.override)) list.push(implied('_self_'));
  }

  #noteOverrides(list: readonly DefaultEntry[], parent: DefaultEntry, interpolated: boolean): void {
    let seen: DefaultEntry | undefined;
    for (const entry of list) {
      if (entry.isSelf) continue;
      entry.within(...placeWithin(parent));
      if (!entry.override) {
        if (seen === undefined) continue;
        const message = `\`override ${seen.overrideKey}\` comes before an entry that is not an override.`;
        this.#context.report(seen.origin, message, 'Put the `override` entries at the end of `defaults`.');
        continue;
      }
      seen = entry;
      const key = entry.overrideKey;
      if (interpolated) {
        const message = 'A file that an interpolation names cannot have overrides.';
        this.#context.report(entry.origin, message, 'Move the `override` into the file that includes it.');
      } else if (!this.#overrides.has(key)) {
        this.#overrides.set(key, { value: entry.value, used: false, entry });
      }
    }
  }

  async #children(entry: DefaultEntry, parent: TreeNode, interpolated: boolean): Promise<TreeNode[]> {
    const override = entry.group === undefined ? undefined : this.#overrides.get(entry.overrideKey);
    if (override !== undefined) {
      entry.value = override.value;
      override.used = true;
    }
    const nodes = this.#options(entry, parent);
    for (const node of nodes) if (!isInterpolated(node.entry)) await this.#grow(node, interpolated);
    return nodes;
  }

  /** `- group: [a, b]` is one file after the other; here in reverse, as everything is. */
  #options(entry: DefaultEntry, parent: TreeNode): TreeNode[] {
    const { value, group, origin, optional } = entry;
    if (group === undefined || typeof value === 'string' || value === null) return [{ entry, parent }];
    return value.toReversed().flatMap((name) => {
      if (name.includes('${')) {
        this.#context.report(
          origin,
          'A list of names in `defaults` cannot contain `${…}`.',
          'Write the name.',
        );
        return [];
      }
      const option = new DefaultEntry({
        origin,
        value: `${group}/${name}`,
        package: entry.writtenPackage,
        optional,
      });
      option.within(...placeWithin(parent.entry));
      return [{ entry: option, parent }];
    });
  }

  async #grownLater(node: TreeNode, list: readonly DefaultEntry[]): Promise<void> {
    const { entry, parent } = node;
    if (!isInterpolated(entry) || parent === undefined) return;
    const written = entry.group === undefined ? entry.path : String(entry.value);
    const resolved = /^\$\{defaults\.\d\./.test(written) ? undefined : this.#resolved(written, entry, list);
    if (resolved === undefined) {
      const known = [...this.#choices.keys()].join('`, `');
      const hint = known === '' ? 'Write the name.' : `Possible names: \`${known}\`.`;
      this.#leave(entry, `\`${written}\` of \`defaults\` cannot be resolved.`, hint);
      return;
    }
    entry.value = resolved;
    await this.#grow(node, true);
  }

  /** Among the choices made so far, by their groups, and the list itself as `defaults`. */
  #resolved(text: string, entry: DefaultEntry, list: readonly DefaultEntry[]): string | undefined {
    const origin: Value['origin'] = entry.origin?.origin ?? { kind: 'bundled', key: '' };
    const scalar = (value: string | null): ScalarPart => {
      return { kind: 'scalar', type: value === null ? 'null' : 'string', value, origin };
    };
    const items = list.flatMap((one): Value[] => {
      if (one.isSelf && one.origin === undefined) return [];
      if (one.group === undefined) return [scalar(one.path)];
      const value = typeof one.value === 'string' || one.value === null ? scalar(one.value) : scalar(null);
      return [{ kind: 'mapping', origin, entries: new Map([[one.overrideKey, value]]) }];
    });
    const choices = [...this.#choices].map(([key, { value }]): [string, Value] => [key, scalar(value)]);
    const entries = new Map([...choices, ['defaults', { kind: 'sequence', origin, items } as const]]);
    const root: MappingValue = { kind: 'mapping', origin, entries };
    const resolver = new Resolver(root, this.#context.environment, { section: undefined, atRunTime: [] });
    try {
      const { value } = resolver.follow(scalar(text), ['\0']);
      return value.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
      return undefined;
    }
  }

  #noteChoice(entry: DefaultEntry): void {
    const key = entry.overrideKey;
    const value = typeof entry.value === 'string' ? entry.value : null;
    const known = this.#choices.get(key);
    if (known === undefined) this.#choices.set(key, { value, entry });
    else if (known.value !== value) {
      const message = `\`defaults\` chooses \`${key}\` more than once, with different names.`;
      this.#context.report(entry.origin, message, `To change a choice, write \`override ${key}: …\`.`);
    }
  }

  #reportTwice(choices: readonly Choice[]): void {
    const seen = new Set<string>();
    for (const { entry, isSelf } of choices) {
      if (entry?.group === undefined || isSelf) continue;
      const key = entry.overrideKey;
      if (seen.has(key) || hydraGroups.has(key)) {
        this.#context.report(
          entry.origin,
          `\`${key}\` is chosen more than once.`,
          `Write \`override ${key}: …\`.`,
        );
      }
      seen.add(key);
    }
  }

  async #reportUnused(): Promise<void> {
    for (const [key, { value, used, entry }] of this.#overrides) {
      if (used) continue;
      const options = hydraGroups.get(key);
      if (options === undefined) {
        const message = `\`override ${key}\` has no effect, because no entry of \`defaults\` chooses \`${key}\`.`;
        this.#context.report(entry.origin, message, 'Remove `override`, or name the group as it is chosen.');
        continue;
      }
      const names = typeof value === 'string' ? [value] : (value ?? []);
      for (const name of names) {
        if (options.includes(name)) continue;
        if ((await this.#context.repository.load(`${key}/${name}`)) === undefined)
          this.#context.missing(entry);
      }
    }
  }
}

function implied(value: string): DefaultEntry {
  return new DefaultEntry({ origin: undefined, value });
}

/** The top has neither folder nor package. */
function placeWithin(parent: DefaultEntry): [folder: string, parentPackage: string] {
  return [parent.groupPath, parent.finalPackage];
}

function isInterpolated(entry: DefaultEntry): boolean {
  if (typeof entry.value !== 'string') return false;
  return (entry.group === undefined ? entry.path : entry.value).includes('${');
}

function flatten(node: TreeNode): TreeNode[] {
  return node.children === undefined ? [node] : node.children.flatMap(flatten);
}

function choiceOf(leaf: TreeNode, root: TreeNode): Choice[] {
  const { entry, parent } = leaf;
  if (entry.left || entry.name === null || entry.name === '???') return [];
  const named = entry.isSelf && parent !== undefined ? parent : leaf;
  if (named.loaded === undefined) return [];
  const isRoot = named === root;
  return [
    {
      loaded: named.loaded,
      package: isRoot ? '' : named.entry.finalPackage,
      entry: isRoot ? undefined : named.entry,
      isSelf: named !== leaf,
    },
  ];
}
