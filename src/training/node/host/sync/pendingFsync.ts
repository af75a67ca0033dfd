import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Milliseconds by which the clock may have been set back between a file and the marker. */
const slack = 3_600_000;

/**
 * Flushes contents to the disk in the background, because waiting for each would make a sync much slower.
 * A marker file exists meanwhile. If it exists at the start, the machine may have crashed: newer contents are
 * verified, and broken ones are removed.
 */
export class PendingFsync {
  readonly #marker: string;
  #files: string[] = [];
  #underway = 0;
  #marked: Promise<void> | undefined;
  #unmarked = Promise.resolve();
  #flushing: Promise<void> | undefined;

  constructor(marker: string) {
    this.#marker = marker;
  }

  /** @param name renames the content to `file` */
  async keep(file: string, name: () => Promise<void>): Promise<void> {
    this.#underway++;
    try {
      this.#marked ??= this.#mark();
      await this.#marked;
      await name();
      this.#files.push(file);
    } finally {
      this.#underway--;
    }
  }

  /** A marker that cannot be written is tried again with the next content. */
  #mark(): Promise<void> {
    const marked = this.#unmarked.then(() => flush(this.#marker, 'a'));
    marked.catch(() => {
      if (this.#marked === marked) this.#marked = undefined;
    });
    return marked;
  }

  /** Resolves when all contents so far are on the disk. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => (this.#flushing = undefined));
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    const folders = new Set<string>();
    for (let file = this.#files.pop(); file !== undefined; file = this.#files.pop()) {
      await flush(file, 'r+');
      folders.add(path.dirname(file));
    }
    for (const folder of folders) await flush(folder, 'r');
    if (this.#underway > 0 || this.#files.length > 0) return;
    this.#marked = undefined;
    this.#unmarked = rm(this.#marker, { force: true });
    await this.#unmarked;
  }

  async recover(folders: readonly string[]): Promise<void> {
    const marker = await stat(this.#marker).catch(() => undefined);
    if (marker === undefined) return;
    for (const folder of folders) {
      for (const name of await readdir(folder).catch(() => [])) {
        const file = path.join(folder, name);
        const found = await lstat(file).catch(() => undefined);
        if (found?.isFile() === true && found.mtimeMs < marker.mtimeMs - slack) continue;
        const sum = found?.isFile() === true ? await sumOfFile(file).catch(() => undefined) : undefined;
        if (sum === path.basename(folder) + name) await flush(file, 'r+');
        else await rm(file, { recursive: true, force: true }).catch(() => undefined); // copying it checks it
      }
    }
    await rm(this.#marker, { recursive: true, force: true });
  }
}

export async function sumOfFile(file: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(file), sum);
  return sum.digest('hex');
}

/** Flushes a file or folder. Some systems cannot flush folders, and the file may be gone. */
async function flush(file: string, flags: 'a' | 'r+' | 'r'): Promise<void> {
  const handle = await open(file, flags).catch(() => undefined);
  try {
    await handle?.sync().catch((error: unknown) => {
      if (flags !== 'r') throw error;
    });
  } finally {
    await handle?.close();
  }
}
