import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, describe, it, onTestFinished } from 'vitest';
import {
  defaultBodyLimit,
  startModelServer,
  type ModelServer,
} from '../../../../src/backbone/node/model-tuner/modelServer.ts';
import {
  chunkOf,
  gate,
  hello,
  saying,
  tunerBench,
  type Answer,
  type Bench,
} from '../model-tuner/tunerBench.ts';

async function serve(answer: Answer): Promise<{ bench: Bench; server: ModelServer; socket: Socket }> {
  const bench = tunerBench(answer);
  const server = await startModelServer(bench.gateway.handle);
  onTestFinished(() => server.close());
  const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return { bench, server, socket };
}

function rawRequest(bench: Bench, body: string, headers = ''): string {
  return (
    'POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n' +
    `Authorization: Bearer ${bench.apiKey}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
  );
}

async function readUntil(socket: Socket, end: RegExp): Promise<string> {
  let text = '';
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    text += String(part);
    if (end.test(text)) break;
  }
  return text;
}

const body = JSON.stringify(hello);

describe('the server of the model', () => {
  it('listens on the loopback interface only', async () => {
    const { server } = await serve(() => saying('hi'));
    expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  });

  it('answers one connection many times', async () => {
    const { bench, socket } = await serve(() => saying('hi'));
    for (let time = 0; time < 3; time++) {
      socket.write(rawRequest(bench, body));
      expect(await readUntil(socket, /"total_tokens":5\}\}$/)).toMatch(/^HTTP\/1\.1 200 OK/);
    }
    expect(bench.episode.llmCalls).toBe(3);
  });

  it('answers a client that has closed its sending side', async () => {
    const asked = gate();
    const go = gate();
    const { bench, socket } = await serve(async () => {
      asked.open();
      await go.opened;
      return saying('hi');
    });
    socket.end(rawRequest(bench, body));
    await asked.opened;
    go.open();
    expect(await readUntil(socket, /"total_tokens":5\}\}$/)).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('reads a character that two packets share', async () => {
    const { bench, socket } = await serve((request) => saying(JSON.stringify(request.messages[0]?.content)));
    const bytes = Buffer.from(
      rawRequest(bench, JSON.stringify({ messages: [{ role: 'user', content: 'a😀b' }] })),
    );
    const middle = bytes.indexOf(Buffer.from('😀')) + 2;
    socket.write(bytes.subarray(0, middle), () => socket.write(bytes.subarray(middle)));
    expect(await readUntil(socket, /"total_tokens":5\}\}$/)).toContain('a😀b');
  });

  it('refuses a name of another site that resolves to this machine', async () => {
    const { bench, socket } = await serve(() => saying('hi'));
    socket.write(rawRequest(bench, body).replace('Host: 127.0.0.1', 'Host: evil.example'));
    expect(await readUntil(socket, /foreign_host/)).toMatch(/^HTTP\/1\.1 403/);
  });

  it('answers a request without a key before its body comes', async () => {
    const { bench, socket } = await serve(() => saying('hi'));
    const [headers = ''] = rawRequest(bench, body).split('\r\n\r\n');
    socket.write(`${headers.replace(/Bearer \S+/, 'Bearer none')}\r\n\r\n`);
    expect(await readUntil(socket, /\}\}$/)).toMatch(/^HTTP\/1\.1 401/);
  });

  it('reads no more bodies at once than fit into its memory', async () => {
    const { bench, server, socket } = await serve(() => saying('hi'));
    const large = rawRequest(bench, ' '.repeat(defaultBodyLimit - body.length) + body);
    const slow = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const other = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
        onTestFinished(() => void other.destroy());
        other.write(large.slice(0, 1000) + large.slice(1000, 2000));
        await once(other, 'connect');
        return other;
      }),
    );
    // The headers of these have been read, which is all that these bodies wait for.
    await fetch(new URL('/health', server.baseUrl));
    let answered = false;
    socket.write(rawRequest(bench, body));
    const reply = readUntil(socket, /"total_tokens":5\}\}$/).finally(() => (answered = true));
    await fetch(new URL('/health', server.baseUrl));
    expect(answered).toBe(false);
    for (const one of slow) one.destroy();
    expect(await reply).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('cancels the model when the client goes away', async () => {
    const begun = gate();
    const { bench, socket } = await serve(
      (_request, cancellation) =>
        new Promise((resolve) => {
          cancellation.onCancelled(() => resolve(saying('too late')));
          begun.open();
        }),
    );
    socket.write(rawRequest(bench, body));
    await begun.opened;
    socket.destroy();
    expect(await bench.firstCall).toMatchObject({ status: 499 });
  });

  it('forgets a client that goes away in the middle of its request', async () => {
    const { bench, server, socket } = await serve(() => saying('hi'));
    socket.write(rawRequest(bench, body).slice(0, -10));
    socket.destroy();
    await once(socket, 'close');
    const health = await fetch(new URL('/health', server.baseUrl));
    expect(health.status).toBe(200);
    expect(bench.asked).toEqual([]);
  });

  it('sends the head of a stream before its first chunk', async () => {
    const first = gate();
    const { bench, socket } = await serve(() => ({
      kind: 'stream',
      chunks: (async function* () {
        await first.opened;
        yield [chunkOf({ content: 'a' }, 'stop')];
      })(),
    }));
    socket.write(rawRequest(bench, JSON.stringify({ ...hello, stream: true })));
    expect(await readUntil(socket, /\r\n\r\n/)).toMatch(/text\/event-stream/);
    first.open();
    expect(await readUntil(socket, /\[DONE\]/)).toContain('"content":"a"');
  });

  it('closes with calls in flight, which it cancels', async () => {
    const begun = gate();
    const { bench, server, socket } = await serve(
      (_request, cancellation) =>
        new Promise((resolve) => {
          cancellation.onCancelled(() => resolve(saying('too late')));
          begun.open();
        }),
    );
    socket.write(rawRequest(bench, body));
    await begun.opened;
    await server.close();
    expect(await bench.firstCall).toMatchObject({ status: 499 });
    await expect(fetch(new URL('/health', server.baseUrl))).rejects.toThrow();
  });
});
