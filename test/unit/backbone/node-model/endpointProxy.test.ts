import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatRequest, ModelReply } from '../../../../src/backbone/core/model-tuner/model.ts';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { completionOf } from '../model-tuner/tunerBench.ts';
import { openAiServer, sendJson } from './openAiServer.ts';

const request: ChatRequest = { model: 'any', messages: [{ role: 'user', content: 'hello' }] };

/** A proxy that sends every request to one server, and the first line of each request that it got. */
let proxy: Server;
let seen: string[] = [];
let to = 0;

beforeEach(async () => {
  seen = [];
  proxy = createServer((received, response) => {
    seen.push(`${received.method ?? ''} ${received.url ?? ''}`);
    const { pathname } = new URL(received.url ?? '');
    void fetch(`http://127.0.0.1:${to}${pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: received as unknown as BodyInit,
      duplex: 'half',
    } as RequestInit).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
  });
  proxy.on('connect', (received, socket) => {
    seen.push(`CONNECT ${received.url ?? ''}`);
    const upstream = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'NO_PROXY']) vi.stubEnv(name, undefined);
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  vi.stubEnv('HTTP_PROXY', url);
  vi.stubEnv('HTTPS_PROXY', url);
  // Agents read the variables when they are made.
  vi.resetModules();
});

afterEach(() => {
  proxy.closeAllConnections();
  proxy.close();
});

async function ask(baseUrl: string): Promise<ModelReply> {
  const { createEndpointModel } = await import('../../../../src/backbone/node/model-tuner/endpointModel.ts');
  const model = createEndpointModel({ baseUrl, model: 'qwen', logger: { log: () => undefined } });
  return model.respond(request, neverCancelled, { episode: 0, call: 0, agentName: 'a', targetTag: 't' });
}

async function modelServer(): Promise<string> {
  const { baseUrl } = await openAiServer((response) => sendJson(response, 200, completionOf('yes')));
  to = Number(new URL(baseUrl).port);
  return baseUrl;
}

describe('proxies of the environment', () => {
  it('are used for http', async () => {
    await modelServer();
    expect((await ask('http://model.example/v1')).kind).toBe('completion');
    expect(seen).toEqual(['POST http://model.example/v1/chat/completions']);
  });

  it('are used for https, through a tunnel', async () => {
    await modelServer();
    // The server behind the tunnel does not speak TLS.
    expect((await ask('https://model.example/v1')).kind).toBe('error');
    expect(seen).toEqual(['CONNECT model.example:443']);
  });

  it('are not used for this machine', async () => {
    expect((await ask(await modelServer())).kind).toBe('completion');
    expect(seen).toEqual([]);
  });

  it('are not used for hosts of NO_PROXY', async () => {
    vi.stubEnv('NO_PROXY', 'model.invalid');
    expect(await ask('http://model.invalid/v1')).toMatchObject({ kind: 'error' });
    expect(seen).toEqual([]);
  });
});
