import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import {
  createBuiltInModel,
  type BuiltInModelOptions,
} from '../../../../src/backbone/core/model-tuner/built-in/builtInModel.ts';
import type {
  CallIdentity,
  ChatCompletion,
  ChatRequest,
} from '../../../../src/backbone/core/model-tuner/model.ts';

export const calculation =
  'Ann has 14 apples. She buys 9 more and gives 6 of them to Ben. What is 14 + 9 - 6?';

/** The model answers from the request alone: which call it is makes no difference. */
export const anyCall: CallIdentity = { episode: 0, call: 0, agentName: 'agent', targetTag: 'target' };

/** A request with one user message; fields given replace these. */
export function request(text: string, fields: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'any',
    messages: [{ role: 'user', content: text }],
    temperature: 0,
    ...fields,
  };
}

/** The completion of a request that must have one. */
export async function complete(
  body: ChatRequest,
  seed = 1,
  options: Partial<BuiltInModelOptions> = {},
): Promise<ChatCompletion> {
  const reply = await createBuiltInModel({ seed, ...options }).respond(body, neverCancelled, anyCall);
  if (reply.kind !== 'completion') throw new Error(`expected a completion, got ${JSON.stringify(reply)}`);
  return reply.completion;
}

export function contentOf(completion: ChatCompletion): string {
  return completion.choices[0]?.message.content ?? '';
}

/** Name and parsed arguments of the first tool call. */
export function toolCallOf(completion: ChatCompletion): { name: string; arguments: unknown } | undefined {
  const call = completion.choices[0]?.message.tool_calls?.[0];
  if (call?.type !== 'function') return undefined;
  return { name: call.function.name, arguments: JSON.parse(call.function.arguments) as unknown };
}

/** The number in the first `\boxed{…}`, as text. */
export function boxed(text: string): string | undefined {
  return /\\boxed\{([^}]*)\}/.exec(text)?.[1];
}
