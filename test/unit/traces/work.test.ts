/** How a view finds its rows: what is asked of one episode goes through no table, and lists through that of episodes only. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { boundedMatches, localCode } from '../../../src/traces/node/store/openReader.ts';
import { NotesFile } from '../../../src/traces/node/store/notesFile.ts';
import { Connection } from '../../../src/traces/node/store/connection.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import { parseFilter } from '../../../src/traces/core/filterText.ts';
import { formatVersion } from '../../../src/traces/core/layout.ts';
import type { SqlParameters, SqlScratch } from '../../../src/traces/core/sql.ts';
import { TraceViews } from '../../../src/traces/core/views.ts';
import { generateTrace, runOf, smallTrace } from '../../tools/traces/generateTrace.ts';
import { temporaryFolder } from './folder.ts';

/** Tables that have few rows in any run. */
const few = new Set(['meta', 'tools', 'sources', 'sourceFiles']);

function aRun() {
  const size = { ...smallTrace, episodes: 40 };
  const writer = openTraceWriter(path.join(temporaryFolder(), 'work.ajtrace'), runOf(size));
  generateTrace(writer, size);
  writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  const connection = new Connection(writer.file, { readOnly: true });
  onTestFinished(() => connection.close());
  const tables = connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") as { name: string }[];
  const stored = new Set(tables.map(({ name }) => name).filter((name) => !few.has(name)));
  const asked = new Map<string, SqlParameters>();
  const sql: SqlScratch = {
    all: (statement, parameters = {}) => {
      asked.set(statement, parameters);
      return connection.all(statement, parameters);
    },
    run: (statement, values) => connection.run(statement, values),
  };
  const facts = { file: writer.file, format: formatVersion, code: localCode, size: () => 0 };
  const notes = new NotesFile(writer.file);
  const views = new TraceViews(sql, { ...facts, notes, lives: () => false, matches: boundedMatches });
  return {
    /** The stored tables that a view goes through from end to end, as often as it does. */
    wholeTables: (ask: (of: TraceViews) => unknown): readonly string[] => {
      asked.clear();
      connection.snapshot(() => ask(views));
      return [...asked].flatMap(([statement, parameters]) => {
        const plan = connection.all(`EXPLAIN QUERY PLAN ${statement}`, parameters) as { detail: string }[];
        return plan.flatMap(({ detail }) => {
          const table = /^SCAN (\w+)(?!.*specialTokens)/.exec(detail)?.[1] ?? '';
          return stored.has(table) ? [table] : [];
        });
      });
    },
  };
}

test('what is asked of one episode goes through no table', () => {
  const { wholeTables } = aRun();
  const of = { kind: 'timeline', timeline: 0 } as const;
  const asks: Readonly<Record<string, (views: TraceViews) => unknown>> = {
    episode: (views) => views.episode(7),
    spans: (views) => views.spans(7),
    call: (views) => views.call(7, 1),
    timeline: (views) => views.timeline(7, 0),
    tokens: (views) => views.tokens.window(7, 0, 5, 50),
    token: (views) => views.tokens.token(7, 0, 5),
    strip: (views) => views.tokens.strip(7, 0, 50),
    find: (views) =>
      views.tokens.find(7, 0, { wanted: { kind: 'text', text: 'a', matchCase: true }, from: 0 }),
    text: (views) => views.conversations.text(7, of, 0, { from: 0, limit: 50 }),
    search: (views) => views.conversations.search(7, of, { text: 'a', matchCase: true }),
    merging: (views) => views.merging(7, null),
    excluded: (views) => views.excluded.of(7, 0),
    comparable: (views) => views.comparable(7, null),
  };
  const found = Object.entries(asks).map(([name, ask]) => [name, wholeTables(ask)]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(found.map(([name]) => [name, []])));
});

test('lists go through the episodes, once for the rows and once for their number', () => {
  const { wholeTables } = aRun();
  const filtered = (text: string) => {
    const parsed = parseFilter(text);
    const filter = 'filter' in parsed ? (parsed.filter ?? undefined) : undefined;
    expect(filter).toBeDefined();
    return wholeTables((views) => views.episodes(0, 10, { filter, sort: { by: 'calls', descending: true } }));
  };
  expect(wholeTables((views) => views.episodes(0, 10))).toEqual(['episodes', 'episodes']);
  for (const text of [
    'reward<1',
    'agent:helper-1',
    'tool:tool_3',
    'failures>0',
    'finding:*',
    'error:server',
    'times',
  ]) {
    expect([text, ...filtered(text)]).toEqual([text, 'episodes', 'episodes']);
  }
  expect(wholeTables((views) => views.group(3))).toEqual([]);
  // Which of the episodes of its task and repeat it is.
  expect(wholeTables((views) => views.replayed(7))).toEqual(['episodes']);
  // The names of tasks are in the rows of the list, and those of metadata in the first outputs.
  expect(wholeTables((views) => views.names())).toEqual(['usedAgents', 'usedTools', 'episodes', 'outputs']);
});
