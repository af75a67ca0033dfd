import { quoted } from '../../core/sql.ts';
import type { Connection } from './connection.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  /** Position in the primary key, from 1; 0: not part of the key. */
  readonly pk: number;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** Unreadable keys of a first column, between `after` and `before`; null: up to the end of the table. */
export interface Gap {
  readonly after: number;
  readonly before: number | null;
}

export type Row = Readonly<Record<string, null | number | string | Uint8Array>>;

/** The highest key that a row of a trace can have. */
const highest = Number.MAX_SAFE_INTEGER;

/** The rows of a damaged table that can be read, in the order of their keys. */
export class ReadableRows {
  /** Filled while rows are read. */
  readonly gaps: Gap[] = [];
  readonly #connection: Connection;
  readonly #columns: string;
  readonly #from: string;
  readonly #key: readonly string[];
  /** The statement that selects rows with the first column of their key, from a value on. */
  readonly #rowsFrom: string;
  readonly #isCounted: boolean;
  /** The limit of rows. It exceeds what a file of this size can have, and stops reading pages that form a circle. */
  #allowed: number;

  /** @param selected SQL expressions for what is read of each row in addition to its key */
  constructor(connection: Connection, { name, columns }: Table, selected?: readonly string[]) {
    this.#connection = connection;
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    this.#key = key.map((column) => quoted(column.name));
    this.#columns = [...(selected ?? columns.map((column) => quoted(column.name)))].join(', ');
    this.#from = `FROM main.${quoted(name)}`;
    const [first = ''] = this.#key;
    this.#rowsFrom = `SELECT ${this.#columns}, ${first} AS salvagedKey ${this.#from} WHERE ${first} >= :from ORDER BY ${this.#key.join(', ')}`;
    this.#isCounted = key[0]?.type === 'INTEGER';
    this.#allowed = connection.number('page_count') * connection.number('page_size');
  }

  *[Symbol.iterator](): Generator<Row> {
    if (this.#isCounted) yield* this.#byNumber();
    else yield* this.#fromBothEnds();
  }

  *#byNumber(): Generator<Row> {
    let last = -1;
    let from = 0;
    for (;;) {
      try {
        for (const row of this.#connection.iterate(this.#rowsFrom, { from })) {
          const { salvagedKey, ...rest } = row as Row;
          if (typeof salvagedKey !== 'number' || salvagedKey < last)
            throw new Error('Its keys are in no order.');
          last = salvagedKey;
          this.#count();
          yield rest;
        }
        return;
      } catch {
        if (this.#allowed <= 0) return;
        const next = this.#readableAfter(last);
        this.gaps.push({ after: last, before: next });
        if (next === null) return;
        from = next;
      }
    }
  }

  /** Reads a table with text keys, which is small, from both ends. The rows between are lost. */
  *#fromBothEnds(): Generator<Row> {
    for (const order of ['ASC', 'DESC']) {
      const by = this.#key.map((column) => `${column} ${order}`).join(', ');
      try {
        for (const row of this.#connection.iterate(`SELECT ${this.#columns} ${this.#from} ORDER BY ${by}`)) {
          this.#count();
          yield row as Row;
        }
        return;
      } catch {
        this.gaps.push({ after: -1, before: null });
      }
    }
  }

  #count(): void {
    this.#allowed -= 1;
    if (this.#allowed <= 0) throw new Error('It has more rows than it can have.');
  }

  /** Returns the first readable key after `last`; null: there is none. The steps double, then halve. */
  #readableAfter(last: number): number | null {
    let [low, step] = [last, 1];
    let key = this.#keyFrom(last + step);
    while (key === undefined) {
      low = last + step;
      step *= 2;
      if (last + step >= highest) return null;
      key = this.#keyFrom(last + step);
    }
    for (let high = last + step; high - low > 1;) {
      const middle = low + Math.floor((high - low) / 2);
      const found = this.#keyFrom(middle);
      if (found === undefined) low = middle;
      else [high, key] = [middle, found];
    }
    return key;
  }

  /** Returns the first key that is not lower; null: there is none; undefined: it cannot be read. */
  #keyFrom(from: number): number | null | undefined {
    try {
      // Selects all columns, because a row's key may be readable while its contents are not.
      const [row] = this.#connection.all(`${this.#rowsFrom} LIMIT 1`, { from });
      if (row === undefined) return null;
      const key = (row as Row)['salvagedKey'];
      return typeof key === 'number' && key >= from ? key : undefined;
    } catch {
      return undefined;
    }
  }
}
