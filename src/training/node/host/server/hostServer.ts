import { randomBytes, randomUUID } from 'node:crypto';
import { createServer as createHttp, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { attempt } from '../../../../base/core/attempt.ts';
import { CodedError } from '../../../../base/core/errors.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import { closeCodes, wireLimits, wirePath, wireSubprotocol } from '../../../core/protocol/wire.ts';
import type { HostServices } from '../../../core/contracts.ts';
import { TokenUse } from '../../../core/wire/tokenUse.ts';
import { HostSession } from '../../../core/wire/hostSession.ts';
import { hostProof, maskToken, proofScheme } from '../../tokenProof.ts';
import { wireSocket } from '../../wireSocket.ts';
import type { AuditLog } from './auditLog.ts';
import type { HostCertificate } from './certificate.ts';
import type { HostTokens, TokenInfo } from './tokens.ts';
import { RateLimit } from '../../../core/wire/rateLimit.ts';

const longestToken = 200;
/** The id of a token, and a random number. */
const proofRequest = new RegExp(`^${proofScheme} ([0-9a-f]{64}) ([0-9a-f]{32})$`);
const proofAnswer = new RegExp(`^${proofScheme} ([\\w-]+)$`);

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly proof?: string;
}

const noUpgrade: Refusal = {
  status: 426,
  reason: `This is an AgentJet GPU host. Its WebSocket is at ${wirePath}.\n`,
};

/** Decides whether a client may connect, before a WebSocket is opened. */
export class UpgradeCheck {
  readonly #tokens: HostTokens;
  readonly #connections: RateLimit;
  readonly #failures: RateLimit;
  readonly #proofs = new WeakMap<Socket, { readonly hash: Buffer; readonly nonces: string }>();

  constructor(tokens: HostTokens, clock: Pick<Clock, 'monotonic'>) {
    this.#tokens = tokens;
    this.#connections = new RateLimit({ burst: 200, perSecond: 20 }, clock);
    this.#failures = new RateLimit({ burst: 20, perSecond: 0.2 }, clock);
  }

  /**
   * Answers a request that is not an upgrade. With `proof`, the host knows the token of the client, which then proves the
   * same on this connection.
   */
  prove({ headers, socket }: IncomingMessage): Refusal {
    const [, id, nonce] = proofRequest.exec(headers.authorization ?? '') ?? [];
    if (id === undefined || nonce === undefined) return noUpgrade;
    const hash = this.#tokens.hashOf(id);
    if (hash === undefined) return this.#wrongToken(socket.remoteAddress ?? '');
    const own = randomBytes(16).toString('hex');
    const nonces = `${nonce} ${own}`;
    this.#proofs.set(socket, { hash, nonces });
    return { status: 401, reason: '', proof: `${proofScheme} ${own} ${hostProof(hash, nonces)}` };
  }

  check(request: IncomingMessage): Refusal | TokenInfo {
    const address = request.socket.remoteAddress ?? '';
    const { url = '', method, headers } = request;
    const token = this.#tokenOf(request);
    const found = token === undefined || token.length > longestToken ? undefined : this.#tokens.find(token);
    // Only connections of known tokens are limited here, each token by itself: others share an address with its owner.
    if (found !== undefined && !this.#connections.take(found.name))
      return { status: 429, reason: 'Too many connections. Try again later.' };
    if (method !== 'GET' || url.split('?')[0] !== wirePath) {
      return { status: 404, reason: `The WebSocket of this host is at ${wirePath}.` };
    }
    // Only browsers send this header, and web pages must not connect.
    if (headers.origin !== undefined) return { status: 403, reason: 'Web pages are not allowed to connect.' };
    const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    if (!offered.includes(wireSubprotocol)) {
      return { status: 400, reason: `The WebSocket subprotocol is ${wireSubprotocol}.` };
    }
    if (found !== undefined) return found;
    return this.#wrongToken(address, token === undefined ? 'The token is missing.' : undefined);
  }

  /** Earlier clients send the token itself. */
  #tokenOf({ headers: { authorization = '' }, socket }: IncomingMessage): string | undefined {
    const masked = proofAnswer.exec(authorization)?.[1];
    if (masked === undefined) return /^Bearer (\S+)$/.exec(authorization)?.[1];
    const proof = this.#proofs.get(socket);
    this.#proofs.delete(socket);
    return proof && maskToken(Buffer.from(masked, 'base64url'), proof.hash, proof.nonces).toString('utf8');
  }

  #wrongToken(address: string, reason = 'The token is not valid for this host.'): Refusal {
    return this.#failures.take(address)
      ? { status: 401, reason }
      : { status: 429, reason: 'Too many wrong tokens. Try again in a minute.' };
  }
}

export interface HostServerOptions {
  readonly services: HostServices;
  readonly tokens: HostTokens;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly address: string;
  /** Port 0 means any free port. */
  readonly port: number;
  /** Without a certificate the address must be loopback. */
  readonly certificate?: HostCertificate | undefined;
  /** Seconds between heartbeats. */
  readonly heartbeat?: number;
  /** Seconds for the TLS handshake and the request headers of a new connection. */
  readonly patience?: number;
}

export interface HostServer {
  /** The URL for clients, `ws://…` or `wss://…`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a host over WebSocket. Rejects with a CodedError if it cannot listen. */
export async function serveHost(options: HostServerOptions): Promise<HostServer> {
  const { address, port, certificate, patience = 10 } = options;
  if (certificate === undefined && !isLoopback(address)) throw serverErrors.needsTls(address);
  const limits = {
    headersTimeout: patience * 1_000,
    requestTimeout: patience * 1_000,
    connectionsCheckingInterval: Math.min(1_000, patience * 100),
    maxHeaderSize: 16 * 1024,
  };
  const server =
    certificate === undefined
      ? createHttp(limits)
      : createHttps({
          ...limits,
          cert: certificate.cert,
          key: certificate.key,
          minVersion: 'TLSv1.2',
          handshakeTimeout: patience * 1_000,
        });
  server.maxConnections = mostConnections + 4 * mostStrangers;
  const clients = new Clients(options);
  server.on('request', (request, response) => {
    const { status, reason, proof } = clients.prove(request);
    const more = proof === undefined ? { connection: 'close' } : { 'www-authenticate': proof };
    response.writeHead(status, { ...more, 'content-type': 'text/plain' }).end(reason);
  });
  const strangers = new Strangers();
  server.on('connection', (socket: Socket) => strangers.add(socket));
  server.on('upgrade', (request, socket, head) => {
    if (clients.upgrade(request, socket, head)) strangers.isKnown(request.socket);
  });
  await listen(server, address, port);
  const bound = (server.address() as AddressInfo).port;
  const scheme = certificate === undefined ? 'ws' : 'wss';
  return {
    url: `${scheme}://${address.includes(':') ? `[${address}]` : address}:${bound}`,
    close: async () => {
      clients.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}

const mostStrangers = 64;
/** The largest number of clients, of those with one token, and of those that may not cancel runs. */
const mostConnections = 256;
const mostOfToken = 16;
const mostWithoutCancel = 224;

/** Limits connections without a token. The oldest makes room for a new one, so that clients can always connect. */
class Strangers {
  /** Sockets by remote address, because TLS has two sockets per connection. */
  readonly #waiting = new Map<string, Socket>();

  add(socket: Socket): void {
    const peer = peerOf(socket);
    this.#waiting.set(peer, socket);
    socket.once('close', () => {
      if (this.#waiting.get(peer) === socket) this.#waiting.delete(peer);
    });
    const [oldest] = this.#waiting.values();
    if (this.#waiting.size > mostStrangers) oldest?.destroy();
  }

  isKnown(socket: Socket): void {
    this.#waiting.delete(peerOf(socket));
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`;
}

const tooManyConnections = { status: 429, reason: 'This token or host has too many connections.' };

interface Client {
  readonly socket: WebSocket;
  readonly session: HostSession;
  readonly token: TokenInfo;
  readonly use: TokenUse;
}

class Clients {
  readonly #options: HostServerOptions;
  readonly #check: UpgradeCheck;
  readonly #sockets: WebSocketServer;
  readonly #open = new Set<Client>();
  readonly #watching: readonly { dispose(): void }[];

  constructor(options: HostServerOptions) {
    this.#options = options;
    this.#check = new UpgradeCheck(options.tokens, options.clock);
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: wireLimits.message,
      // A small compressed frame must not expand into a large one.
      perMessageDeflate: false,
      handleProtocols: () => wireSubprotocol,
    });
    const every = (options.heartbeat ?? wireLimits.heartbeat) * 1_000;
    this.#watching = [
      options.clock.every(every, () => this.#endRevoked()),
      options.clock.every(60_000, () => options.audit.flushCounts()),
    ];
  }

  /** Answers an upgrade request. Returns whether the client may connect. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    socket.on('error', () => socket.destroy());
    const address = request.socket.remoteAddress ?? '';
    const checked = this.#guarded(() => this.#check.check(request));
    const token = 'status' in checked || this.#hasRoom(checked) ? checked : tooManyConnections;
    if ('status' in token) {
      this.#turnedAway(address, token);
      const body = `${token.reason}\n`;
      socket.end(
        `HTTP/1.1 ${token.status} Refused\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        () => socket.destroy(),
      );
      return false;
    }
    this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#connected(ws, token, address));
    return true;
  }

  close(): void {
    for (const one of this.#watching) one.dispose();
    for (const { session, socket } of [...this.#open]) {
      session.close(closeCodes.goingAway, 'the host is shutting down');
      socket.terminate();
    }
    this.#options.audit.flushCounts('all');
  }

  #hasRoom(token: TokenInfo): boolean {
    const most = token.scopes.includes('cancel') ? mostConnections : mostWithoutCancel;
    return this.#ofToken(token).length < mostOfToken && this.#open.size < most;
  }

  #ofToken({ name, createdAt }: TokenInfo): Client[] {
    return [...this.#open].filter(({ token }) => token.name === name && token.createdAt === createdAt);
  }

  prove(request: IncomingMessage): Refusal {
    const answer = this.#guarded(() => this.#check.prove(request));
    if (answer.proof === undefined && answer !== noUpgrade)
      this.#turnedAway(request.socket.remoteAddress ?? '', answer);
    return answer;
  }

  #turnedAway(address: string, { status }: Refusal): void {
    this.#options.audit.addOften('turned-away', { address }, { status });
  }

  #guarded<T>(check: () => T): T | Refusal {
    try {
      return check();
    } catch {
      return { status: 503, reason: 'Cannot read the tokens of this host.' };
    }
  }

  #connected(ws: WebSocket, token: TokenInfo, address: string): void {
    const { services, audit, clock } = this.#options;
    const connection = randomUUID();
    const use = this.#ofToken(token)[0]?.use ?? new TokenUse();
    const who = { address, token: token.name, connection: connection.slice(0, 8) };
    audit.add('connected', who);
    const handlers = {
      text: (text: string): void => session.text(text),
      bytes: (frame: Uint8Array): void => session.bytes(frame),
      closed: (code: number): void => {
        session.closed();
        if (this.#open.delete(client)) audit.add('disconnected', { ...who, code });
      },
    };
    const session: HostSession = new HostSession(
      wireSocket(ws, handlers, this.#options.heartbeat ?? wireLimits.heartbeat),
      {
        services,
        client: { name: token.name, scopes: new Set(token.scopes), connection, use },
        clock,
        audit: (what, details) => {
          if (what !== 'refused') audit.add(what, { ...who, ...details });
          else {
            // A client with the scope `view` can repeat refused requests.
            const { method, scope, ...asked } = details;
            audit.addOften(what, { ...who, ...asked }, { method, scope });
          }
        },
      },
    );
    const client: Client = { socket: ws, session, token, use };
    this.#open.add(client);
  }

  #endRevoked(): void {
    const left = attempt(() => this.#options.tokens.list());
    if (left === undefined) return;
    const valid = new Set(left.map(({ name, createdAt }) => `${name} ${createdAt}`));
    for (const { session, token } of [...this.#open]) {
      if (valid.has(`${token.name} ${token.createdAt}`)) continue;
      session.close(closeCodes.unauthorized, 'the token was revoked');
    }
  }
}

async function listen(server: Server, address: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(serverErrors.cannotListen(address, port, cause)),
    );
    server.listen(port, address, resolve);
  });
}

const serverErrors = {
  needsTls: (address: string) =>
    new CodedError({
      code: 'host/needs-tls',
      message: `A host at ${address} can be reached from other machines, so it needs TLS.`,
      hint: 'Add `--tls` for a self-signed certificate, or `--tls-cert FILE --tls-key FILE`.',
    }),
  cannotListen: (address: string, port: number, cause: NodeJS.ErrnoException) =>
    new CodedError({
      code: 'host/cannot-listen',
      message: `The host cannot listen at ${address}:${port}: ${cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message}.`,
      hint: 'Choose another address with `--listen ADDRESS:PORT`.',
      cause,
    }),
};
