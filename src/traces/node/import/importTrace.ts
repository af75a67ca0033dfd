import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { deserialize, serialize } from 'node:v8';
import { inflateSync } from 'node:zlib';
import type { JobOptions } from '../export/exportFile.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { openRegular } from '../../../base/node/regularFile.ts';
import type { TracedRun } from '../../../tracking/core/records/tracedRun.ts';
import { EpisodeAssembler } from '../../core/import/assemble.ts';
import { detectImporter } from '../../core/import/detect.ts';
import { importErrors } from '../../core/import/errors.ts';
import { ImportTally } from '../../core/import/tally.ts';
import { emptyRun } from '../../core/episodeContent.ts';
import { applicationId } from '../../core/layout.ts';
import { Connection } from '../store/connection.ts';
import { storeErrors } from '../store/errors.ts';
import { openTraceWriter } from '../store/openWriter.ts';
import { unwritten } from '../store/source.ts';
import type { EpisodePart, ImportSource } from '../../core/import/parts.ts';

/** Stores parts in a scratch file, because they arrive in any order and may not fit into memory. */
class Stage {
  readonly #file: string;
  readonly #connection: Connection;
  /** The numbers of the episodes by name, in order of arrival. */
  readonly #episodes = new Map<string, number>();
  #parts = 0;

  constructor(file: string) {
    this.#file = file;
    rmSync(file, { force: true });
    this.#connection = new Connection(file);
    this.#connection.execute(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      CREATE TABLE parts (episode INTEGER, part INTEGER, value BLOB, PRIMARY KEY (episode, part)) WITHOUT ROWID;
      BEGIN;
    `);
  }

  get episodes(): readonly string[] {
    return [...this.#episodes.keys()];
  }

  add(episode: string, part: EpisodePart): void {
    const number = this.#episodes.get(episode) ?? this.#episodes.size;
    this.#episodes.set(episode, number);
    this.#parts += 1;
    this.#connection.run('INSERT INTO parts VALUES (?, ?, ?)', [number, this.#parts, serialize(part)]);
  }

  /** Returns the parts of an episode in order of arrival. */
  partsOf(episode: string): readonly EpisodePart[] {
    const number = this.#episodes.get(episode) ?? -1;
    const statement = 'SELECT value FROM parts WHERE episode = :number ORDER BY part';
    return (this.#connection.all(statement, { number }) as readonly { readonly value: Uint8Array }[]).map(
      ({ value }) => deserialize(value) as EpisodePart,
    );
  }

  close(): void {
    this.#connection.close();
    rmSync(this.#file, { force: true });
  }
}

export interface ImportOptions extends JobOptions {
  /** The folder for traces of imported files, by content. It is created if it is missing. */
  readonly cacheFolder: string;
}

/** Changes when importers find other data, so that files are imported again. */
const importVersion = 4;

/**
 * Returns the trace of a file: the file itself if it is a trace, otherwise a trace in the cache, which is created if
 * necessary. The file and its folder are not changed. Rejects with a CodedError.
 */
export async function traceOf(file: string, options: ImportOptions): Promise<string> {
  const source = path.resolve(file);
  if (!existsSync(source)) throw storeErrors.noSuchFile(source);
  if (!statSync(source).isFile()) throw storeErrors.noFile(source);
  try {
    return isTrace(source) ? source : await imported(source, options);
  } catch (error) {
    throw error instanceof CodedError ? error : importErrors.cannotRead(source, error);
  }
}

/** Returns true for a trace, and for a file that cannot be read, because the trace reader reports the reason. */
function isTrace(file: string): boolean {
  if (/\.ajtrace$/i.test(file)) return true;
  if (statSync(file).size === 0 || !isSqlite(file)) return false;
  const connection = new Connection(file, { readOnly: true });
  try {
    return connection.number('application_id') === applicationId;
  } catch {
    return false; // it has a journal that may not be written here, which importing copes with
  } finally {
    connection.close();
  }
}

async function imported(file: string, options: ImportOptions): Promise<string> {
  const { cacheFolder } = options;
  mkdirSync(cacheFolder, { recursive: true, mode: 0o700 });
  const name = `${await contentHash(file, options)}-${importVersion}`;
  // Viewers show the name of the file.
  const target = path.join(cacheFolder, name, `${path.basename(file)}.ajtrace`);
  if (existsSync(target)) {
    const now = new Date();
    utimesSync(target, now, now);
    return target;
  }
  const scratch = path.join(cacheFolder, `${name}-${process.pid}`);
  const parts = [`${scratch}.stage`, `${scratch}.ajtrace`];
  try {
    await write(file, scratch, options);
    mkdirSync(path.dirname(target), { recursive: true });
    renameSync(`${scratch}.ajtrace`, target);
    prune(cacheFolder);
    return target;
  } finally {
    for (const part of parts)
      for (const end of ['', '-wal', '-shm', '-journal']) rmSync(part + end, { force: true });
  }
}

/** Milliseconds. An imported trace that is not opened again is deleted after this time. */
const keptFor = 30 * 24 * 3_600_000;

function prune(cacheFolder: string): void {
  for (const name of readdirSync(cacheFolder)) {
    const folder = path.join(cacheFolder, name);
    try {
      const times = readdirSync(folder).map((file) => statSync(path.join(folder, file)).mtimeMs);
      if (Date.now() - Math.max(...times) > keptFor) rmSync(folder, { recursive: true, force: true });
    } catch {
      // It is another import's scratch file, which that import deletes, or it has already been deleted.
    }
  }
}

/** Returns the hash of everything that decides the result: the content and the file name, which the trace shows. */
async function contentHash(file: string, { cancellation }: ImportOptions): Promise<string> {
  const hash = createHash('sha256').update(file);
  for (const end of ['', '-wal', '-journal']) {
    if (!existsSync(file + end)) continue;
    const content = (await openRegular(file + end)).createReadStream();
    for await (const piece of content as AsyncIterable<Uint8Array>) {
      if (cancellation.isCancelled) throw importErrors.cancelled(file);
      hash.update(piece);
    }
  }
  return hash.digest('hex').slice(0, 32);
}

/** @param scratch the path of the stage and the trace, without their endings */
async function write(
  file: string,
  scratch: string,
  { cancellation, onProgress }: ImportOptions,
): Promise<void> {
  const size = Math.max(1, statSync(file).size);
  const goOn = (): void => {
    if (cancellation.isCancelled) throw importErrors.cancelled(file);
  };
  const source = openImportSource(file, (bytes) => {
    goOn();
    onProgress?.((0.7 * bytes) / size);
  });
  const stage = new Stage(`${scratch}.stage`);
  try {
    const importer = await detectImporter(source, file);
    const tally = new ImportTally((episode, part) => {
      goOn();
      stage.add(episode, part);
    });
    await importer.run(source, tally);
    if (stage.episodes.length === 0) throw importErrors.nothingFound(file, importer.label, tally.firstSkip());
    const { places, ...counts } = tally.numbered(stage.episodes);
    const writer = openTraceWriter(`${scratch}.ajtrace`, {
      ...unknownRun,
      ...counts,
      episodes: places.length,
      experiment: tally.experiment ?? source.name,
      model: tally.model ?? '',
      imported: tally.note(importer, file),
      startedAt: tally.startedAt,
    });
    const assembler = new EpisodeAssembler(writer);
    try {
      for (const [index, place] of places.entries()) {
        goOn();
        assembler.write(place, stage.partsOf(place.name));
        onProgress?.(0.7 + (0.3 * index) / places.length);
      }
    } finally {
      writer.runEnded({ status: 'completed', error: null, endedAt: tally.endedAt });
    }
  } finally {
    stage.close();
    source.close();
  }
}

/** Facts that only a config would provide stay empty. */
const unknownRun: TracedRun = {
  ...emptyRun,
  configText: '',
  merging: { compareLevel: 'text', ignoreTools: true },
};

const sqliteHeader = 'SQLite format 3\0';

function isSqlite(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(sqliteHeader.length);
    readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1') === sqliteHeader;
  } finally {
    closeSync(descriptor);
  }
}

/** Changes neither the file nor its folder. Throws errors of the file system and of SQLite. */
function openImportSource(file: string, onRead: (bytes: number) => void): ImportSource & { close(): void } {
  const opened = isSqlite(file) ? unwritten(file) : undefined;
  const database = opened?.open() ?? null;
  return {
    name: path.basename(file),
    pieces: () => pieces(file, onRead),
    inflate: (bytes, most) => inflateSync(bytes, { maxOutputLength: most }),
    fromBase64: (text) => Buffer.from(text, 'base64'),
    database: database && {
      rows: (statement) => database.iterate(statement) as Iterable<Readonly<Record<string, unknown>>>,
    },
    close: () => {
      database?.close();
      opened?.remove();
    },
  };
}

async function* pieces(file: string, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const stream = (await openRegular(file)).createReadStream({ encoding: 'utf8', highWaterMark: 2 ** 18 });
  for await (const piece of stream as AsyncIterable<string>) {
    onRead(stream.bytesRead);
    yield piece;
  }
}
