/** Which requests count as LLM calls that bypass the tuner, sent for real to servers on loopback. */
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sourceHeader, sourceOf } from '../../../../src/backbone/core/model-tuner/callSource.ts';
import { isLlmRequest } from '../../../../src/backbone/core/model-tuner/outsideCalls.ts';
import { runOutsideEpisodes, OutsideWatch } from '../../../../src/backbone/node/model-tuner/outsideCalls.ts';

const servers: Server[] = [];
let tuner = '';
let other = '';

beforeAll(async () => {
  [tuner = '', other = ''] = await Promise.all([serve(), serve()]);
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** The sources that requests told, by the address of the server. */
const told: [string | undefined, unknown][] = [];

/** Answers whatever it is asked. Its address. */
function serve(): Promise<string> {
  const server = createServer((request, response) => {
    const { headers } = request;
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    told.push([headers.host, sourceOf({ headers: plain })]);
    request.resume().on('end', () => response.end('{}'));
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

async function byFetch(url: string, method = 'POST'): Promise<void> {
  const response = await fetch(url, { method, ...(method === 'POST' && { body: '{}' }) });
  await response.text();
}

function byHttp(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', agent: false }, (response) => {
      response.resume().on('end', () => resolve());
    });
    request.on('error', reject).end('{}');
  });
}

const source = { file: '/w/größe.ts', line: 7, column: 3, function: 'solve' };
const here = { file: '/w/workflow.ts', line: 7 };
let watch: OutsideWatch | undefined;
afterEach(() => {
  watch?.close();
  told.length = 0;
});

function open(): OutsideWatch {
  watch = new OutsideWatch(`${tuner}/v1`, {
    userFrame: (error) =>
      error instanceof Error && error.stack?.includes('byFetch') === true ? here : undefined,
    callSource: () => source,
  });
  return watch;
}

describe('calls around the tuner', () => {
  it('are counted by host and place, whatever sends them', async () => {
    const episode = open().openEpisode();
    await episode.run(async () => {
      await byFetch(`${other}/v1/chat/completions?key=secret`);
      await Promise.all([byFetch(`${other}/v1/responses`), byHttp(`${other}/v1/messages?key=secret`)]);
    });
    const { host } = new URL(other);
    expect(episode.list()).toEqual([
      { host, calls: 2, location: here },
      { host, calls: 1 },
    ]);
  });

  it('belong to the episode whose code sent them, and to none outside of one', async () => {
    const all = open();
    const [one, two] = [all.openEpisode(), all.openEpisode()];
    await Promise.all([
      one.run(() => byFetch(`${other}/v1/completions`)),
      two.run(async () => {
        await byHttp(`${other}/v1/completions`);
        await byHttp(`${other}/v1/completions`);
      }),
      byFetch(`${other}/v1/completions`),
    ]);
    const calls = [one, two].map((episode) => episode.list().map((call) => call.calls));
    expect(calls).toEqual([[1], [2]]);
  });

  it('are none of the tuner’s, of this program’s own, of other kinds, or after the watch', async () => {
    const all = open();
    const episode = all.openEpisode();
    await episode.run(async () => {
      await byFetch(`${tuner}/v1/chat/completions`);
      await runOutsideEpisodes(() => byHttp(`${other}/v1/chat/completions`));
      await byFetch(`${other}/v1/models`, 'GET');
      await byFetch(`${other}/search`);
    });
    all.close();
    await episode.run(() => byFetch(`${other}/v1/chat/completions`));
    expect(episode.list()).toEqual([]);
  });
});

describe('calls to the tuner', () => {
  it('tell the line that asks, whatever sends them', async () => {
    const episode = open().openEpisode();
    await episode.run(async () => {
      await byFetch(`${tuner}/v1/chat/completions`);
      await byHttp(`${tuner}/v1/messages`);
    });
    const { host } = new URL(tuner);
    expect(told).toEqual([
      [host, source],
      [host, source],
    ]);
  });

  it('tell nothing outside of an episode, and nothing to other servers', async () => {
    const episode = open().openEpisode();
    await byFetch(`${tuner}/v1/chat/completions`);
    await episode.run(() => byFetch(`${other}/v1/chat/completions`));
    expect(told.map(([, one]) => one)).toEqual([undefined, undefined]);
  });

  it('are taken as they are where the header is no line', () => {
    const texts = ['', '{', '{"file":"/w/a.ts","line":0,"column":null,"function":null}', '[]', '"x"'];
    for (const text of texts) expect(sourceOf({ headers: { [sourceHeader]: text } })).toBeUndefined();
  });
});

describe('what asks a server for text', () => {
  it.each([
    ['POST', '/v1/chat/completions', true],
    ['POST', '/v1/completions', true],
    ['POST', '/openai/v1/responses', true],
    ['POST', '/v1/messages', true],
    ['POST', '/api/chat', true],
    ['POST', '/v1beta/models/gemini-pro:generateContent', true],
    ['GET', '/v1/chat/completions', false],
    ['POST', '/v1/embeddings', false],
    ['POST', '/inbox/messages', false],
    ['POST', '/chat/completions/feedback', false],
  ])('%s %s: %s', (method, path, expected) => {
    expect(isLlmRequest({ method, path, origin: 'https://a.example' })).toBe(expected);
  });
});
