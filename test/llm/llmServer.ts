/** A real language model, served by llama.cpp, behind a proxy that keeps what it replied. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { ensurePython } from '../tools/pythonEnvironments.mjs';

export interface ServerToken {
  readonly id: number;
  readonly bytes: readonly number[];
  readonly logprob: number;
}

interface Choice {
  readonly finish_reason: string | null;
  readonly logprobs?: { readonly content: readonly ServerToken[] } | null;
}

interface Answer {
  readonly choices: readonly Choice[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

export interface ServerReply {
  readonly request: {
    readonly stream?: boolean;
    readonly stop?: unknown;
    readonly tools?: readonly unknown[];
  };
  readonly finishReason: string | null;
  readonly tokens: readonly ServerToken[];
  readonly usage: Answer['usage'];
  /** The prompt, as the server's own tokenizer and template make it. */
  readonly promptIds: readonly number[];
}

export class LlmServer {
  /** The address of the recording proxy, which runs connect to. */
  readonly baseUrl: string;
  /** The folder of its tokenizer. */
  readonly tokenizer: string;
  readonly #replies: ServerReply[];
  readonly #close: () => void;

  constructor(options: { baseUrl: string; tokenizer: string; replies: ServerReply[]; close: () => void }) {
    this.baseUrl = options.baseUrl;
    this.tokenizer = options.tokenizer;
    this.#replies = options.replies;
    this.#close = options.close;
  }

  /** Returns the replies since the last time, in order. */
  take(): readonly ServerReply[] {
    return this.#replies.splice(0);
  }

  close(): void {
    this.#close();
  }
}

/** @param folder the folder for the model's tokenizer */
export async function startLlm(folder: string): Promise<LlmServer> {
  const script = path.join(import.meta.dirname, 'server.py');
  const server = spawn(await ensurePython('llm'), [script, folder], { stdio: ['pipe', 'pipe', 'pipe'] });
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (part: string) => (log += part));
  const [address] = (await Promise.race([
    once(createInterface(server.stdout), 'line'),
    once(server, 'exit').then(() => Promise.reject(new Error(`The model server ended:\n${log}`))),
  ])) as [string];
  const replies: ServerReply[] = [];
  const proxy = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const { method = 'GET' } = request;
      const isPost = method === 'POST';
      const asked = isPost ? { method, body } : { method };
      const answer = await fetch(`${address}${request.url ?? ''}`, asked);
      const answered = await answer.text();
      if (isPost && answer.ok) replies.push(await readReply(address, body, answered));
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(answered);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const close = (): void => {
    proxy.close();
    server.kill();
  };
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`;
  return new LlmServer({ baseUrl, tokenizer: folder, replies, close });
}

async function readReply(address: string, asked: string, answered: string): Promise<ServerReply> {
  const request = JSON.parse(asked) as ServerReply['request'];
  const parts = request.stream === true ? eventsOf(answered) : [answered];
  const answers = parts.map((part) => JSON.parse(part) as Answer);
  const choices = answers.flatMap((answer) => answer.choices);
  return {
    request,
    finishReason: choices.findLast((choice) => choice.finish_reason !== null)?.finish_reason ?? null,
    tokens: choices.flatMap(({ logprobs }) => logprobs?.content ?? []),
    usage: answers.at(-1)?.usage,
    promptIds: await promptIdsOf(address, asked),
  };
}

function eventsOf(stream: string): readonly string[] {
  return Array.from(stream.matchAll(/^data: (\{.*)$/gm), ([, data]) => data ?? '');
}

async function promptIdsOf(address: string, asked: string): Promise<readonly number[]> {
  const post = async (route: string, body: string): Promise<object> =>
    (await (await fetch(`${address}/${route}`, { method: 'POST', body })).json()) as object;
  const { prompt } = (await post('apply-template', asked)) as { prompt: string };
  const { tokens } = (await post('tokenize', JSON.stringify({ content: prompt, parse_special: true }))) as {
    tokens: readonly number[];
  };
  return tokens;
}
