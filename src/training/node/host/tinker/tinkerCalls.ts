import { Buffer } from 'node:buffer';
import { CancellationSource } from '../../../../base/core/cancellation.ts';
import { hasCode } from '../../../../base/core/errors.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import { postTarget, sendHttp } from '../../../../base/node/http.ts';
import { explainTransport } from '../../../../base/node/httpErrors.ts';
import type { ByteSink, ByteSource, HostTinkerCalls, TinkerCallId } from '../../../core/contracts.ts';
import { inMemory } from '../../filePieces.ts';
import { passedHeaders } from '../../../core/tinker/headers.ts';
import { tinkerLimits, type HostParams, type HostResults } from '../../../core/protocol/hostRpc.ts';
import { tinkerCallErrors } from '../../../core/tinker/failures.ts';

type Request = Omit<HostParams<'tinker.call'>, 'run' | 'key'>;
type Answer = HostResults['tinker.call'];

/** The bytes of all bodies that the host keeps. */
const mostBytes = 256 * 1024 * 1024;
/** Milliseconds to keep the response of a successful call for a client that has lost its connection. */
const kept = 5 * 60_000;

interface Call {
  readonly source: CancellationSource;
  readonly answer: Promise<Answer>;
  /** The body of the response, if it is too large for the message of the answer. */
  body: Uint8Array | undefined;
  bytes: number;
  /** Undefined: it has no response yet. */
  endedAt: number | undefined;
}

interface Options {
  /** Returns the port of loopback at which the server of a run listens. Throws if it does not serve. */
  readonly portOf: (run: string) => number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Sends requests to the Tinker servers of this host, to their ports only. */
export class TinkerCalls implements HostTinkerCalls {
  readonly #options: Options;
  readonly #calls = new Map<string, Call>();
  /** Bodies for later calls. */
  readonly #sent = new Map<string, { readonly body: Buffer; readonly at: number }>();
  #bytes = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  call(id: TinkerCallId, request: Request): Promise<Answer> {
    const name = nameOf(id);
    const before = this.#calls.get(name);
    if (before !== undefined) {
      this.#dropSent(name);
      return before.answer;
    }
    this.#forgetOld();
    const port = this.#options.portOf(id.run);
    const sent = this.#sent.get(name)?.body;
    if (request.sent === true && sent === undefined) throw tinkerCallErrors.bodyLost();
    this.#sent.delete(name);
    const source = new CancellationSource();
    const body = sent ?? Buffer.from(request.body ?? '', 'base64');
    const answer = this.#send(name, port, request, body, source).finally(() => {
      this.#bytes -= sent?.length ?? 0;
    });
    const call: Call = { source, answer, body: undefined, bytes: 0, endedAt: undefined };
    this.#calls.set(name, call);
    answer.then(
      ({ status }) => {
        call.endedAt = this.#options.clock.monotonic();
        // A request that failed is repeated, not its response.
        if (status >= 300 && call.body === undefined) this.#forget(name);
      },
      () => this.#forget(name),
    );
    return answer;
  }

  send(id: TinkerCallId, bytes: number): ByteSink {
    const name = nameOf(id);
    this.#forgetOld();
    this.#makeRoom(bytes);
    this.#bytes += bytes;
    const body = Buffer.alloc(bytes);
    return {
      write: (piece, offset) => {
        body.set(piece, offset);
        return Promise.resolve();
      },
      end: () => {
        this.#dropSent(name);
        this.#sent.set(name, { body, at: this.#options.clock.monotonic() });
        return Promise.resolve();
      },
      abort: () => {
        this.#bytes -= bytes;
        return Promise.resolve();
      },
    };
  }

  receive(id: TinkerCallId, offset: number): ByteSource {
    const body = this.#calls.get(nameOf(id))?.body;
    if (body === undefined) throw tinkerCallErrors.responseLost();
    return inMemory(body.subarray(offset));
  }

  stop(id: TinkerCallId): null {
    const name = nameOf(id);
    this.#calls.get(name)?.source.cancel();
    this.#forget(name);
    this.#dropSent(name);
    return null;
  }

  /** Ends the calls of a run, whose server has ended. */
  ended(run: string): void {
    for (const [name, { source, endedAt }] of this.#calls) {
      if (endedAt === undefined && name.startsWith(`${run} `)) source.cancel();
    }
  }

  async #send(
    name: string,
    port: number,
    { method, path, headers }: Request,
    body: Uint8Array,
    { token }: CancellationSource,
  ): Promise<Answer> {
    const url = new URL(`http://127.0.0.1:${port}`);
    const { request, options } = postTarget(url, passedHeaders(headers), true);
    const target = { request, options: { ...options, path, method } };
    try {
      const response = await sendHttp({ target, body }, token);
      const whole = await readLimited(response);
      const answer = { status: response.statusCode ?? 502, headers: passedHeaders(response.headers) };
      if (whole.length <= tinkerLimits.inline) return { ...answer, body: whole.toString('base64') };
      this.#makeRoom(whole.length);
      const call = this.#calls.get(name);
      if (call === undefined) throw tinkerCallErrors.responseLost();
      call.body = whole;
      call.bytes = whole.length;
      this.#bytes += whole.length;
      return { ...answer, bytes: whole.length };
    } catch (error) {
      if (hasCode(error, 'host/tinker-too-large', 'host/tinker-too-many', 'host/tinker-response-lost'))
        throw error;
      throw tinkerCallErrors.noAnswer(token.isCancelled ? 'the call was ended' : explainTransport(error));
    }
  }

  #dropSent(name: string): void {
    this.#bytes -= this.#sent.get(name)?.body.length ?? 0;
    this.#sent.delete(name);
  }

  #forget(name: string): void {
    this.#bytes -= this.#calls.get(name)?.bytes ?? 0;
    this.#calls.delete(name);
  }

  #forgetOld(): void {
    const now = this.#options.clock.monotonic();
    for (const [name, { endedAt }] of this.#calls) {
      if (endedAt !== undefined && now - endedAt > kept) this.#forget(name);
    }
    for (const [name, { at }] of this.#sent) if (now - at > kept) this.#dropSent(name);
  }

  /** Forgets the oldest responses until there is room. Throws `host/tinker-too-many` if there is none. */
  #makeRoom(bytes: number): void {
    for (const [name, { endedAt }] of this.#calls) {
      if (this.#bytes + bytes <= mostBytes) return;
      if (endedAt !== undefined) this.#forget(name);
    }
    if (this.#bytes + bytes > mostBytes) throw tinkerCallErrors.tooMany();
  }
}

function nameOf({ run, key, owner }: TinkerCallId): string {
  return `${run} ${key} ${owner}`;
}

async function readLimited(response: AsyncIterable<Buffer> & { destroy(): void }): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response) {
    size += piece.length;
    if (size > tinkerLimits.body) {
      response.destroy();
      throw tinkerCallErrors.tooLarge(tinkerLimits.body);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
