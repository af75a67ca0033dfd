import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveOverHttp, type TraceHttpServer } from '../../../../src/traces/node/server/httpServer.ts';
import { TraceService } from '../../../../src/traces/node/server/service.ts';
import { FakeClock } from '../../fakeClock.ts';
import { ScriptedTrace, scriptedFiles } from './scriptedFiles.ts';

let webFolder: string;
let door: TraceHttpServer;
let clock: FakeClock;
let trace: ScriptedTrace;

beforeEach(async () => {
  webFolder = await mkdtemp(path.join(tmpdir(), 'agentjet-web-'));
  await writeFile(path.join(webFolder, 'trace.js'), 'script');
  await writeFile(path.join(webFolder, 'trace.css'), 'style');
  await writeFile(path.join(webFolder, 'secret.txt'), 'secret');
  clock = new FakeClock();
  trace = new ScriptedTrace();
  const files = scriptedFiles({ '/runs/small.ajtrace': trace, '/runs/other.ajtrace': new ScriptedTrace() });
  const service = new TraceService(files, clock);
  door = await serveOverHttp(service, {
    trace: '/runs/small.ajtrace',
    port: 0,
    webFolder,
    textsFolder: webFolder,
  });
});

afterEach(async () => {
  door.dispose();
  await rm(webFolder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const token = (): string => new URLSearchParams(new URL(door.url).hash.slice(1)).get('token') ?? '';
const withToken = (): Record<string, string> => ({ authorization: `Bearer ${token()}` });

/** As any program would ask, headers that browsers keep for themselves included. */
function ask(place: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
  const { port } = new URL(door.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: place, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

const rpc = (call: unknown, headers: Record<string, string> = withToken()): Promise<Answer> =>
  ask('/rpc', { method: 'POST', headers, body: typeof call === 'string' ? call : JSON.stringify(call) });

const run = { id: 1, request: { method: 'run', trace: 'small.ajtrace' } };

describe('the page', () => {
  it('speaks the language that the browser asks for, and English else', async () => {
    await writeFile(path.join(webFolder, 'bundle.l10n.zh-cn.json'), '{"Run":"运行"}');
    const chinese = await ask('/', { headers: { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' } });
    expect(chinese.body).toContain('<html lang="zh-CN"');
    expect(chinese.body).toContain('{"Run":"运行"}');
    const english = await ask('/', { headers: { 'accept-language': 'en-GB,zh-CN;q=0.5' } });
    expect(english.body).toContain('<html lang="en"');
    expect(english.body).not.toContain('运行');
  });

  it('comes with its script and style, and does not tell where the trace is', async () => {
    const page = await ask('/');
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.body).toContain('small.ajtrace');
    expect(page.body).not.toContain('/runs/');
    expect(page.body).not.toContain(token());
    expect(await ask('/trace.js')).toMatchObject({ status: 200, body: 'script' });
    expect(await ask('/trace.css')).toMatchObject({ status: 200, body: 'style' });
  });

  it('has a nonce of its own each time', async () => {
    const nonce = async (): Promise<string> => /'nonce-([^']+)'/.exec((await ask('/')).body)?.[1] ?? '';
    expect(await nonce()).not.toBe(await nonce());
  });

  it.each([
    '/secret.txt',
    '/../secret.txt',
    '/%2e%2e/package.json',
    '//trace.js',
    '/trace.js?x=1',
    '/runs/small.ajtrace',
    '/constructor',
    '/__proto__',
    '/favicon.ico',
  ])('is all there is: no %s', async (place) => {
    expect(await ask(place, { headers: withToken() })).toMatchObject({ status: 404 });
  });
});

describe('questions', () => {
  it('are answered with the token of the address', async () => {
    expect(await rpc(run)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
    expect(JSON.parse((await rpc(run)).body)).toMatchObject({ id: 1, result: { live: true } });
  });

  it.each([
    ['none', {}],
    ['another', { authorization: 'Bearer guess' }],
    ['the right one in another scheme', { authorization: 'Basic x' }],
  ])('are not answered with %s', async (_name, headers) => {
    expect(await rpc(run, headers)).toMatchObject({ status: 401 });
    expect(await ask('/events', { headers })).toMatchObject({ status: 401 });
    expect(trace.opened).toBe(0);
  });

  it.each([
    ['a name that was made to point here', { host: 'evil.example' }],
    ['this name at another port', { host: '127.0.0.1:1' }],
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
  ])('are not answered to %s, token or not', async (_name, headers) => {
    expect(await rpc(run, { ...withToken(), ...headers })).toMatchObject({ status: 403 });
    expect(await ask('/', { headers })).toMatchObject({ status: 403 });
    expect(await ask('/trace.js', { headers })).toMatchObject({ status: 403 });
  });

  it('are answered to the own page under both names of this machine', async () => {
    const { port } = new URL(door.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect(await rpc(run, { ...withToken(), host, origin: `http://${host}` })).toMatchObject({
        status: 200,
      });
    }
  });

  it('may compare with the traces that were named, which are known by their names only', async () => {
    const named = ['/runs/small.ajtrace', '/runs/other.ajtrace', '/later/small.ajtrace'];
    const files = scriptedFiles(Object.fromEntries(named.map((file) => [file, new ScriptedTrace()])));
    const [trace = '', ...others] = named;
    const places = { webFolder, textsFolder: webFolder };
    door.dispose();
    door = await serveOverHttp(new TraceService(files, clock), { trace, others, port: 0, ...places });
    const answerTo = async (request: object): Promise<unknown> => {
      const body = JSON.stringify({ id: 1, request });
      const reply = await ask('/rpc', { method: 'POST', headers: withToken(), body });
      return (JSON.parse(reply.body) as { readonly result?: unknown }).result;
    };
    expect(await answerTo({ method: 'otherRuns', trace: 'small.ajtrace' })).toMatchObject({
      traces: [{ trace: 'other.ajtrace' }, { trace: 'small.ajtrace (2)' }],
    });
    expect(
      await answerTo({ method: 'episodes', trace: 'small.ajtrace (2)', from: 0, limit: 1 }),
    ).toBeDefined();
    expect(
      await answerTo({ method: 'episodes', trace: '/later/small.ajtrace', from: 0, limit: 1 }),
    ).toBeUndefined();
  });

  it('about any other trace are refused', async () => {
    for (const name of ['/runs/other.ajtrace', '/runs/small.ajtrace', 'other.ajtrace', '']) {
      const { body } = await rpc({ id: 2, request: { method: 'run', trace: name } });
      expect(JSON.parse(body)).toMatchObject({ id: 2, error: { code: 'trace/other-trace' } });
    }
  });

  it('that make no sense are answered, and the next one too', async () => {
    expect(JSON.parse((await rpc('garbage')).body)).toMatchObject({
      id: -1,
      error: { code: 'trace/bad-request' },
    });
    expect(await rpc('x'.repeat(100_000))).toMatchObject({ status: 413 });
    expect(await ask('/rpc', { headers: withToken() })).toMatchObject({ status: 405 });
    expect(await ask('/', { method: 'POST' })).toMatchObject({ status: 405 });
    expect(await rpc(run)).toMatchObject({ status: 200 });
  });
});

describe('events', () => {
  it('tell of changes while the page listens; nothing is looked at before and after', async () => {
    await rpc({ id: 1, request: { method: 'watch', trace: 'small.ajtrace' } });
    clock.advance(10_000);
    expect(trace.opened).toBe(0);

    const stop = new AbortController();
    const response = await fetch(new URL('/events', door.url), {
      headers: withToken(),
      signal: stop.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    trace.changes += 1;
    clock.advance(200);
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value as Uint8Array)).toBe(
      'data: {"notice":"changed","trace":"small.ajtrace"}\n\n',
    );

    stop.abort();
    await expect(
      (async () => {
        // Until the server has noticed that the page went: then nothing keeps the trace open.
        while (trace.closed < trace.opened) {
          await ask('/');
          clock.advance(400);
          if (trace.asked.length > 10_000) throw new Error('it goes on looking');
        }
      })(),
    ).resolves.toBeUndefined();
  });
});

it('a port that is taken is told', async () => {
  const port = Number(new URL(door.url).port);
  const service = new TraceService(scriptedFiles({}), clock);
  await expect(
    serveOverHttp(service, { trace: '/x', port, webFolder, textsFolder: webFolder }),
  ).rejects.toMatchObject({
    code: 'trace/cannot-listen',
  });
});
