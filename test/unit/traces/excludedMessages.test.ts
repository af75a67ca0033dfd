import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { answer, Episode, system, user } from '../tracking/episode.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, anEpisode, aRun } from './samples.ts';

const base64 = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 31) % 256)).toString('base64');
const png = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } };
const seen = { role: 'user', content: [{ type: 'text', text: 'what is this' }, png] };

/** A trace of two calls, the second with all that the first had. */
function recorded(): string {
  const file = path.join(temporaryFolder(), 'sent.ajtrace');
  const writer = openTraceWriter(file, aRun());
  writer.episodeStarted(anEpisode(0));
  const episode = new Episode();
  const more = [
    { role: 'tool', content: 'one', tool_call_id: 'a' },
    { role: 'tool', content: 'two', tool_call_id: 'b' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }] },
    { role: 'developer', content: 'be brief' },
    {
      role: 'user',
      content: [{ type: 'input_audio', input_audio: { data: base64, format: 'wav' } }, { type: 'odd' }],
    },
  ];
  [
    [system, seen, user],
    [system, seen, user, ...more],
  ].forEach((messages, call) => {
    const { added, ...tracked } = episode.call(messages, answer('2'));
    writer.callEnded(aCall(0, call, tracked), added, []);
  });
  writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  return file;
}

function opened(file: string): TraceReader {
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  return reader;
}

test('what training leaves out is kept as it was sent, where it stood', () => {
  const reader = opened(recorded());
  const image = { kind: 'data', type: 'image/png', size: base64.length };
  const first = {
    before: 1,
    role: 'user',
    parts: [{ kind: 'text', text: 'what is this', length: 12 }, image],
  };
  expect(reader.read((views) => views.excluded.of(0, 0))).toMatchObject([first]);
  expect(reader.read((views) => views.excluded.of(0, 1))).toMatchObject([
    first,
    // Tool results in a row are one message.
    { before: 3, role: 'user', parts: [{ kind: 'address', address: 'https://example.org/a.png' }] },
    { before: 3, role: 'developer', parts: [{ kind: 'text', text: 'be brief' }] },
    {
      before: 3,
      role: 'user',
      parts: [
        { kind: 'data', type: 'audio/wav' },
        { kind: 'other', json: '{"type":"odd"}' },
      ],
    },
  ]);
});

test('data stands in the file once, is in no message, and is read in windows', () => {
  const file = recorded();
  const reader = opened(file);
  const [part] = reader.read((views) => views.excluded.of(0, 0))[0]?.parts.slice(1) ?? [];
  const hash = part?.kind === 'data' ? part.hash : -1;
  expect(reader.read((views) => views.excluded.binary(hash, { from: 0, limit: 500 }))).toEqual({
    from: 0,
    base64: base64.slice(0, 500),
    length: 800,
  });
  expect(reader.read((views) => views.excluded.binary(hash, { from: 500, limit: 500 })).base64).toBe(
    base64.slice(500),
  );
  expect(reader.read((views) => views.excluded.binary(hash + 1, { from: 0, limit: 500 }))).toEqual({
    from: 0,
    base64: '',
    length: 0,
  });
  const database = new DatabaseSync(file, { readOnly: true });
  const count = (statement: string): unknown => database.prepare(statement).get()?.['count'];
  expect(count('SELECT count(*) AS count FROM binaries')).toBe(2);
  expect(count('SELECT count(*) AS count FROM sentMessages')).toBe(4);
  expect(count("SELECT count(*) AS count FROM sentMessages WHERE message LIKE '%base64%'")).toBe(0);
  database.close();
});
