import { PassThrough } from 'node:stream';
import { fixtures } from './scriptedLauncher.ts';

export interface DapMessage {
  readonly seq: number;
  readonly type: 'request' | 'response' | 'event';
  readonly command?: string;
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly body?: Record<string, unknown>;
  readonly arguments?: Record<string, unknown>;
}

/**
 * A client at the far end of a pair of streams, which writes down the conversation. What the run's process prints
 * reaches it over another pipe than events do, so it is kept apart: the two have no order between them.
 */
export class DapClient {
  readonly toAdapter = new PassThrough();
  readonly fromAdapter = new PassThrough();
  readonly messages: DapMessage[] = [];
  readonly #lines: string[] = [];
  readonly #streams = { stdout: '', stderr: '' };
  readonly #waiting = new Set<() => void>();
  #asserted = 0;
  #seq = 0;
  #buffer = Buffer.alloc(0);

  constructor() {
    this.fromAdapter.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** Sends without waiting for an answer; returns what the answer will refer to. */
  send(command: string, args?: unknown): number {
    this.#seq += 1;
    this.#lines.push(`> ${command}${show(args)}`);
    this.#write({ seq: this.#seq, type: 'request', command, ...(args !== undefined && { arguments: args }) });
    return this.#seq;
  }

  async request(command: string, args?: unknown): Promise<DapMessage> {
    const seq = this.send(command, args);
    return this.until((message) => message.type === 'response' && message.request_seq === seq);
  }

  answer(request: DapMessage, success: boolean, message?: string): void {
    this.#seq += 1;
    const { command = '', seq } = request;
    this.#lines.push(`> answer to ${command}: ${success ? 'ok' : `failed: ${message ?? ''}`}`);
    this.#write({ seq: this.#seq, type: 'response', command, request_seq: seq, success, message });
  }

  event(name: string): Promise<DapMessage> {
    return this.until((message) => message.event === name);
  }

  /** The first message, past or to come, that `matches`. */
  async until(matches: (message: DapMessage) => boolean): Promise<DapMessage> {
    for (;;) {
      const found = this.messages.find(matches);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** The conversation since it was last asked for, as one text in which nothing changes from run to run. */
  golden(): string {
    const streams = Object.entries(this.#streams)
      .filter(([, text]) => text !== '')
      .map(
        ([stream, text]) =>
          `[${stream}] ${text.length > 200 ? `${text.length} characters` : show(text).trim()}`,
      );
    this.#asserted = this.messages.length;
    return `${[...this.#lines, ...streams].map(normalise).join('\n')}\n`;
  }

  /** What was said since the last golden text: nothing, in a test that asserted all of it. */
  unasserted(): readonly DapMessage[] {
    return this.messages.slice(this.#asserted);
  }

  #write(message: unknown): void {
    const json = JSON.stringify(message);
    this.toAdapter.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
  }

  #receive(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const head = this.#buffer.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.#buffer.toString('utf8', 0, head))?.[1]);
      if (head < 0 || this.#buffer.length < head + 4 + length) break;
      const json = this.#buffer.toString('utf8', head + 4, head + 4 + length);
      this.#buffer = this.#buffer.subarray(head + 4 + length);
      this.#take(JSON.parse(json) as DapMessage);
    }
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #take(message: DapMessage): void {
    this.messages.push(message);
    if (message.type === 'request')
      this.#lines.push(`< request ${message.command}${show(message.arguments)}`);
    else if (message.type === 'response') {
      const outcome = message.success === true ? 'ok' : 'failed';
      this.#lines.push(`< ${message.command}: ${outcome}${show(message.body)}`);
    } else this.#takeEvent(message);
  }

  #takeEvent({ event, body }: DapMessage): void {
    const { category, output } = (body ?? {}) as { category?: string; output?: string };
    const { agentjet, ...shown } = body ?? {};
    if (agentjet !== true && output !== undefined && (category === 'stdout' || category === 'stderr'))
      this.#streams[category] += output;
    else this.#lines.push(`< event ${event}${show(body && shown)}`);
  }
}

function show(value: unknown): string {
  return value === undefined ? '' : ` ${JSON.stringify(value)}`;
}

function normalise(line: string): string {
  return line
    .replaceAll(fixtures, '<fixtures>')
    .replace(/("port":|127\.0\.0\.1:)\d+/g, '$1<port>')
    .replace(/(127\.0\.0\.1:<port>\/)[0-9a-f]{32}/g, '$1<secret>')
    .replaceAll('\\n', '\n    ')
    .replace(/[ ]+$/gm, '');
}
