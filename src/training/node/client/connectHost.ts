import { createHash, randomBytes } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { WebSocket, type ClientOptions as WebSocketOptions } from 'ws';
import { CodedError } from '../../../base/core/errors.ts';
import { closeCodes, wireLimits, wirePath, wireSubprotocol } from '../../core/protocol/wire.ts';
import { ClientConnection, type ClientOptions } from '../../core/wire/clientConnection.ts';
import type { CloseReason, DialHandlers, WireSocket } from '../../core/contracts.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { hostProof, maskToken, proofScheme, tokenHash, tokenId } from '../tokenProof.ts';
import { wireSocket } from '../wireSocket.ts';

export interface HostAddress {
  /** `ws://…` or `wss://…`, without a path. */
  readonly url: string;
  readonly token: string;
  /** SHA-256 of the certificate in hex. Without it an authority must have signed the certificate. */
  readonly fingerprint?: string | undefined;
  /** Returns the endpoint if it differs from the address. It returns undefined while the endpoint is not available. */
  readonly route?: (() => NetConnectOpts | undefined) | undefined;
}

export type ConnectOptions = Pick<ClientOptions, 'client' | 'delays'> & {
  /** Seconds between heartbeats. */
  readonly heartbeat?: number;
};

/** The timeout of a handshake, in milliseconds. */
const handshake = 15_000;

/** Connects to a host, and reconnects after each loss until disposed. Throws a CodedError for an invalid address. */
export function connectHost(address: HostAddress, options: ConnectOptions): ClientConnection {
  const url = hostUrl(address.url);
  return new ClientConnection({
    ...options,
    clock: systemClock,
    random: Math.random,
    dial: (handlers) => dial(url, address, handlers, options.heartbeat ?? wireLimits.heartbeat),
  });
}

/**
 * Returns the WebSocket address of a host. `HOST:PORT` alone means `ws://` on this machine, and `wss://` elsewhere. Throws a
 * CodedError if the address is invalid or would expose the token.
 */
export function hostUrl(text: string): URL {
  const [, name] = /^([\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.exec(text.trim()) ?? [];
  const scheme = name === undefined ? '' : isLoopback(name.toLowerCase()) ? 'ws://' : 'wss://';
  const url = URL.parse(scheme + text.trim());
  if (url === null) throw badAddress(text, 'it is not a valid URL');
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:')
    throw badAddress(text, 'it starts with neither ws:// nor wss://');
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw badAddress(text, 'the address must not contain the token');
  if (url.protocol === 'ws:' && !isLoopback(url.hostname)) throw inClear(url);
  return new URL(wirePath, url);
}

function badAddress(text: string, why: string): CodedError {
  return new CodedError({
    code: 'host/bad-address',
    message: `${JSON.stringify(text.slice(0, 100))} is not the address of a host: ${why}.`,
    hint: 'Write it as `wss://HOST:PORT`, or as `ws://127.0.0.1:PORT` on the same machine, or as `ssh:USER@HOST`.',
  });
}

function inClear({ host }: URL): CodedError {
  return new CodedError({
    code: 'host/bad-address',
    message: `Over ws://, the token would be sent unencrypted to ${host}.`,
    hint: `Use \`wss://${host}\` for a host with TLS (\`agentjet host --tls\`), or \`ssh:USER@MACHINE\` for SSH.`,
  });
}

/**
 * Reads the certificate of a host. Rejects with a CodedError if there is no TLS. The fingerprint is SHA-256 in hex.
 * `isTrusted`: an authority that this machine trusts has signed the certificate for this name.
 */
export async function certificateAt(
  url: string,
): Promise<{ readonly fingerprint: string; readonly isTrusted: boolean }> {
  const { hostname, port } = hostUrl(url);
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      { ...nameOf(hostname), port: Number(port || 443), rejectUnauthorized: false },
      () => {
        resolve({ fingerprint: fingerprint(socket), isTrusted: socket.authorized });
        socket.destroy();
      },
    );
    socket.setTimeout(handshake, () => socket.destroy(new Error('it does not respond')));
    socket.once('error', (cause: NodeJS.ErrnoException) => reject(noCertificate(url, cause)));
  });
}

function noCertificate(url: string, cause: NodeJS.ErrnoException): CodedError {
  const why = reasons[cause.code ?? ''] ?? `${cause.message}.`;
  return new CodedError({
    code: 'host/no-certificate',
    message: `Cannot get the certificate of ${url}: ${why}`,
    hint: 'Check that the host is running and was started with TLS.',
    cause,
  });
}

function fingerprint(socket: TLSSocket): string {
  return createHash('sha256').update(socket.getPeerCertificate().raw).digest('hex');
}

/** Returns the TLS host. IPv6 addresses have brackets in a URL, and an IP address is not a server name. */
function nameOf(hostname: string): { readonly host: string; readonly servername?: string } {
  const host = hostname.replace(/^\[|\]$/g, '');
  return /^[\d.]+$|:/.test(host) ? { host } : { host, servername: host };
}

function dial(url: URL, address: HostAddress, handlers: DialHandlers, heartbeat: number): WireSocket {
  const { token } = address;
  let refused: CloseReason | undefined;
  let plain: Socket | undefined;
  let upgrade: ClientRequest | undefined;
  const logIn = async (connected: Socket, made: ConnectCallback): Promise<void> => {
    plain = connected.on('error', () => undefined); // it is reported by its request
    try {
      const answer = await authorizationOn(connected, url, token);
      if (typeof answer !== 'string') throw new Error((refused = answer).reason);
      upgrade?.setHeader('authorization', answer);
      upgrade?.end();
      made(null, connected);
    } catch (error) {
      connected.destroy();
      made(error as Error);
    }
  };
  const isPlain = url.protocol === 'ws:';
  const createConnection = ownConnection(url, address, logIn);
  const options: WebSocketOptions & { readonly closeTimeout: number } = {
    headers: { host: url.host, ...(!isPlain && { authorization: `Bearer ${token}` }) },
    ...(isPlain && { finishRequest: (request: ClientRequest) => (upgrade = request) }),
    handshakeTimeout: handshake,
    maxPayload: 64 * 1024 * 1024,
    perMessageDeflate: false,
    followRedirects: false,
    // The decoder replaces invalid bytes by U+FFFD.
    skipUTF8Validation: true,
    ...(url.protocol === 'wss:' || isLoopback(url.hostname) ? { generateMask: noMask } : {}),
    ...(createConnection && { createConnection }),
    // A silent host must not keep a program from ending.
    closeTimeout: 2_000,
  };
  const socket = new WebSocket(createConnection ? untouched(url) : url, wireSubprotocol, options);
  socket.on('open', () => handlers.opened());
  socket.on('close', () => plain?.destroy());
  socket.on('unexpected-response', (request: ClientRequest, response: IncomingMessage) => {
    const { statusCode = 0 } = response;
    refused = refusalOf(statusCode);
    response.resume();
    request.destroy();
    socket.terminate();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    refused ??= failureOf(error);
  });
  return wireSocket(
    socket,
    { ...handlers, closed: (code, reason) => handlers.closed(refused ?? closedBy(code, reason)) },
    heartbeat,
  );
}

/**
 * Returns a URL that VS Code does not intercept. The agent of VS Code ignores `createConnection`, and with it a
 * pinned certificate or a tunnel.
 * It leaves requests to a Unix socket alone. The connection is the one from `createConnection`.
 */
function untouched({ pathname }: URL): URL {
  return new URL(`ws+unix:///own:${pathname}`);
}

/**
 * Skips masking, which keeps proxies from misreading data as requests. Proxies cannot read TLS or loopback traffic,
 * where masking would make large uploads a third slower.
 */
function noMask(mask: Buffer): void {
  mask.fill(0);
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

type ConnectCallback = (error: Error | null, socket?: Socket) => void;

/** Returns the function that opens the connection. Undefined: the address is enough. */
function ownConnection(
  url: URL,
  { fingerprint: pinned, route }: HostAddress,
  logIn: (socket: Socket, made: ConnectCallback) => Promise<void>,
): WebSocketOptions['createConnection'] {
  const isTls = url.protocol === 'wss:';
  if (route === undefined && pinned === undefined && isTls) return undefined;
  const create = (_options: unknown, made: ConnectCallback): undefined => {
    const port = Number(url.port || (isTls ? 443 : 80));
    const to = route === undefined ? { host: nameOf(url.hostname).host, port } : route();
    if (to === undefined) made(Object.assign(new Error('no tunnel'), { code: noTunnel }));
    else if (isTls) connectSecurely({ ...nameOf(url.hostname), ...to }, pinned, made);
    else {
      const socket = connect(to);
      whenMade(socket, 'connect', (error) => (error === null ? void logIn(socket, made) : made(error)));
    }
  };
  return create as unknown as NonNullable<WebSocketOptions['createConnection']>;
}

function whenMade(socket: Socket, event: 'connect' | 'secureConnect', made: ConnectCallback): void {
  socket.once('error', made);
  socket.once(event, () => {
    socket.removeListener('error', made);
    made(null, socket);
  });
}

/**
 * Makes the host prove that it knows the token. Resolves to the header that proves the same for this
 * client, or to the reason to end. Any user of the machine may listen at this port.
 */
async function authorizationOn(socket: Socket, url: URL, token: string): Promise<string | CloseReason> {
  const hash = tokenHash(token);
  const nonce = randomBytes(16).toString('hex');
  const ask = `${proofScheme} ${tokenId(hash)} ${nonce}`;
  const head = await answerOn(
    socket,
    `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: ${ask}\r\n\r\n`,
  );
  const [, status = 400] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
  const answer = new RegExp(`^www-authenticate: ${proofScheme} (\\w+) (\\w+)\r$`, 'im');
  const [, own, proof] = answer.exec(head) ?? [];
  if (proof === undefined) return refusalOf(Number(status));
  const nonces = `${nonce} ${own ?? ''}`;
  if (proof !== hostProof(hash, nonces)) return impostor;
  return `${proofScheme} ${maskToken(Buffer.from(token), hash, nonces).toString('base64url')}`;
}

/** Sends a request and resolves to the start of the answer, with all headers. */
function answerOn(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (bytes: Buffer): void => {
      text += bytes.toString('latin1');
      if (!text.includes('\r\n\r\n') && text.length < 16_384) return;
      stop();
      resolve(text);
    };
    const closed = (): void => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    const timer = setTimeout(() => socket.destroy(new Error('the handshake timed out')), handshake).unref();
    const stop = (): void => {
      clearTimeout(timer);
      socket.off('data', read).off('error', reject).off('close', closed);
    };
    socket.on('data', read).on('error', reject).on('close', closed).write(request);
  });
}

/** Connects over TLS and checks a pinned certificate before anything is sent, above all the token. */
function connectSecurely(to: ConnectionOptions, pinned: string | undefined, made: ConnectCallback): void {
  if (pinned === undefined) {
    whenMade(connectTls(to), 'secureConnect', made);
    return;
  }
  const wanted = pinned.replaceAll(':', '').toLowerCase();
  const socket = connectTls({ ...to, rejectUnauthorized: false });
  const looked: ConnectCallback = (error) => {
    const shown = error === null ? fingerprint(socket) : wanted;
    if (shown !== wanted) socket.destroy();
    made(shown === wanted ? error : otherCertificate(shown), socket);
  };
  whenMade(socket, 'secureConnect', looked);
}

function otherCertificate(shown: string): CodedError {
  return new CodedError({
    code: 'host/other-certificate',
    message: `The certificate of the host differs from the trusted one (SHA-256 ${shown}).`,
    hint: 'If its owner created a new certificate, add the host again. Otherwise this may be a man-in-the-middle attack.',
  });
}

const hints = {
  token: 'Enter a valid token. The owner of the host creates one with `agentjet host token add NAME`.',
  address: 'Use the address that `agentjet host` prints when it starts, with the port.',
  certificate: 'Add the host again, with the address and fingerprint that `agentjet host` prints.',
  version: 'Update AgentJet on the older side.',
} as const;

const noHost: CloseReason = {
  reason: 'There is no AgentJet GPU host at this address.',
  isFinal: true,
  hint: hints.address,
};

function withoutToken(reason: string): CloseReason {
  return { reason, isFinal: true, hint: hints.token, lacks: 'token' };
}

const impostor: CloseReason = {
  reason: 'The program at this address does not know the token of the host. The token was not sent.',
  isFinal: true,
  hint: 'Another user of that machine may have taken the port. Start the host at another port and add it again.',
};

function refusalOf(status: number): CloseReason {
  return refusals[status] ?? { reason: `The host responds with HTTP status ${status}.`, isFinal: false };
}

const refusals: Readonly<Record<number, CloseReason>> = {
  400: noHost,
  401: withoutToken('The host does not know this token.'),
  403: { reason: 'The host does not allow this client to connect.', isFinal: true },
  404: noHost,
  426: {
    reason:
      'The program at this address does not prove that it is the host. Hosts of earlier versions cannot.',
    isFinal: true,
    hint: 'If it is your host, update AgentJet there and start it again.',
  },
  429: { reason: 'The host has too many connections or requests.', isFinal: false, isBusy: true },
};

const certificateFailures = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function failureOf(error: NodeJS.ErrnoException): CloseReason {
  const { code = '', message } = error;
  if (error instanceof CodedError) return { reason: message, isFinal: true, hint: error.hint };
  const untrusted = `The certificate of the host is not trusted (${code}).`;
  if (certificateFailures.has(code)) return { reason: untrusted, isFinal: true, hint: hints.certificate };
  if (/subprotocol/i.test(message)) return noHost;
  const reason = reasons[code] ?? `The connection failed: ${message || code}.`;
  // A host with too many connections ends new ones at once.
  return { reason, isFinal: false, isBusy: code === 'ECONNRESET' };
}

const noTunnel = 'no-tunnel';

const reasons: Readonly<Record<string, string>> = {
  [noTunnel]: 'The tunnel to the host is not open.',
  ENOENT: 'The tunnel to the host is not open.',
  ECONNREFUSED: 'No program listens at this address.',
  ECONNRESET: 'The connection was interrupted.',
  ENOTFOUND: 'There is no machine with this name.',
  EAI_AGAIN: 'The name cannot be resolved at the moment.',
  ETIMEDOUT: 'The machine does not respond.',
  EHOSTUNREACH: 'The machine cannot be reached.',
  ENETUNREACH: 'There is no network.',
};

function closedBy(code: number, reason: string): CloseReason {
  if (code === closeCodes.unauthorized) return withoutToken('The host has revoked the token.');
  if (code === closeCodes.versions) {
    const text = `The host uses another version of the protocol: ${reason}.`;
    return { reason: text, isFinal: true, hint: hints.version };
  }
  const known = closings[code] ?? `The host ended the connection: ${reason || String(code)}.`;
  return { reason: known, isFinal: false };
}

const closings: Readonly<Record<number, string>> = {
  [closeCodes.goingAway]: 'The host is shutting down.',
  1006: 'The connection was interrupted.',
};
