import { rmSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { EpisodePart } from '../../core/import/parts.ts';
import { Connection } from '../store/connection.ts';

/** Parts of episodes in a scratch file, which goes when it is closed: they come in any order, and need not fit into memory. */
export class Stage {
  readonly #file: string;
  readonly #connection: Connection;
  /** Numbers of the episodes by their names, in the order in which they came. */
  readonly #episodes = new Map<string, number>();
  #parts = 0;

  /** @param file that may be overwritten */
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

  /** In the order in which they came. */
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
