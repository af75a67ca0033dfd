import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, aMessage, anEpisode, aResult, aRun, tokensOf } from './samples.ts';

/** Bytes of a trace's pages. */
const pageSize = 2_048;

const ended = { status: 'completed', error: null, endedAt: 1_790_000_009_000 } as const;

function newFile(): string {
  return path.join(temporaryFolder(), 'math.ajtrace');
}

function opened(file: string): TraceReader {
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  return reader;
}

/** One call of one episode: a question and its answer. */
function writeCall(writer: TraceWriter, episode = 0): void {
  writer.callEnded(
    aCall(episode, 0),
    [
      { position: 0, message: aMessage('What is 1?') },
      { position: 1, message: aMessage('It is 1.', { author: 'llm' }) },
    ],
    episode === 0 ? tokensOf('What is 1?It is 1.') : [],
  );
}

function writeEpisode(writer: TraceWriter, episode: number): void {
  writer.episodeStarted(anEpisode(episode));
  writeCall(writer, episode);
  writer.episodeEnded(
    {
      result: aResult(episode),
      timelines: [{ calls: [0], messages: [0, 1], tokens: 18, trainableTokens: 8 }],
    },
    [],
  );
}

describe('for judges', () => {
  test('it keeps what workflows returned', () => {
    const file = newFile();
    const writer = openTraceWriter(file, aRun());
    writer.episodeStarted(anEpisode(0));
    writer.episodeStarted(anEpisode(1));
    const returned = { task: '{"task_id":"t0"}', output: '{"metadata":{}}' };
    writer.episodeEnded(
      { result: aResult(0, { reward: 0.5, isSuccess: true }), returned, timelines: [] },
      [],
    );
    const reader = opened(file);
    expect(reader.read((views) => views.recorded())).toMatchObject({
      experiment: 'math',
      tasks: 2,
      repeat: 2,
    });
    expect(reader.read((views) => views.recorded()).episodes).toEqual([
      {
        episode: 0,
        uuid: 'uuid-0',
        taskId: 't0',
        taskIndex: 0,
        repeat: 0,
        reward: 0.5,
        isSuccess: true,
        returned,
      },
      {
        episode: 1,
        uuid: 'uuid-1',
        taskId: 't0',
        taskIndex: 0,
        repeat: 1,
        reward: null,
        isSuccess: false,
        returned: null,
      },
    ]);
  });
});

describe('while a run goes', () => {
  test('what a method has written can be read', () => {
    const file = newFile();
    const writer = openTraceWriter(file, aRun());
    const reader = opened(file);
    expect(reader.read((views) => views.run())).toMatchObject({
      experiment: 'math',
      live: true,
      end: null,
      newerFormat: null,
    });
    expect(reader.read((views) => views.episodes(0, 10))).toEqual({ total: 0, rows: [] });
    writer.episodeStarted(anEpisode(0));
    expect(reader.read((views) => views.episodes(0, 10)).rows).toMatchObject([
      { episode: 0, state: 'running', trains: null },
    ]);
    writeCall(writer);
    const { row, calls, timelines } = reader.read((views) => views.episode(0));
    expect(row).toMatchObject({ calls: 1, timelines: 1, tokens: 18, trainableTokens: 8 });
    expect(calls).toMatchObject([{ call: 0, timeline: 0 }]);
    expect(timelines).toEqual([
      { timeline: 0, calls: [0], messages: 2, tokens: 18, trainableTokens: 8, provisional: true },
    ]);
    expect(reader.read((views) => views.summary()).state).toBe('running');
    writer.runEnded(ended);
  });

  test('the change count tells of every commit, and of nothing else', () => {
    const file = newFile();
    const writer = openTraceWriter(file, aRun());
    const reader = opened(file);
    const counts = [reader.changeCount(), reader.changeCount()];
    expect(counts[0]).toBe(counts[1]);
    writer.episodeStarted(anEpisode(0));
    const after = reader.changeCount();
    expect(after).not.toBe(counts[0]);
    expect(reader.read((views) => views.run()).totals.started).toBe(1);
    expect(reader.changeCount()).toBe(after);
    writer.runEnded(ended);
    expect(reader.changeCount()).not.toBe(after);
  });

  test('a reader that has it open does not keep the run from its end, and leaves one file', () => {
    const file = newFile();
    const writer = openTraceWriter(file, aRun());
    const reader = openTraceReader(file);
    writeEpisode(writer, 0);
    expect(reader.read((views) => views.run()).totals.ended).toBe(1);
    writer.runEnded(ended);
    expect(reader.read((views) => views.run())).toMatchObject({ live: false, end: ended });
    reader.close();
    expect(readdirSync(path.dirname(file))).toEqual(['math.ajtrace']);
    expect(opened(file).read((views) => views.run()).totals.ended).toBe(1);
  });

  test('the reader that brings a run into one file does not make it newer than the runs after it', () => {
    const file = newFile();
    const writer = openTraceWriter(file, aRun(), 'wal');
    const reader = openTraceReader(file);
    writeEpisode(writer, 0);
    writer.runEnded(ended);
    const endedAt = new Date('2026-01-02T03:04:05.678Z');
    for (const part of [file, `${file}-wal`]) utimesSync(part, endedAt, endedAt);
    reader.close();
    expect(readdirSync(path.dirname(file))).toEqual(['math.ajtrace']);
    expect(statSync(file).mtime).toEqual(endedAt);
  });
});

test('which episodes train is told at the end', () => {
  const file = newFile();
  const writer = openTraceWriter(file, aRun());
  writeEpisode(writer, 0);
  const reader = opened(file);
  const before = reader.read((views) => views.run()).report.findings.map(({ code }) => code);
  expect(before).not.toContain('not-selected');
  writer.runEnded({ ...ended, selection: [{ episode: 0, times: 0 }] });
  expect(reader.read((views) => views.run()).report.findings.map(({ code }) => code)).toContain(
    'not-selected',
  );
  expect(JSON.stringify(reader.read((views) => views.episodes(0, 10)).rows)).toContain('not-selected');
});

describe('what is left when a run has ended', () => {
  test('is one file, which the next reader leaves as it is', () => {
    const file = newFile();
    const writer = openTraceWriter(file, aRun());
    writeEpisode(writer, 0);
    writer.runEnded(ended);
    const bytes = readFileSync(file);
    const reader = openTraceReader(file);
    expect(reader.read((views) => views.summary())).toMatchObject({
      state: 'completed',
      size: bytes.length,
      trace: file,
    });
    reader.close();
    expect(readdirSync(path.dirname(file))).toEqual(['math.ajtrace']);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test('has what episodes did not end as lost', () => {
    const file = newFile();
    const writer = openTraceWriter(file, aRun());
    writeEpisode(writer, 0);
    writer.episodeStarted(anEpisode(1));
    writer.runEnded({ ...ended, status: 'cancelled' });
    const reader = opened(file);
    expect(reader.read((views) => views.episodes(0, 10)).rows).toMatchObject([
      { state: 'ended', trains: true },
      {
        state: 'lost',
        trains: false,
        findings: [{ severity: 'error', message: 'The process ended before the episode did.' }],
      },
    ]);
    expect(reader.read((views) => views.summary()).state).toBe('cancelled');
  });
});

test('a writer never writes over another run', () => {
  const file = newFile();
  openTraceWriter(file, aRun()).runEnded(ended);
  expect(() => openTraceWriter(file, aRun())).toThrow(
    expect.objectContaining({ code: 'trace/cannot-write', location: { file } }),
  );
  expect(opened(file).read((views) => views.summary()).state).toBe('completed');
});

test('a writer that cannot begin leaves nothing', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'missing', 'math.ajtrace');
  expect(() => openTraceWriter(file, aRun())).toThrow(
    expect.objectContaining({ code: 'trace/cannot-write' }),
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('a method that fails has written nothing, and the next one works', () => {
  const file = newFile();
  const writer = openTraceWriter(file, aRun());
  writer.episodeStarted(anEpisode(0));
  const twice = { position: 0, message: aMessage('twice') };
  expect(() => writer.callEnded(aCall(0, 0), [twice, twice], tokensOf('twice'))).toThrow(
    expect.objectContaining({ code: 'trace/cannot-write' }),
  );
  writeCall(writer);
  expect(opened(file).read((views) => views.episode(0)).calls).toHaveLength(1);
  writer.runEnded(ended);
});

describe('a file that cannot be read as a trace', () => {
  function codeOf(file: string): unknown {
    try {
      const reader = opened(file);
      reader.read((views) => views.run());
      reader.read((views) => views.episodes(0, 10));
      reader.read((views) => views.episode(0));
      reader.read((views) => views.timeline(0, 0));
      reader.read((views) => views.tokens.window(0, 0, 0, 100));
      return undefined;
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    }
  }

  function finished(): string {
    const file = newFile();
    const writer = openTraceWriter(file, aRun());
    for (const episode of [0, 1, 2, 3]) writeEpisode(writer, episode);
    writer.runEnded(ended);
    return file;
  }

  test('is not there', () => {
    expect(codeOf(newFile())).toBe('trace/no-such-file');
  });

  test('is a folder', () => {
    expect(codeOf(temporaryFolder())).toBe('trace/cannot-read');
  });

  test('is a text', () => {
    const file = newFile();
    writeFileSync(file, 'not a database '.repeat(100));
    expect(codeOf(file)).toBe('trace/not-a-trace');
  });

  test('is another SQLite file', () => {
    const file = newFile();
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE anything (value)');
    database.close();
    expect(codeOf(file)).toBe('trace/not-a-trace');
  });

  test('is empty and old; a new one is a run that begins', () => {
    const file = newFile();
    writeFileSync(file, '');
    const reader = opened(file);
    expect(reader.read((views) => views.run())).toMatchObject({
      live: true,
      end: null,
      totals: { started: 0 },
    });
    expect(reader.read((views) => views.episodes(0, 10))).toEqual({ total: 0, rows: [] });
    expect(reader.read((views) => views.summary()).state).toBe('running');
    utimesSync(file, 1, 1);
    expect(() => reader.read((views) => views.run())).toThrow(
      expect.objectContaining({ code: 'trace/empty' }),
    );
    expect(codeOf(file)).toBe('trace/empty');
  });

  test('is cut off anywhere', () => {
    const whole = readFileSync(finished());
    for (let pages = 1; pages < whole.length / pageSize; pages += 5) {
      const file = newFile();
      writeFileSync(file, whole);
      truncateSync(file, pages * pageSize + (pages % 2) * 100);
      expect(codeOf(file) ?? 'none').toMatch(/^(none|trace\/(damaged|not-a-trace|no-such-.*))$/);
    }
  });

  test('has any page overwritten: it is read or told to be damaged, with no other failure', () => {
    const whole = readFileSync(finished());
    for (let page = 0; page < whole.length / pageSize; page++) {
      const file = newFile();
      writeFileSync(file, Buffer.from(whole).fill(0xa5, page * pageSize, (page + 1) * pageSize));
      expect(codeOf(file) ?? 'none').toMatch(/^(none|trace\/(damaged|not-a-trace|no-such-.*))$/);
    }
  });

  test('has rows that no trace has', () => {
    const file = finished();
    const database = new DatabaseSync(file);
    database.exec("UPDATE messages SET author = 'nobody'");
    database.close();
    expect(codeOf(file)).toBe('trace/damaged');
  });
});

describe('a format newer than this one', () => {
  function newer(change: string): string {
    const file = newFile();
    const writer = openTraceWriter(file, aRun());
    writeEpisode(writer, 0);
    writer.runEnded(ended);
    const database = new DatabaseSync(file);
    database.exec(`${change}; PRAGMA user_version = 7;`);
    database.close();
    return file;
  }

  test('is read as far as it is known', () => {
    const file = newer("CREATE TABLE pictures (a); ALTER TABLE calls ADD COLUMN b TEXT NOT NULL DEFAULT ''");
    const reader = opened(file);
    expect(reader.read((views) => views.run())).toMatchObject({ newerFormat: 7, totals: { ended: 1 } });
    expect(reader.read((views) => views.tokens.window(0, 0, 0, 10)).total).toBe(18);
  });

  test('that lacks what is needed is said to be newer', () => {
    const reader = opened(newer('ALTER TABLE calls DROP COLUMN agent'));
    expect(reader.read((views) => views.run()).newerFormat).toBe(7);
    expect(() => reader.read((views) => views.episode(0))).toThrow(
      expect.objectContaining({ code: 'trace/newer-format' }),
    );
  });
});

test('what is not in the trace is said to be missing', () => {
  const file = newFile();
  const writer = openTraceWriter(file, aRun());
  writeEpisode(writer, 0);
  writer.runEnded(ended);
  const reader = opened(file);
  expect(() => reader.read((views) => views.episode(9))).toThrow(
    expect.objectContaining({ code: 'trace/no-such-episode' }),
  );
  expect(() => reader.read((views) => views.call(0, 9))).toThrow(
    expect.objectContaining({ code: 'trace/no-such-call' }),
  );
  expect(() => reader.read((views) => views.timeline(0, 9))).toThrow(
    expect.objectContaining({ code: 'trace/no-such-timeline' }),
  );
  expect(() => reader.read((views) => views.tokens.window(0, 9, 0, 1))).toThrow(
    expect.objectContaining({ code: 'trace/no-such-timeline' }),
  );
});
