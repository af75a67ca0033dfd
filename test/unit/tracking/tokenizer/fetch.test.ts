/** Against servers of our own on loopback. */
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { fetchTokenizer, type FetchOptions } from '../../../../src/backbone/node/tokenizer/fetch.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
const servers: Server[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentjet-fetch-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
  await rm(folder, { recursive: true, force: true });
});

async function serve(answer: Answer): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const nameOf = (request: IncomingMessage): string => path.posix.basename(request.url ?? '');

/** A hub that has these files of any model. */
const hubOf =
  (files: Readonly<Record<string, string>>): Answer =>
  (request, response) => {
    const text = files[nameOf(request)];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  };

const whole = { 'tokenizer.json': '{"model":1}', 'tokenizer_config.json': '{}', 'chat_template.jinja': 'x' };

function get(endpoint: string, options: Partial<FetchOptions> = {}): Promise<string | undefined> {
  return fetchTokenizer({
    model: 'Org/Model',
    endpoint,
    token: undefined,
    to: path.join(folder, 'Org', 'Model'),
    cancellation: neverCancelled,
    progress: () => undefined,
    ...options,
  });
}

async function failure(work: Promise<unknown>): Promise<CodedError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof CodedError) return error;
  throw new Error(`It did not fail with a code: ${String(error)}`);
}

describe('fetchTokenizer', () => {
  it('brings every file, the tokenizer last', async () => {
    const asked: string[] = [];
    const endpoint = await serve((request, response) => {
      asked.push(request.url ?? '');
      hubOf(whole)(request, response);
    });
    const seen: string[] = [];
    const to = await get(`${endpoint}/`, {
      progress: ({ file, received, total }) => seen.push(`${file} ${received}/${total ?? '?'}`),
    });
    expect(to).toBe(path.join(folder, 'Org', 'Model'));
    expect(asked).toEqual(
      ['chat_template.jinja', 'tokenizer_config.json', 'tokenizer.json'].map(
        (file) => `/Org/Model/resolve/main/${file}`,
      ),
    );
    expect((await readdir(to ?? '')).sort()).toEqual(Object.keys(whole).sort());
    expect(await readFile(path.join(to ?? '', 'tokenizer.json'), 'utf8')).toBe('{"model":1}');
    expect(seen.at(-1)).toMatch(/^tokenizer\.json 11\//);
  });

  it('takes a model without a template of its own, and drops an older one', async () => {
    const endpoint = await serve(hubOf({ 'tokenizer.json': '{}', 'tokenizer_config.json': '{}' }));
    await writeFile(path.join(folder, 'chat_template.jinja'), 'old');
    await get(endpoint, { to: folder });
    expect((await readdir(folder)).sort()).toEqual(['tokenizer.json', 'tokenizer_config.json']);
  });

  it('sends the token to the hub, and to nobody whom it redirects to', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = await serve((request, response) => {
      seen.push(request.headers.authorization);
      hubOf(whole)(request, response);
    });
    const endpoint = await serve((request, response) => {
      seen.push(request.headers.authorization);
      // First within the hub, by a relative address, then to another host.
      const isMoved = (request.url ?? '').startsWith('/moved/');
      const location = isMoved ? `${elsewhere}/${nameOf(request)}` : `/moved/${nameOf(request)}`;
      response.writeHead(isMoved ? 302 : 307, { location }).end();
    });
    await get(endpoint, { token: 'secret' });
    expect(seen).toEqual(
      Array.from({ length: 3 }, () => ['Bearer secret', 'Bearer secret', undefined]).flat(),
    );
  });

  it.each([
    [401, 'tokenizer/fetch-refused', 'HF_TOKEN'],
    [403, 'tokenizer/fetch-refused', 'terms'],
    [404, 'tokenizer/fetch-not-found', 'Org/Model'],
    [503, 'tokenizer/fetch-status', '503'],
  ])('says what to do about HTTP %i', async (status, code, named) => {
    const endpoint = await serve((_, response) => response.writeHead(status).end());
    const error = await failure(get(endpoint));
    expect(error.code).toBe(code);
    expect(`${error.message} ${error.hint ?? ''}`).toContain(named);
  });

  it('gives up on redirects without end', async () => {
    const endpoint = await serve((request, response) =>
      response.writeHead(302, { location: request.url ?? '' }).end(),
    );
    expect((await failure(get(endpoint))).code).toBe('tokenizer/fetch-redirects');
  });

  it('gives up on redirects to nowhere', async () => {
    const endpoint = await serve((_, response) => response.writeHead(302).end());
    expect((await failure(get(endpoint))).code).toBe('tokenizer/fetch-redirects');
  });

  it('tells of a host that cannot be reached', async () => {
    const endpoint = await serve(() => undefined);
    const [server] = servers.splice(0);
    server?.close();
    const error = await failure(get(endpoint));
    expect(error.code).toBe('tokenizer/fetch-offline');
    expect(error.message).toContain(new URL(endpoint).host);
    expect(error.hint).toContain('HF_ENDPOINT');
  });

  it('leaves nothing of a file that was cut off', async () => {
    const endpoint = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    expect((await failure(get(endpoint, { to: folder }))).code).toBe('tokenizer/fetch-offline');
    expect(await readdir(folder)).toEqual([]);
  });

  it('keeps the file that was there when the new one does not come whole', async () => {
    await writeFile(path.join(folder, 'chat_template.jinja'), 'old');
    const endpoint = await serve((_, response) => {
      response.writeHead(200);
      response.write('half', () => response.destroy());
    });
    await failure(get(endpoint, { to: folder }));
    expect(await readFile(path.join(folder, 'chat_template.jinja'), 'utf8')).toBe('old');
  });

  it('stops at what no tokenizer is as large as', async () => {
    const megabyte = Buffer.alloc(2 ** 20);
    const endpoint = await serve((_, response) => {
      const send = (): void => {
        while (!response.destroyed && response.write(megabyte));
        if (!response.destroyed) response.once('drain', send);
      };
      response.writeHead(200);
      send();
    });
    const error = await failure(get(endpoint, { to: folder }));
    expect(error.code).toBe('tokenizer/fetch-too-large');
    expect(await readdir(folder)).toEqual([]);
  });

  it('ends without an error when cancelled', async () => {
    const cancellation = new CancellationSource();
    const endpoint = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
    });
    const result = await get(endpoint, {
      to: folder,
      cancellation: cancellation.token,
      progress: () => cancellation.cancel(),
    });
    expect(result).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  it('says where it cannot save', async () => {
    const endpoint = await serve(hubOf(whole));
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    const error = await failure(get(endpoint, { to: path.join(file, 'below') }));
    expect(error.code).toBe('tokenizer/fetch-not-saved');
  });

  it.each(['../up', 'a/b/c', ''])('refuses %j as the id of a model', async (model) => {
    expect((await failure(get('http://127.0.0.1:1', { model }))).code).toBe('tokenizer/bad-model-id');
  });

  it.each(['', 'huggingface.co', 'file:///x'])('refuses %j as an address', async (endpoint) => {
    expect((await failure(get(endpoint))).code).toBe('tokenizer/bad-endpoint');
  });
});
