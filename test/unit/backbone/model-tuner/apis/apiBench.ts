import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ResponseInput, ResponseOutputItem } from 'openai/resources/responses/responses';
import { onTestFinished } from 'vitest';
import type { ChatCompletion, ModelReply } from '../../../../../src/backbone/core/model-tuner/model.ts';
import { startModelServer } from '../../../../../src/backbone/node/model-tuner/modelServer.ts';
import { completionOf, saying, tunerBench, type Answer, type Bench } from '../tunerBench.ts';

/** The clients of every API before one gateway, through its socket. */
export interface ApiBench {
  readonly bench: Bench;
  readonly baseUrl: string;
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

export async function apiBench(answer: Answer = () => saying('hi')): Promise<ApiBench> {
  const bench = tunerBench(answer);
  const server = await startModelServer(bench.gateway.handle);
  onTestFinished(() => server.close());
  const { baseUrl } = server;
  const own = { baseURL: baseUrl, apiKey: bench.apiKey, maxRetries: 0 };
  return { bench, baseUrl, openai: new OpenAI(own), anthropic: new Anthropic({ ...own, authToken: null }) };
}

type Call = Extract<
  NonNullable<ChatCompletion['choices'][number]['message']['tool_calls']>[number],
  { type: 'function' }
>;

export function toolCall(id: string, name: string, args: string): Call {
  return { id, type: 'function', function: { name, arguments: args } };
}

/** A reply that calls tools, with some text before. */
export function calling(content: string | null, ...calls: Call[]): ModelReply {
  const message = { role: 'assistant' as const, content, refusal: null, tool_calls: calls };
  return { kind: 'completion', completion: completionOf(content, { message, finish_reason: 'tool_calls' }) };
}

/** A reply with thoughts beside its content, as vLLM and SGLang tell them. */
export function thinking(thoughts: string, content: string): ModelReply {
  const message = { role: 'assistant' as const, content, refusal: null, reasoning_content: thoughts };
  return { kind: 'completion', completion: completionOf(content, { message }) };
}

/** An output as the input that it is sent back as; the client's types part them by items that nobody here has. */
export function asInput(output: readonly ResponseOutputItem[]): ResponseInput {
  return output as ResponseInput;
}
