import { parseJson } from './shallowJson.ts';
import type * as z from 'zod/mini';
import { traceErrors } from './errors.ts';
import * as records from './records.ts';
import type { SqlParameters, SqlScratch, SqlValue } from './sql.ts';

/** Reads and checks rows, because files come from anywhere. Rows of another form throw `trace/damaged`. */
export class CheckedRows {
  readonly file: string;
  readonly #sql: SqlScratch;

  constructor(sql: SqlScratch, file: string) {
    this.#sql = sql;
    this.file = file;
  }

  all<T>(schema: z.ZodMiniType<T>, statement: string, parameters: SqlParameters): readonly T[] {
    return this.#sql.all(statement, parameters).map((row) => {
      const parsed = schema.safeParse(row);
      return parsed.success ? parsed.data : this.damaged('it has rows of another form than a trace has');
    });
  }

  one<T>(schema: z.ZodMiniType<T>, statement: string, parameters: SqlParameters): T | undefined {
    return this.all(schema, statement, parameters)[0];
  }

  /** Returns the value of a key of `meta`; undefined: not written. */
  meta<T>(key: string, schema: z.ZodMiniType<T>): T | undefined {
    const row = this.one(records.valueRecord, 'SELECT value FROM meta WHERE key = :key', { key });
    return row && this.json(row.value, schema, `its ${key}`);
  }

  json<T>(text: string, schema: z.ZodMiniType<T>, what: string): T {
    const parsed = schema.safeParse(parseJson(text));
    return parsed.success ? parsed.data : this.damaged(`${what} cannot be read`);
  }

  damaged(why: string): never {
    throw traceErrors.damaged(this.file, why);
  }

  /** Writes into a temporary table of the reader, which is not part of the file. */
  writeTemporary(statement: string, values: readonly SqlValue[]): void {
    this.#sql.run(statement, values);
  }
}
