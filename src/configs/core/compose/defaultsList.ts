import type { Value } from '../value.ts';

export interface WrittenEntry {
  /** The entry's value in the file; undefined for an implied entry. */
  readonly origin: Value | undefined;
  /** The group of `group: name`, with its slashes; undefined for an entry that is only a path. */
  readonly group?: string;
  /** The name, several names, or the path where there is no group; null takes the group out. */
  readonly value: string | null | readonly string[];
  /** Behind the `@`. */
  readonly package?: string | undefined;
  readonly optional?: boolean;
  readonly override?: boolean;
}

/**
 * An entry of a `defaults` list as in Hydra 1.3 (`version_base` unset). It has the file, the group choice, and the
 * package for the content of the file. Group and package are relative to the including file.
 */
export class DefaultEntry {
  readonly origin: Value | undefined;
  readonly group: string | undefined;
  readonly optional: boolean;
  readonly override: boolean;
  value: string | null | readonly string[];
  /** The `# @package` header of the file that the entry names. */
  header: string | undefined;
  /** Not found, and that was allowed. */
  left = false;
  #package: string | undefined;
  #folder = '';
  #parentPackage = '';

  constructor(written: WrittenEntry) {
    this.origin = written.origin;
    this.group = written.group;
    this.value = written.value;
    this.optional = written.optional === true;
    this.override = written.override === true;
    this.#package = written.package === '_here_' ? '' : written.package;
  }

  get isSelf(): boolean {
    return this.value === '_self_';
  }

  get writtenPackage(): string | undefined {
    return this.#package;
  }

  /** Takes its place in the file whose group folder and package these are. */
  within(folder: string, parentPackage: string): void {
    this.#folder = folder;
    this.#parentPackage = parentPackage;
    if (this.#package?.includes('_group_') === true) {
      const here = this.groupPath.replaceAll('/', '.');
      this.#package = `_global_.${this.#package.replaceAll('_group_', here)}`;
    }
  }

  get name(): string | null {
    if (typeof this.value !== 'string') return null;
    return this.group === undefined ? this.value.slice(this.value.lastIndexOf('/') + 1) : this.value;
  }

  /** Folder of the file that it names, from the top of the search path. */
  get groupPath(): string {
    return this.#fromTop(this.group ?? folderOf(String(this.value)), this.group ?? String(this.value));
  }

  /** The file that it names, from the top of the search path, without `.yaml`. */
  get path(): string {
    if (this.group !== undefined) return `${this.groupPath}/${String(this.value)}`;
    return this.#fromTop(String(this.value), String(this.value));
  }

  /** Keys, dotted, that the file's content is put under; empty: the top. */
  get finalPackage(): string {
    return this.#resolved(this.#package ?? this.header);
  }

  /** Returns the name that `override` uses to change this choice. */
  get overrideKey(): string {
    const group = this.groupPath;
    const target = this.#resolved(this.#package);
    if (target === group.replaceAll('/', '.')) return group;
    return `${group}@${target === '' ? '_global_' : target}`;
  }

  setHeader(header: string | undefined): void {
    if (header === undefined) return;
    const absolute = header === '_global_' || header.startsWith('_global_.');
    this.header = absolute ? header : `_global_.${header}`;
  }

  #fromTop(relative: string, written: string): string {
    if (written.startsWith('/')) return relative.replace(/^\//, '');
    return [this.#folder, relative].filter((part) => part !== '').join('/');
  }

  #resolved(own: string | undefined): string {
    const written = this.group ?? folderOf(String(this.value));
    const named = own ?? written.replace(/^\//, '').replaceAll('/', '.');
    const whole = [this.#parentPackage, named].filter((part) => part !== '').join('.');
    const global = whole.lastIndexOf('_global_');
    return global < 0 ? whole : whole.slice(global + '_global_'.length + 1);
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export type Report = (at: Value | undefined, message: string, hint: string) => void;

const forms = 'Write `- name`, `- group: name`, or `- group: [name, name]`.';

/** Reads a `defaults` list. Invalid entries are reported and ignored. */
export function readDefaults(list: Value | undefined, report: Report): DefaultEntry[] {
  if (list === undefined) return [];
  if (list.kind !== 'sequence') {
    report(list, '`defaults` must be a list.', 'Write one `- name` per line.');
    return [];
  }
  return list.items.flatMap((item) => {
    const written = entryOf(item, report);
    return written === undefined ? [] : [new DefaultEntry(written)];
  });
}

function entryOf(item: Value, report: Report): WrittenEntry | undefined {
  if (item.kind === 'mapping') return groupEntry(item, report);
  if (item.kind === 'scalar' && typeof item.value === 'string') return pathEntry(item.value, item, report);
  report(item, 'An entry of `defaults` must be a name or `group: name`.', forms);
  return undefined;
}

function pathEntry(text: string, item: Value, report: Report): WrittenEntry | undefined {
  const { before, inside } = splitPackage(text);
  if (before === '_self_' && inside !== undefined) {
    report(item, '`_self_` cannot have a package.', 'Write `_self_` alone.');
    return undefined;
  }
  return { origin: item, value: before, package: inside };
}

function groupEntry(item: Extract<Value, { kind: 'mapping' }>, report: Report): WrittenEntry | undefined {
  const [first, ...others] = item.entries;
  if (first === undefined || others.length > 0) {
    report(item, 'An entry of `defaults` can name only one group.', 'Write one entry per group.');
    return undefined;
  }
  const [key, value] = first;
  const { before, inside } = splitPackage(key);
  const words = before.split(' ');
  const group = words.pop() ?? '';
  const names = namesOf(value);
  if (group === '' || names === undefined || names === '_self_') {
    report(value, `\`${key}\` of \`defaults\` takes a name, a list of names, or null.`, forms);
    return undefined;
  }
  const keywords = leading(words);
  return {
    origin: item,
    group,
    value: names,
    package: inside,
    optional: keywords.includes('optional'),
    override: keywords.includes('override'),
  };
}

/** Hydra stops at the first word that it does not know. */
function leading(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word !== 'optional' && word !== 'override');
  return end < 0 ? words : words.slice(0, end);
}

function namesOf(value: Value): string | null | string[] | undefined {
  if (value.kind === 'scalar') {
    return typeof value.value === 'string' || value.value === null ? value.value : undefined;
  }
  if (value.kind === 'mapping') return undefined;
  const names = value.items.map((item) => (item.kind === 'scalar' ? item.value : undefined));
  return names.every((name) => typeof name === 'string') ? names : undefined;
}

/** `group@package`, of which `group@from:to` is an older form. */
function splitPackage(text: string): { before: string; inside: string | undefined } {
  const at = text.indexOf('@');
  if (at < 0) return { before: text, inside: undefined };
  return { before: text.slice(0, at), inside: text.slice(at + 1).split(':')[0] ?? '' };
}
