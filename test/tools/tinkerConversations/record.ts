/**
 * Records the conversation of a client with a Tinker server:
 *
 *   node test/tools/tinkerConversations/record.ts FILE CLIENT SERVER URL -- COMMAND…
 *
 * CLIENT and SERVER are names with versions. The command finds the server in TINKER_BASE_URL. Heartbeats, and requests for
 * results that were not ready, are left out, since their number depends on time. Clients are sdkClient.py, which needs the
 * package `tinker`, and refusals.ts. TuFT trains and samples without a GPU and a model with TUFT_CPU_TEST=1.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { buffer } from 'node:stream/consumers';
import type { MessageName } from '../../../src/tinker/core/wire/schema.ts';
import { shownMessage, type Conversation, type Exchange } from './conversation.ts';

const [file = '', client = '', server = '', url = '', , command = '', ...args] = process.argv.slice(2);

const kept = ['accept', 'content-type', 'x-api-key', 'x-idempotency-key', 'x-tinker-sampling-backpressure'];
const untimely = /^\/api\/v1\/(?:session_heartbeat|client\/dynamic_config|telemetry)$/;
const exchanges: Exchange[] = [];
/** The messages of results, by the id of their request. */
const results = new Map<string, MessageName>();

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = headers[name];
      if (typeof value !== 'string' || value === '*/*') return [];
      return [[name, name === 'x-idempotency-key' ? '(id)' : value]];
    }),
  );
}

function bodyOf(bytes: Buffer, type: string | null | undefined, message: MessageName | undefined): unknown {
  if (type?.includes('x-protobuf') === true && message !== undefined) return shownMessage(message, bytes);
  return bytes.length === 0 ? null : (JSON.parse(bytes.toString()) as unknown);
}

const proxy = createServer((request, response) => {
  void (async () => {
    const { method = '', url: path = '', headers } = request;
    const sent = await buffer(request);
    const { host: _, connection: __, 'content-length': ___, ...passed } = headers;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...(passed as Record<string, string>), 'accept-encoding': 'identity' },
      ...(sent.length > 0 && { body: sent }),
    });
    const received = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type });
    response.end(received);
    const body = bodyOf(sent, headers['content-type'], 'ForwardBackwardRequest');
    const { request_id: id } = (body ?? {}) as { request_id?: string };
    const shown = bodyOf(received, type, results.get(id ?? ''));
    const { request_id: future, type: kind } = (shown ?? {}) as { request_id?: string; type?: string };
    if (path.endsWith('/asample') && future !== undefined) results.set(future, 'SampleResponse');
    if (path.endsWith('/forward_backward') && future !== undefined)
      results.set(future, 'ForwardBackwardOutput');
    if ((untimely.test(path) && answer.ok) || kind === 'try_again' || answer.status === 408) return;
    exchanges.push({ method, path, headers: headersOf(headers), body, status: answer.status, answer: shown });
  })();
});

proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');
const { port } = proxy.address() as AddressInfo;
const env = { ...process.env, TINKER_BASE_URL: `http://127.0.0.1:${port}`, TINKER_TELEMETRY: '0' };
const child = spawn(command, args, { env, stdio: 'inherit' });
const [code] = (await once(child, 'exit')) as [number | null];
const { info, paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
  info: { title: string };
  paths: object;
};
proxy.closeAllConnections();
proxy.close();
if (code !== 0) throw new Error(`The client ended with ${code}.`);
const openApi = {
  info: { title: info.title },
  paths: Object.keys(paths).filter((path) => path.includes('/forward')),
};
const conversation: Conversation = { client, server, openApi, exchanges };
const inOneLine = (list: string): string => list.replaceAll(/\s+/g, ' ');
const text = JSON.stringify(conversation, null, 2).replaceAll(/\[[\s\d.,e+-]*\]/g, inOneLine);
writeFileSync(file, `${text}\n`);
