import { isRecord } from '../../base/core/isRecord.ts';
import { parseJson, type CheckedRows } from './checkedRows.ts';
import { clip } from './clip.ts';
import { nameRecord, toolCallsRecord } from './records.ts';

/** Which tools the messages of an episode call; traces of earlier versions have no such table. */
export function usedToolsTable(kind: 'TABLE' | 'TEMP TABLE'): string {
  return `CREATE ${kind} usedTools (
  episode INTEGER NOT NULL,
  tool TEXT NOT NULL,
  PRIMARY KEY (episode, tool)
) STRICT, WITHOUT ROWID`;
}

/** Earlier versions did not keep which tools were called: their messages tell. */
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

/** @param toolCalls as a message has them, JSON; what is no list of calls of functions has no names */
export function toolNames(toolCalls: string): readonly string[] {
  const calls = parseJson(toolCalls);
  const names = (Array.isArray(calls) ? calls : []).flatMap((call: unknown) => {
    const name = isRecord(call) && isRecord(call['function']) ? call['function']['name'] : undefined;
    return typeof name === 'string' ? [clip(name, longestName)] : [];
  });
  return [...new Set(names)];
}
