import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The clock may have been set back between a file and the marker; milliseconds. */
const slack = 3_600_000;

/**
 * Contents that the disk may not have yet. Waiting for the disk at each would cost a sync many times what it takes, so
 * that is done afterwards; a marker stands in the folder meanwhile. Where it is found at the start, the machine may have
 * gone down: contents from its time on are read again, and those that are not what they are called are removed.
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

  /** @param name gives the content its name, which is `file` */
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

  /** One that could not be set is tried again with the next content. */
  #mark(): Promise<void> {
    const marked = this.#unmarked.then(() => flush(this.#marker, 'a'));
    marked.catch(() => {
      if (this.#marked === marked) this.#marked = undefined;
    });
    return marked;
  }

  /** Resolves once all that was kept so far is on the disk. */
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
      for (const name of await readdir(folder)) {
        const file = path.join(folder, name);
        const { mtimeMs } = await stat(file);
        if (mtimeMs < marker.mtimeMs - slack) continue;
        if ((await sumOf(file)) === path.basename(folder) + name) await flush(file, 'r+');
        else await rm(file, { force: true });
      }
    }
    await rm(this.#marker, { force: true });
  }
}

async function sumOf(file: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(file), sum);
  return sum.digest('hex');
}

/** Folders cannot be flushed everywhere, and files not where they have been removed since. */
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
