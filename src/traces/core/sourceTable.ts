import type { CallSource } from '../../tracking/core/records/trace.ts';

export class SourceTable {
  readonly #config: string;
  readonly #fingerprint: (file: string) => string | null;
  readonly #ids = new Map<string, number>();
  readonly #files = new Map<string, string | null>();

  /** @param config an absolute path */
  constructor(config: string, fingerprint: (file: string) => string | null) {
    this.#config = config;
    this.#fingerprint = fingerprint;
  }

  get nextId(): number {
    return this.#ids.size + 1;
  }

  idOf(source: CallSource): number | undefined {
    return this.#ids.get(keyOf(source));
  }

  keep(source: CallSource): void {
    const key = keyOf(source);
    if (!this.#ids.has(key)) this.#ids.set(key, this.nextId);
  }

  name(file: string): string {
    return sourceName(file, this.#config);
  }

  /** Returns the fingerprint of a new file; undefined: it is known, or cannot be read. */
  newFingerprint(file: string): string | undefined {
    const known = this.#files.get(file);
    const fingerprint = known === undefined ? this.#fingerprint(file) : known;
    this.#files.set(file, fingerprint);
    return fingerprint ?? undefined;
  }
}

/** Returns a relative path for a file in the config's folder, since both are moved together. */
export function sourceName(file: string, config: string): string {
  const folder = folderOf(config);
  const isInside = folder !== '' && file.startsWith(folder);
  return isInside ? file.slice(folder.length).replaceAll('\\', '/') : file;
}

export function sourceFile(name: string, config: string): string {
  return /^(?:[A-Za-z]:)?[\\/]/.test(name) ? name : folderOf(config) + name;
}

/** Returns the folder with a separator at its end. */
function folderOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
}

function keyOf({ file, line, column, function: name }: CallSource): string {
  return `${line} ${column ?? ''} ${name ?? ''} ${file}`;
}
