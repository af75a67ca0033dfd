/** A port of this machine that leads to the Tinker server of a run on a GPU host. */
import { Buffer } from 'node:buffer';
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CancellationSource, type CancellationToken } from '../../../../base/core/cancellation.ts';
import { CodedError, hasCode, toReport } from '../../../../base/core/errors.ts';
import { checkPeers } from '../../../../base/node/peerUser.ts';
import { hostMethods, tinkerLimits, type HostParams } from '../../../core/protocol/hostRpc.ts';
import { passedHeaders } from '../../../core/tinker/headers.ts';
import { tinkerCallErrors } from '../../../core/tinker/failures.ts';
import type { ClientConnection } from '../../../core/wire/clientConnection.ts';
import { inMemory } from '../../filePieces.ts';

export interface TinkerTunnel {
  /** The base URL for Tinker clients of this machine. Its password is a secret. */
  readonly url: string;
  close(): Promise<void>;
}

type Connection = Pick<ClientConnection, 'ask' | 'upload' | 'download'>;
type Call = Pick<HostParams<'tinker.call'>, 'run' | 'key' | 'method' | 'path' | 'headers'>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** True if the host keeps the body until the client says that it has arrived. */
  readonly isKept: boolean;
}

const user = 'agentjet';
const heartbeatPath = '/api/v1/session_heartbeat';

/**
 * Opens a tunnel to the Tinker server of a run. Requests wait while the connection to the host is lost. A repeated request
 * with the same `X-Idempotency-Key` gets the response to the first one.
 *
 * @param mostCalls the number of calls at once. Heartbeats do not count, so that slow results do not end a session.
 */
export async function openTinkerTunnel(
  connection: Connection,
  run: string,
  mostCalls = 240,
): Promise<TinkerTunnel> {
  // No time-outs: a debugger can hold the client, and a result can take long.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  const secret = randomBytes(24).toString('base64url');
  const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  const tunnel = new Tunnel({
    ...{ connection, run, authorization, slots: new Slots(mostCalls) },
    isOther: checkPeers(server),
  });
  server.on('request', (request, response) => {
    tunnel.serve(request, response).catch(() => response.destroy()); // the client is gone
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${user}:${secret}@127.0.0.1:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface TunnelParts {
  readonly connection: Connection;
  readonly run: string;
  readonly authorization: string;
  readonly slots: Slots;
  readonly isOther: (request: IncomingMessage) => boolean;
}

class Tunnel {
  readonly #parts: TunnelParts;

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  /** Returns the call for a request. Undefined: the request is refused. */
  #allowed(
    request: IncomingMessage,
    response: ServerResponse,
  ): (Call & { readonly isRepeated: boolean }) | undefined {
    if (this.#parts.isOther(request)) {
      refuse(response, 403, 'the tunnel belongs to another user');
      return undefined;
    }
    if (!isEqual(request.headers.authorization ?? '', this.#parts.authorization)) {
      refuse(response, 401, 'the address needs the password that `agentjet remote serve` prints');
      return undefined;
    }
    const idempotencyKey = request.headers['x-idempotency-key'];
    const isRepeated = typeof idempotencyKey === 'string' && /^[0-9a-f-]{16,64}$/.test(idempotencyKey);
    const key = isRepeated ? idempotencyKey : randomUUID();
    const { method, url: path, headers } = request;
    const call = hostMethods['tinker.call'].params.safeParse({
      ...{ run: this.#parts.run, key, method, path, headers: passedHeaders(headers) },
    });
    if (call.success) return { ...call.data, isRepeated };
    refuse(response, 404, 'a GPU host passes on requests of the Tinker API only');
    return undefined;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const source = new CancellationSource();
    response.on('close', () => {
      if (!response.writableFinished) source.cancel();
    });
    const call = this.#allowed(request, response);
    if (call === undefined) return;
    const body = await readBody(request);
    if (body === undefined) {
      refuse(response, 413, 'the request is too large');
      return;
    }
    const { key, path, isRepeated } = call;
    const release = path === heartbeatPath ? undefined : await this.#parts.slots.take();
    try {
      const answer = await this.#answerTo(call, body, source.token);
      if (answer.isKept && !isRepeated) this.#stop(key);
      response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
      response.end(answer.body);
    } catch (error) {
      // The client asks for it again with the same key, or is gone.
      if (!source.token.isCancelled) refuseFor(error, response);
      else if (!isRepeated) this.#stop(key);
    } finally {
      release?.();
    }
  }

  async #answerTo(call: Call, body: Buffer, cancellation: CancellationToken): Promise<Answer> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#attempt(call, body, cancellation);
      } catch (error) {
        // The host was restarted.
        const isLost = hasCode(error, 'host/tinker-body-lost', 'host/tinker-response-lost');
        if (!isLost || attempts >= 3) throw error;
      }
    }
  }

  async #attempt(call: Call, body: Buffer, cancellation: CancellationToken): Promise<Answer> {
    const { run, key, method, path } = call;
    const isSent = body.length > tinkerLimits.inline;
    if (isSent) {
      const params = { run, key, bytes: body.length };
      await this.#parts.connection.upload({ method: 'tinker.send', params }, inMemory(body), cancellation);
    }
    const sent = isSent ? ({ sent: true } as const) : { body: body.toString('base64') };
    const answer = await this.#parts.connection.ask(
      'tinker.call',
      { run, key, method, path, headers: call.headers, ...sent },
      cancellation,
    );
    const { status, headers, bytes } = answer;
    if (bytes === undefined)
      return { status, headers, body: Buffer.from(answer.body ?? '', 'base64'), isKept: false };
    if (bytes > tinkerLimits.body) throw tinkerCallErrors.tooLarge(tinkerLimits.body);
    const request = { method: 'tinker.receive', params: { run, key, offset: 0 } } as const;
    const pieces: Uint8Array[] = [];
    for await (const piece of (await this.#parts.connection.download(request, cancellation)).pieces)
      pieces.push(piece);
    return { status, headers, body: Buffer.concat(pieces), isKept: true };
  }

  #stop(key: string): void {
    this.#parts.connection.ask('tinker.stop', { run: this.#parts.run, key }).catch(() => undefined);
  }
}

/** Limits what is done at once. The rest waits in order. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves to the function that frees the slot. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** Undefined: it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > tinkerLimits.body) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Failures that pass. Tinker clients repeat a request that fails with 503. */
const passing = new Set(['host/tinker-not-ready', 'host/tinker-no-answer', 'host/tinker-too-many']);

function refuseFor(error: unknown, response: ServerResponse): void {
  const { code, message, hint } = toReport(error, 'host/tunnel');
  const passes =
    passing.has(code) || hasCode(error, 'host/connection-lost') || !(error instanceof CodedError);
  refuse(response, 503, hint === undefined ? message : `${message} ${hint}`, passes);
}

function refuse(response: ServerResponse, status: number, detail: string, passes = false): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(!passes && { 'x-should-retry': 'false' }),
  });
  response.end(JSON.stringify({ detail }));
}
