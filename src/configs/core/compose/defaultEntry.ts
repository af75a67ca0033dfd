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
