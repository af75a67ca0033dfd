import { isRecord } from '../../base/core/isRecord.ts';
import type { CheckedRows } from './checkedRows.ts';
import { parseJson } from './shallowJson.ts';
import { clip } from './clip.ts';
import { nameRecord, toolCallsRecord } from './records.ts';

/**
 * Returns the definition of the table of tools that messages of an episode call. Traces of earlier versions do not
 * have it.
 */
export function usedToolsTable(kind: 'TABLE' | 'TEMP TABLE'): string {
  return `CREATE ${kind} usedTools (
  episode INTEGER NOT NULL,
  tool TEXT NOT NULL,
  PRIMARY KEY (episode, tool)
) STRICT, WITHOUT ROWID`;
}

/** Fills the table from messages, for traces of versions that did not store which tools were called. */
export function findUsedTools(rows: CheckedRows): void {
  const found = "SELECT name FROM temp.sqlite_master WHERE name = 'usedTools'";
  if (rows.has('usedTools') || rows.all(nameRecord, found, {}).length > 0) return;
  rows.writeTemporary(usedToolsTable('TEMP TABLE'), []);
  const calling = 'SELECT key >> 20 AS episode, toolCalls FROM messageContents WHERE toolCalls IS NOT NULL';
  for (const { episode, toolCalls } of rows.all(toolCallsRecord, calling, {})) {
    for (const tool of toolNames(toolCalls)) {
      rows.writeTemporary('INSERT OR IGNORE INTO temp.usedTools VALUES (?, ?)', [episode, tool]);
    }
  }
}

const longestName = 200;

/** @param toolCalls JSON of a message; anything but a list of function calls has no names */
export function toolNames(toolCalls: string): readonly string[] {
  const calls = parseJson(toolCalls);
  const names = (Array.isArray(calls) ? calls : []).flatMap((call: unknown) => {
    const name = isRecord(call) && isRecord(call['function']) ? call['function']['name'] : undefined;
    return typeof name === 'string' ? [clip(name, longestName)] : [];
  });
  return [...new Set(names)];
}
