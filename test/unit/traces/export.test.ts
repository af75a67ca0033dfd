/** Exports of traces that were imported: read back, of the right form, and without what is to be taken out. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../src/base/core/cancellation.ts';
import { exportTrace, secretsOf, filterOf } from '../../../src/traces/node/export/exportFile.ts';
import { traceOf } from '../../../src/traces/node/import/importTrace.ts';
import { exportFormats, type ExportFormat } from '../../../src/traces/core/export/formats.ts';
import { htmlStyle, htmlStyleHash } from '../../../src/traces/core/export/html.ts';
import type { Redaction } from '../../../src/traces/core/export/redact.ts';
import { temporaryFolder } from './folder.ts';
import { describeTrace, importedTrace, importFixture } from './import.ts';

const nothing: Redaction = { texts: false, patterns: [] };

async function traceFile(file: string): Promise<string> {
  return traceOf(file, { cacheFolder: temporaryFolder(), cancellation: neverCancelled });
}

async function exported(file: string, format: ExportFormat, redaction = nothing): Promise<string> {
  const out = path.join(temporaryFolder(), `out.${format}`);
  await exportTrace(await traceFile(file), out, { format, redaction, cancellation: neverCancelled });
  expect(readdirSync(path.dirname(out))).toEqual([path.basename(out)]);
  return out;
}

function log(...texts: readonly string[]): string {
  const file = path.join(temporaryFolder(), 'log.jsonl');
  const lines = texts.map((text) =>
    JSON.stringify({
      request: { model: 'm', temperature: 0.5, messages: [{ role: 'user', content: text }] },
      response: {
        choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: `to ${text}` } }],
      },
      started_at: '2026-01-02T03:04:05.678Z',
      latency_ms: 250,
    }),
  );
  writeFileSync(file, lines.join('\n'));
  return file;
}

/** What both ways keep: all but where it came from, what was unknown, and less than microseconds. */
function episodes(description: string): string {
  const lines = description.split('\n').filter((line) => !/^(lacks|skipped) /.test(line));
  return lines
    .slice(1)
    .join('\n')

    .replaceAll(/"trains":(?:null|true|false)/g, '"trains":0')
    .replaceAll(
      /"(startedAt|seconds)":([\d.]+)/g,
      (_, name: string, value: string) => `"${name}":${Number(value).toFixed(2)}`,
    );
}

describe('OTLP', () => {
  it.each(['traces.jsonl', 'rollout.json.log', 'trinity-0.4.0.db', 'openai-v2.otlp.json'])(
    'of %s is the same trace when it is read back',
    async (name) => {
      const before = describeTrace(await importedTrace(importFixture(name)));
      const after = describeTrace(await importedTrace(await exported(importFixture(name), 'otlp')));
      expect(episodes(after)).toEqual(episodes(before));
    },
  );

  it('has a span for the episode, its calls and its timelines, by the conventions', async () => {
    const [line = ''] = readFileSync(await exported(log('hello'), 'otlp'), 'utf8').split('\n');
    await expect(`${JSON.stringify(JSON.parse(line), undefined, 1)}\n`).toMatchFileSnapshot(
      '__snapshots__/export-otlp.txt',
    );
  });
});

describe('attributes of OTLP', () => {
  /** Those of the conventions that an export has, with the type of each, as opentelemetry-semantic-conventions 0.66b2 has them. */
  const known: Readonly<Record<string, string>> = {
    'gen_ai.operation.name': 'stringValue',
    'gen_ai.provider.name': 'stringValue',
    'gen_ai.conversation.id': 'stringValue',
    'gen_ai.request.model': 'stringValue',
    'gen_ai.request.temperature': 'doubleValue',
    'gen_ai.request.top_p': 'doubleValue',
    'gen_ai.request.max_tokens': 'intValue',
    'gen_ai.request.seed': 'intValue',
    'gen_ai.request.choice.count': 'intValue',
    'gen_ai.agent.name': 'stringValue',
    'gen_ai.input.messages': 'stringValue',
    'gen_ai.output.messages': 'stringValue',
    'gen_ai.tool.definitions': 'stringValue',
    'gen_ai.tool.name': 'stringValue',
    'gen_ai.response.finish_reasons': 'arrayValue',
    'gen_ai.usage.input_tokens': 'intValue',
    'gen_ai.usage.output_tokens': 'intValue',
  };

  it('are those of the conventions, or our own, and of one type each', async () => {
    const file = path.join(temporaryFolder(), 'log.jsonl');
    const options = { model: 'm', temperature: 1, top_p: 1, max_tokens: 5, seed: 7, n: 1 };
    const call = { id: 'a', type: 'function', function: { name: 'add', arguments: '{}' } };
    const reply = { role: 'assistant', content: null, tool_calls: [call] };
    const asked = [{ role: 'user', content: 'hello' }];
    const answered = [...asked, reply, { role: 'tool', tool_call_id: 'a', content: '2' }];
    const response = {
      choices: [{ finish_reason: 'tool_calls', message: reply }],
      usage: { prompt_tokens: 3 },
    };
    const lines = [asked, answered].map((messages) =>
      JSON.stringify({ agent: 'solver', request: { ...options, messages, tools: [call] }, response }),
    );
    writeFileSync(file, lines.join('\n'));
    const text = readFileSync(await exported(file, 'otlp'), 'utf8');
    const attributes = [...text.matchAll(/\{"key":"([^"]+)","value":\{"(\w+)"/g)];
    const types = new Map(attributes.map(([, key = '', type = '']) => [key, type]));
    const own = [...types.keys()].filter((key) => !key.startsWith('gen_ai.'));
    expect(own.every((key) => key === 'service.name' || key.startsWith('agentjet.'))).toBe(true);
    const theirs = Object.fromEntries([...types].filter(([key]) => key.startsWith('gen_ai.')));
    expect(known).toMatchObject(theirs);
    expect(theirs).toHaveProperty(['gen_ai.tool.name']);
    expect(theirs).toHaveProperty(['gen_ai.request.temperature']);
  });
});

describe('JSONL', () => {
  it('has all of an episode on its line', async () => {
    const lines = readFileSync(await exported(importFixture('traces.jsonl'), 'jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(4);
    await expect(`${JSON.stringify(JSON.parse(lines[0] ?? ''), undefined, 1)}\n`).toMatchFileSnapshot(
      '__snapshots__/export-jsonl.txt',
    );
  });
});

interface ChromeEvent {
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly name: string;
}

describe('Chrome trace events', () => {
  it('follow one another on each thread, which has a name', async () => {
    const text = readFileSync(await exported(log('one', 'two', 'three'), 'chrome'), 'utf8');
    const { traceEvents } = JSON.parse(text) as { readonly traceEvents: readonly ChromeEvent[] };
    const slices = traceEvents.filter(({ ph }) => ph === 'X');
    expect(slices.map(({ name }) => name).toSorted()).toEqual(['call 0', 'call 1', 'call 2', 'episode 0']);
    const named = traceEvents
      .filter(({ name }) => name === 'thread_name')
      .map(({ pid, tid }) => `${pid} ${tid}`);
    for (const thread of new Set(slices.map(({ pid, tid }) => `${pid} ${tid}`))) {
      expect(named).toContain(thread);
      let end = 0;
      for (const { ts, dur } of slices.filter(({ pid, tid }) => `${pid} ${tid}` === thread)) {
        expect(ts).toBeGreaterThanOrEqual(end);
        end = ts + dur;
      }
    }
    expect(slices.filter(({ name }) => name.startsWith('call')).map(({ ts, dur }) => [ts, dur])).toEqual([
      [0, 250_000],
      [0, 250_000],
      [0, 250_000],
    ]);
  });
});

describe('HTML', () => {
  it('allows its own style and nothing else', async () => {
    const html = readFileSync(await exported(importFixture('traces.jsonl'), 'html'), 'utf8');
    expect(htmlStyleHash).toBe(`sha256-${createHash('sha256').update(htmlStyle).digest('base64')}`);
    expect(html).toContain(`content="default-src 'none'; style-src '${htmlStyleHash}'; base-uri`);
    const refused = /<script|<link|<img|<iframe|\bon\w+=|\bstyle="|\bsrc=|\bhref="(?!#episode-\d+")/gi;
    expect(html.match(refused)).toBeNull();
  });

  it('draws calls that overlap in lanes of their own', async () => {
    const html = readFileSync(await exported(log('one', 'two', 'three'), 'html'), 'utf8');
    const lanes = [...html.matchAll(/<dt><bdi>([^<]*)<\/bdi><\/dt><dd><svg[^>]*aria-label="(\d+) bars"/g)];
    expect(lanes.map(([, name, bars]) => `${name}: ${bars}`)).toEqual([
      'episode: 1',
      ...['calls: 1', 'calls: 1', 'calls: 1'],
    ]);
    expect(html).toContain('<title>call 2: 0.25 s, after 0 ms</title>');
  });

  it('has what a trace says as text only', async () => {
    const hostile = [
      '<script>alert(1)</script>',
      '</pre></details><img src=x onerror=alert(1)>',
      '"><svg onload=alert(1)>',
      "' onmouseover='alert(1)",
      '</style><script>alert(1)</script>',
      '<!--',
      ']]>',
      '&lt;script&gt;',
      '\u202e\u0000\u001b[2J',
    ];
    const html = readFileSync(await exported(log(...hostile), 'html'), 'utf8');
    const tags = new Set([...html.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, tag]) => tag));
    const own =
      'html head meta title style body header h1 h2 h3 h4 bdi i b p div a span dl dt dd main details summary section pre code table caption thead tbody tr th td ins ul li figure figcaption svg rect !doctype';
    for (const tag of tags) expect(own.split(' ')).toContain(tag);
    expect(html).not.toContain('\u0000');
    expect(html).toContain('&amp;lt;script&amp;gt;');
  });
});

describe('redaction', () => {
  const key = 'sk-abcdefghijklmnopqrstuvwx';

  it.each(exportFormats)('takes keys out of %s, and leaves the rest', async (format) => {
    const file = log(`my key is ${key}, keep it`, 'password: "hunter2hunter2"', 'nothing secret');
    const text = readFileSync(await exported(file, format, { texts: false, patterns: [] }), 'utf8');
    expect(text).not.toContain(key);
    expect(text).not.toContain('hunter2');
    expect(text).toContain('nothing secret');
    expect(text).toContain('[redacted]');
  });

  it.each(exportFormats)('takes all texts out of %s, and the tokens that would tell them', async (format) => {
    const redaction = { texts: true, patterns: [] };
    const text = readFileSync(await exported(importFixture('rollout.json.log'), format, redaction), 'utf8');
    for (const word of ['Be brief', 'What?', '2132', '374']) expect(text).not.toContain(word);
    expect(text).toContain('task.7');
  });
});

describe('secrets', () => {
  it('are taken out of names, errors and tools, too, and found without writing', async () => {
    const own = ['sk-0123456789abcdefghij', 'hf_0123456789abcdefghijABCDEFGHIJ', 'AKIA0123456789ABCDEF'];
    const file = path.join(temporaryFolder(), 'log.jsonl');
    const tool = { type: 'function', function: { name: 'get', parameters: { [own[2] ?? '']: 'x' } } };
    const lines = own.map((key, index) =>
      JSON.stringify({
        session_id: `${key}-${index}`,
        request: { model: 'm', tools: [tool], messages: [{ role: 'user', content: 'plain' }] },
        response: { choices: [{ message: { role: 'assistant', content: 'plain' } }] },
        ...(index === 1 && { error: `refused ${key}` }),
      }),
    );
    writeFileSync(file, lines.join('\n'));
    for (const format of exportFormats) {
      const redaction = { texts: false, patterns: [] };
      const text = readFileSync(await exported(file, format, redaction), 'utf8');
      for (const key of own) expect(text).not.toContain(key);
    }
    const found = await secretsOf(await traceFile(file), undefined, { cancellation: neverCancelled });
    expect(found).toEqual([
      { kind: 'keys that begin with sk-', count: 1, episodes: [0] },
      { kind: 'keys of AWS', count: 1, episodes: [0, 1, 2] },
      { kind: 'tokens of Hugging Face', count: 1, episodes: [1] },
    ]);
  });

  it('without texts, nothing that was said is left in errors and findings', async () => {
    const file = path.join(temporaryFolder(), 'log.jsonl');
    const request = { model: 'm', messages: [{ role: 'user', content: 'plain' }] };
    writeFileSync(file, `${JSON.stringify({ request, error: 'it said: very private' })}\n`.repeat(2));
    for (const format of exportFormats) {
      const text = readFileSync(await exported(file, format, { texts: true, patterns: [] }), 'utf8');
      expect(text).not.toContain('private');
    }
  });
});

describe('a part of a trace', () => {
  it('is what a filter of the viewer lets through', async () => {
    const trace = await traceFile(importFixture('traces.jsonl'));
    const out = path.join(temporaryFolder(), 'out.jsonl');
    const common = { format: 'jsonl', redaction: nothing, cancellation: neverCancelled } as const;
    const counts: number[] = [];
    for (const text of ['', 'group=1', 'episode=2', 'reward<0.5 group=1', 'episode=99']) {
      const { episodes } = await exportTrace(trace, out, { ...common, filter: filterOf(text) });
      expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(episodes + 1);
      counts.push(episodes);
    }
    expect(counts).toEqual([4, 2, 1, 1, 0]);
    expect(() => filterOf('reward<much')).toThrow(
      expect.objectContaining({
        code: 'export/bad-filter',
        message:
          '"reward<much" is not a valid episode filter. At character 8: “much” is not a valid number for this field.',
      }),
    );
  });
});

it.each(exportFormats)('JSON that is nested without end is text in %s, as in an import', async (format) => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const file = path.join(temporaryFolder(), 'log.jsonl');
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: deep } };
  const reply = { role: 'assistant', content: 'called', tool_calls: [call] };
  const request = { model: 'm', messages: [{ role: 'user', content: deep }] };
  const lines = [
    `{"request":${deep}}`,
    JSON.stringify({ request, response: { choices: [{ message: reply }] } }),
  ];
  writeFileSync(file, lines.join('\n'));
  const reader = await importedTrace(file);
  expect(reader.read((views) => views.run()).imported).toMatchObject({
    records: 1,
    skipped: 1,
    skips: [{ where: 'line 1' }],
  });
  expect(readFileSync(await exported(file, format), 'utf8')).toContain('called');
});

describe('an export', () => {
  it('that is cancelled or fails leaves what was there', async () => {
    const trace = await traceFile(importFixture('traces.jsonl'));
    const folder = temporaryFolder();
    const out = path.join(folder, 'out.jsonl');
    writeFileSync(out, 'before');
    const source = new CancellationSource();
    const options = { format: 'jsonl', redaction: nothing, cancellation: source.token } as const;
    const cancelled = exportTrace(trace, out, { ...options, onProgress: () => source.cancel() });
    await expect(cancelled).rejects.toMatchObject({ code: 'export/cancelled' });
    expect(readFileSync(out, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['out.jsonl']);
    const nowhere = path.join(folder, 'missing', 'out.jsonl');
    const failing = exportTrace(trace, nowhere, { ...options, cancellation: neverCancelled });
    await expect(failing).rejects.toMatchObject({ code: 'export/cannot-write' });
    await expect(exportTrace(trace, trace, options)).rejects.toMatchObject({ code: 'export/over-itself' });
    expect(existsSync(trace)).toBe(true);
  });
});
