/** Files that are broken, hostile or of no known format. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../src/base/core/cancellation.ts';
import { Random } from '../../../src/base/core/random.ts';
import { traceOf } from '../../../src/traces/node/import/importTrace.ts';
import { EpisodeAssembler } from '../../../src/traces/core/import/assemble.ts';
import type { CallPart, EpisodePart } from '../../../src/traces/core/import/parts.ts';
import { ImportTally } from '../../../src/traces/core/import/tally.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type { TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import { JsonValues } from '../../../src/traces/core/import/jsonValues.ts';
import { linesOf } from '../../../src/traces/core/import/eachValue.ts';
import { PickleRefusal, readPickle } from '../../../src/traces/core/import/pickle.ts';
import { plainData } from '../../../src/traces/core/import/pickledData.ts';
import { fuzz } from '../fuzz.ts';
import { temporaryFolder } from './folder.ts';
import { describeTrace, importedTrace, importFixture } from './import.ts';

function fileWith(name: string, content: string): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

const exchange = (text: string): string =>
  JSON.stringify({
    request: { model: 'm', messages: [{ role: 'user', content: text }] },
    response: { choices: [{ message: { role: 'assistant', content: text.toUpperCase() } }] },
  });

describe('a log of requests', () => {
  it('is read but for its broken lines, which are told', async () => {
    const content = [exchange('one'), '{"request": {"mess', '', '{"other": 1}', exchange('two')].join('\n');
    const reader = await importedTrace(fileWith('log.jsonl', content));
    expect(reader.read((views) => views.run()).imported).toMatchObject({
      skipped: 2,
      skips: [
        { where: 'line 2', why: 'it is not a JSON object' },
        { where: 'line 4', why: 'it has no request with messages' },
      ],
    });
    expect(reader.read((views) => views.run()).totals).toMatchObject({
      calls: 2,
      failed: 0,
      meanReward: null,
    });
  });

  it('is one document or list as well, and told where it ends too early', async () => {
    const list = `[\n${exchange('one')},\n${exchange('two')}\n]`;
    const whole = await importedTrace(fileWith('log.json', list));
    expect(whole.read((views) => views.run()).totals.calls).toBe(2);
    const cut = await importedTrace(fileWith('cut.json', list.slice(0, -20)));
    expect(cut.read((views) => views.run()).imported?.skips).toEqual([
      { where: 'line 3', why: 'the file ends in the middle of a value' },
    ]);
    expect(cut.read((views) => views.run()).totals.calls).toBe(1);
  });

  it('has an episode for each conversation that its records name', async () => {
    const lines = ['a', 'b', 'a'].map((id) =>
      JSON.stringify({ session_id: id, ...(JSON.parse(exchange(id)) as object) }),
    );
    const reader = await importedTrace(fileWith('log.jsonl', lines.join('\n')));
    expect(reader.read((views) => views.episodes(0, 9)).rows.map(({ calls }) => calls)).toEqual([2, 1]);
  });
});

describe('the cache of imports', () => {
  it('makes a trace once for each content, and forgets those that nobody opens', async () => {
    const cacheFolder = temporaryFolder();
    const options = { cacheFolder, cancellation: neverCancelled };
    const first = await traceOf(fileWith('log.jsonl', exchange('one')), options);
    utimesSync(first, 0, 0);
    const file = fileWith('log.jsonl', exchange('two'));
    const second = await traceOf(file, options);
    expect(existsSync(first)).toBe(false);
    const { ino } = statSync(second);
    expect(await traceOf(file, options)).toBe(second);
    expect(statSync(second).ino).toBe(ino);
  });
});

describe('a row whose tensors are hostile', () => {
  it('is left out by name, and the others are read', async () => {
    const file = path.join(temporaryFolder(), 'experiences.db');
    copyFileSync(importFixture('trinity-0.6.0.db'), file);
    const database = new DatabaseSync(file);
    const table = (
      database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE '%\\_blob' ESCAPE '\\'").get() as {
        name: string;
      }
    ).name;
    const row = database.prepare(`SELECT id, experience_bytes AS bytes FROM ${table} ORDER BY id`).get() as {
      id: number;
      bytes: Uint8Array;
    };
    database
      .prepare(`UPDATE ${table} SET experience_bytes = ? WHERE id = ?`)
      .run(
        withHeader(row.bytes, '{"0:tokens":{"dtype":{"toString":null},"shape":[1],"data_offsets":[0,4]}}'),
        row.id,
      );
    database.close();
    const { imported, totals } = (await importedTrace(file)).read((views) => views.run());
    expect(imported?.skips).toContainEqual({
      where: expect.stringContaining(`row ${row.id} of`) as string,
      why: expect.stringContaining('its experience cannot be read') as string,
    });
    expect(totals.ended).toBeGreaterThan(1);
  });

  /** The same experience with another header of its tensors. */
  function withHeader(bytes: Uint8Array, header: string): Uint8Array {
    const whole = Buffer.from(bytes);
    const tensorsAt = 21 + Number(whole.readBigUInt64LE(5));
    const tensors = Buffer.concat([Buffer.alloc(8), Buffer.from(header), Buffer.alloc(8)]);
    tensors.writeBigUInt64LE(BigInt(header.length));
    const made = Buffer.concat([whole.subarray(0, tensorsAt), tensors]);
    made.writeBigUInt64LE(BigInt(tensors.length), 13);
    return made;
  }
});

describe('an episode with very many calls', () => {
  it('is written whole', () => {
    const call: CallPart = {
      ...{ kind: 'call', agent: null, status: 200, error: null, model: null, options: {}, tools: null },
      ...{ finishReason: null, messages: [], reply: null, promptTokens: null, replyTokens: null },
      ...{ startedAt: 1_000, seconds: 1 },
    };
    const timeline: EpisodePart = { kind: 'timeline', messages: [], calls: [] };
    const parts = [...Array.from({ length: 200_000 }, () => call), timeline];
    const tally = new ImportTally(() => undefined);
    tally.add('a', parts);
    const ended: EpisodeResult[] = [];
    const writer = {
      episodeStarted: () => undefined,
      callEnded: () => undefined,
      episodeEnded: ({ result }: { result: EpisodeResult }) => ended.push(result),
    };
    const place = { episode: 0, taskId: 'a', taskIndex: 0, repeat: 0, name: 'a' };
    new EpisodeAssembler(writer as unknown as TraceWriter).write(place, parts);
    expect(ended).toMatchObject([{ llmCalls: 200_000, seconds: 1 }]);
  });
});

describe('what cannot be imported', () => {
  it.each([
    ['a.txt', 'hello', 'import/unknown-format'],
    ['a.json', '{"a": 1}', 'import/unknown-format'],
    ['empty.json', '', 'import/unknown-format'],
    ['traces.jsonl', '{"task": {"data": {}}, "traces": [{"nodes": 5}]}', 'import/nothing-found'],
  ])('%s is refused', async (name, content, code) => {
    await expect(importedTrace(fileWith(name, content))).rejects.toMatchObject({ code });
  });

  it('is a pipe, and nobody waits for it', async () => {
    const pipe = path.join(temporaryFolder(), 'log.jsonl');
    execFileSync('mkfifo', [pipe]);
    await expect(importedTrace(pipe)).rejects.toMatchObject({ code: 'trace/cannot-read' });
  });

  it('is a database of something else', async () => {
    const file = path.join(temporaryFolder(), 'other.db');
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE a (b)');
    database.close();
    await expect(importedTrace(file)).rejects.toMatchObject({ code: 'import/unknown-database' });
  });

  it('is called off where that is wanted, and leaves nothing', async () => {
    const source = new CancellationSource();
    source.cancel();
    const cacheFolder = temporaryFolder();
    const file = importFixture('traces.jsonl');
    await expect(traceOf(file, { cacheFolder, cancellation: source.token })).rejects.toMatchObject({
      code: 'import/cancelled',
    });
  });
});

describe('a file of another tool that is cut off or garbled', () => {
  const names = [
    'traces.jsonl',
    'explorer_output.jsonl',
    'rollout.json.log',
    'openai-v2.otlp.json',
    'requests.jsonl',
  ];
  const fixtures = [
    ...[...names, 'trinity-0.4.0.db', 'trinity-0.6.0.db'].map(importFixture),
    path.join(import.meta.dirname, '../../fixtures/trajectories/tools.json'),
  ];

  it.each(fixtures.map((file) => [path.basename(file), file]))(
    '(%s) opens as far as it can, or is refused in words',
    async (_, file) => {
      const whole = readFileSync(file);
      const random = new Random(file.slice(-20));
      let opened = 0;
      for (let run = 0; run < fuzz(13, 30).numRuns; run++) {
        const bytes = Buffer.from(run % 2 === 0 ? whole.subarray(0, random.below(whole.length)) : whole);
        for (let times = 0; run % 2 === 1 && times < 8; times++) {
          bytes[random.below(bytes.length)] = random.below(256);
        }
        const broken = path.join(temporaryFolder(), path.basename(file));
        writeFileSync(broken, bytes);
        try {
          describeTrace(await importedTrace(broken));
          opened += 1;
        } catch (error) {
          expect(error).toMatchObject({
            name: 'CodedError',
            code: expect.stringMatching(/^(import|trace)\//) as string,
            location: { file: broken },
            hint: expect.any(String) as string,
          });
        }
      }
      if (names.includes(path.basename(file))) expect(opened).toBeGreaterThan(0);
    },
  );

  it('tells the line where a log ends in the middle', async () => {
    const lines = readFileSync(importFixture('requests.jsonl'), 'utf8').trim().split('\n');
    const cut = [...lines.slice(0, 2), lines[2]?.slice(0, 90)].join('\n');
    const reader = await importedTrace(fileWith('requests.jsonl', cut));
    expect(reader.read((views) => views.run()).imported).toMatchObject({
      records: 2,
      skips: [{ where: 'line 3', why: 'it is not a JSON object' }],
    });
  });

  it('is told where it is a folder, or cannot be got at', async () => {
    const folder = temporaryFolder();
    const loop = path.join(folder, 'loop.jsonl');
    symlinkSync(loop, loop);
    await expect(importedTrace(folder)).rejects.toMatchObject({ code: 'trace/cannot-read' });
    await expect(importedTrace(loop)).rejects.toMatchObject({ code: 'trace/no-such-file' });
  });
});

describe('a pickle', () => {
  const pickle = (...parts: (string | number)[]): Uint8Array =>
    Uint8Array.from(
      parts.flatMap((part) => (typeof part === 'number' ? [part] : [...new TextEncoder().encode(part)])),
    );
  /** `os.system("touch /tmp/x")`. */
  const call = pickle('cos\nsystem\n', '(', 0x8c, 5, 'touch', 't', 'R', '.');

  it('calls nothing: what it would call is told by its name', () => {
    const { value } = readPickle(call);
    expect(value).toMatchObject({ kind: 'call', name: 'os.system', args: ['touch'] });
    expect(() => plainData(value)).toThrow(new PickleRefusal('it has os.system, which is not read'));
  });

  it('that stands for endless data is refused', () => {
    const doubling = Array.from({ length: 60 }, () => [0x32, 0x86]).flat(); // DUP, TUPLE2
    const { value } = readPickle(pickle('N', ...doubling, '.'));
    expect(() => plainData(value)).toThrow(PickleRefusal);
  });

  it('that is cut off or garbled is refused in words', () => {
    const database = new DatabaseSync(importFixture('trinity-0.4.0.db'), { readOnly: true });
    const row = database.prepare('SELECT experience_bytes AS bytes FROM debug_buffer').get() as {
      bytes: Uint8Array;
    };
    database.close();
    const garble = fc.array(fc.tuple(fc.nat(row.bytes.length - 1), fc.nat(255)), { maxLength: 4 });
    const property = fc.property(fc.integer({ min: 1, max: row.bytes.length }), garble, (length, changes) => {
      const bytes = row.bytes.slice(0, length);
      for (const [at, byte] of changes) if (at < length) bytes[at] = byte;
      try {
        plainData(readPickle(bytes).value);
      } catch (error) {
        expect(error).toBeInstanceOf(PickleRefusal);
      }
    });
    fc.assert(property, fuzz(7, 5_000));
  });
});

describe('a text in pieces', () => {
  const document = JSON.stringify(
    { a: [{ b: ['x"]}\\', { c: 1 }] }, { b: [] }], 'k"e{y': { d: ['…😀'] }, a2: 'no' },
    undefined,
    1,
  );
  const cuts = fc.array(fc.nat(40), { maxLength: 40 });
  const piecesOf = (text: string, lengths: readonly number[]): string[] => {
    let at = 0;
    const found = lengths.map((length) => text.slice(at, (at += length)));
    return [...found, text.slice(at)];
  };

  it('has the same values wherever it is cut', () => {
    const property = fc.property(cuts, (lengths) => {
      const values = new JsonValues(['a/*/b', 'k\\"e{y/d'], 1_000);
      const found = piecesOf(document, lengths).flatMap((piece) => [...values.push(piece)]);
      expect(found.map(({ path: at, text }) => [at, JSON.parse(text ?? '') as unknown])).toEqual([
        ['a/*/b', ['x"]}\\', { c: 1 }]],
        ['a/*/b', []],
        ['k\\"e{y/d', ['…😀']],
      ]);
      expect(values.end()).toEqual({ whole: true, line: document.split('\n').length });
    });
    fc.assert(property, fuzz(1, 1_000));
  });

  it('has the same lines, but for those that are too long', async () => {
    const property = fc.asyncProperty(cuts, async (lengths) => {
      const lines: (string | null)[] = [];
      const source = Readable.from(piecesOf('\ufeffone\r\n\nthree is longer\nfour', lengths));
      for await (const { text } of linesOf(source, 10)) lines.push(text);
      expect(lines).toEqual(['one', '', null, 'four']);
    });
    await fc.assert(property, fuzz(2, 500));
  });
});
