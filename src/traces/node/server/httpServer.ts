/**
 * Serves the viewer of one trace to a browser, on loopback only. The page, its script and its style need no token:
 * a browser cannot send one for them. They contain no data of the trace. Every request that reads the trace needs
 * the token. It is in the fragment of the printed address, and so it appears in no request line and no log.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { checkPeers } from '../../../base/node/peerUser.ts';
import type { Disposable } from '../../../base/core/disposable.ts';
import type { TraceReply } from '../../core/protocol/traceRpc.ts';
import { viewerAddress, viewerPage, type ViewerTexts } from '../../core/viewerPage.ts';
import { otherTrace } from '../errors.ts';
import { serverErrors } from './errors.ts';
import type { Connection, TraceService } from './service.ts';

/** A language as VS Code names it. The page itself is in English. */
const simplifiedChinese = 'zh-cn';

/**
 * Returns the viewer's texts in the language that a browser prefers; undefined: English.
 *
 * @param accepted the header `Accept-Language`, e.g. `zh-CN,zh;q=0.9,en;q=0.8`
 * @param folder the folder of the bundles; if it cannot be read, the page is in English
 */
export async function textsFor(
  accepted: string | undefined,
  folder: string,
): Promise<ViewerTexts | undefined> {
  const language = wanted(accepted ?? '')
    .map(languageOf)
    .find((one) => one !== undefined);
  if (language === undefined || language === 'en') return undefined;
  try {
    const text = await readFile(path.join(folder, `bundle.l10n.${language}.json`), 'utf8');
    return { language, bundle: JSON.parse(text) as Readonly<Record<string, string>> };
  } catch {
    return undefined; // an installation without it has the viewer all the same
  }
}

/** Returns the language tags of the header, the preferred first. */
function wanted(accepted: string): readonly string[] {
  return accepted
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** Returns the supported language of a tag. Traditional Chinese is not Simplified Chinese. */
function languageOf(tag: string): string | undefined {
  const [language, ...subtags] = tag.split('-');
  if (language === 'en') return 'en';
  const traditional = ['hant', 'tw', 'hk', 'mo'].some((subtag) => subtags.includes(subtag));
  return language === 'zh' && (!traditional || subtags.includes('hans')) ? simplifiedChinese : undefined;
}

export interface HttpServerOptions {
  readonly trace: string;
  readonly others?: readonly string[];
  /** 0: any free one. */
  readonly port: number;
  readonly webFolder: string;
  readonly textsFolder: string;
}

export interface TraceHttpServer extends Disposable {
  /** The address, with the token in its fragment. */
  readonly url: string;
}

/** The only files that are served. */
const assets: Readonly<Record<string, string>> = {
  'trace.js': 'text/javascript; charset=utf-8',
  'trace.css': 'text/css; charset=utf-8',
};

const largestBody = 65_536;

const commonHeaders = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Starts the server. Rejects with `trace/cannot-listen`. */
export async function serveOverHttp(
  service: TraceService,
  { port, ...options }: HttpServerOptions,
): Promise<TraceHttpServer> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer();
  const isOther = checkPeers(server);
  const actual = await listen(server, port);
  const site = new Site(service, { ...options, port: actual }, token);
  server.on('request', (request, response) => void site.answer(request, response, isOther));
  return {
    url: viewerAddress(`http://127.0.0.1:${actual}`, token),
    dispose: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(serverErrors.cannotListen(port, error)));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

class Site {
  readonly #service: TraceService;
  readonly #options: HttpServerOptions;
  readonly #token: string;
  /** The name of the trace for the page. The path stays secret from clients without the token. */
  readonly #name: string;
  /** Files by the names that the page uses. */
  readonly #files: ReadonlyMap<string, string>;
  /** Answers requests of all pages. Watches use a stream instead, because a closed page could not send `unwatch`. */
  readonly #questions: Connection;

  constructor(service: TraceService, options: HttpServerOptions, token: string) {
    this.#service = service;
    this.#token = token;
    this.#options = options;
    this.#files = namesOf([options.trace, ...(options.others ?? [])]);
    const [name = '', ...others] = this.#files.keys();
    this.#name = name;
    this.#questions = service.connect(undefined, (trace) => this.#fileOf(trace), others);
  }

  /** Answers a request. Every request gets a response. */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    isOther: (request: IncomingMessage) => boolean,
  ): Promise<void> {
    response.on('error', () => undefined); // the browser has closed the connection
    try {
      if (!isFromHere(request.headers, this.#options.port)) throw new Refusal(403, 'not from this machine');
      if (isOther(request)) throw new Refusal(403, 'not from this user');
      await this.#route(request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else if (error instanceof Refusal) respond(response, error.status, 'text/plain', `${error.message}\n`);
      else respond(response, 500, 'text/plain', 'the request failed\n');
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [method, answer] = this.#routeOf(request.url ?? '/');
    if (request.method !== method) throw new Refusal(405, `only ${method} is answered here`);
    await answer(request, response);
  }

  #routeOf(
    place: string,
  ): readonly [method: string, (request: IncomingMessage, response: ServerResponse) => Promise<void> | void] {
    if (place === '/') return ['GET', (request, response) => this.#page(request, response)];
    if (place === '/rpc') return ['POST', (request, response) => this.#rpc(request, response)];
    if (place === '/events') return ['GET', (request, response) => this.#events(request, response)];
    const name = place.slice(1);
    const type = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (type === undefined) throw new Refusal(404, 'there is no file with that name');
    const file = path.join(this.#options.webFolder, name);
    return ['GET', async (_, response) => respond(response, 200, type, await readFile(file))];
  }

  #demandToken({ headers }: IncomingMessage): void {
    if (hasToken(headers, this.#token)) return;
    throw new Refusal(401, 'the token of the printed address is missing');
  }

  async #page({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const texts = await textsFor(headers['accept-language'], this.#options.textsFolder);
    const html = viewerPage({
      nonce: randomBytes(16).toString('base64url'),
      cspSource: "'self'",
      scriptUri: '/trace.js',
      styleUri: '/trace.css',
      boot: { transport: 'http', trace: this.#name, texts },
    });
    respond(response, 200, 'text/html; charset=utf-8', html);
  }

  async #rpc(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#demandToken(request);
    const reply = this.#questions.answer(await bodyOf(request));
    respond(response, 200, 'application/json', JSON.stringify(reply));
  }

  #events(request: IncomingMessage, response: ServerResponse): void {
    this.#demandToken(request);
    response.writeHead(200, { ...commonHeaders, 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const onChanged = (trace: string): void => {
      const notice: TraceReply = { notice: 'changed', trace };
      response.write(`data: ${JSON.stringify(notice)}\n\n`);
    };
    const connection = this.#service.connect(onChanged, (trace) => this.#fileOf(trace));
    response.once('close', () => connection.dispose());
    connection.watch(this.#name);
  }

  #fileOf(trace: string): string {
    const file = this.#files.get(trace);
    if (file === undefined) throw otherTrace(trace);
    return file;
  }
}

/** Returns files by name. Later files with the same name get a number. */
function namesOf(files: readonly string[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const file of new Set(files)) {
    const name = path.basename(file);
    let free = name;
    for (let number = 2; named.has(free); number++) free = `${name} (${number})`;
    named.set(free, file);
  }
  return named;
}

function respond(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { ...commonHeaders, 'content-type': type });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) throw new Refusal(413, 'the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The host names by which a browser on this machine reaches the server. Any other name is a DNS rebinding attack. */
const ownNames = ['127.0.0.1', 'localhost'];

/**
 * Returns whether a request comes from the server's own page or from no page at all. A page of another site whose name
 * resolves to this machine still sends that name as Host.
 */
function isFromHere({ host, origin }: IncomingHttpHeaders, port: number): boolean {
  const own = ownNames.map((name) => `${name}:${port}`);
  if (host === undefined || !own.includes(host)) return false;
  return origin === undefined || origin === `http://${host}`;
}

/** Returns whether `Authorization: Bearer …` has the token, in constant time. */
function hasToken({ authorization = '' }: IncomingHttpHeaders, token: string): boolean {
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
