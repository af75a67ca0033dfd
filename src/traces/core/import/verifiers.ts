/**
 * Imports `traces.jsonl` of verifiers: one episode per line with the traces of its agents. Each trace is a graph of
 * messages with tokens. Every path from a root to a leaf is a training sample.
 */
import * as z from 'zod/mini';
import { isRecord } from '../../../base/core/isRecord.ts';
import { contentText, textOf, withReasoning } from './chat.ts';
import { eachValue } from './eachValue.ts';
import type {
  CallPart,
  EpisodePart,
  FactsPart,
  ImportedMessage,
  ImportedTokens,
  Importer,
  TimelinePart,
} from './parts.ts';

/** Pydantic writes absent values as null. */
const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema));
const span = z.object({ start: z.optional(z.number()), end: z.optional(z.number()) });
const failure = z.object({ type: z.optional(z.string()), message: z.optional(z.string()) });

const node = z.object({
  parent: maybe(z.int()),
  message: z.record(z.string(), z.unknown()),
  sampled: z.optional(z.boolean()),
  token_ids: z.optional(z.array(z.int())),
  mask: z.optional(z.array(z.boolean())),
  logprobs: maybe(z.array(z.number())),
});
type Node = z.infer<typeof node>;

const call = z.object({
  node: maybe(z.int()),
  model: maybe(z.string()),
  sampling: z.optional(z.unknown()),
  finish_reason: maybe(z.string()),
  usage: maybe(
    z.object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      cached_input_tokens: maybe(z.number()),
    }),
  ),
  time: z.optional(span),
  error: maybe(failure),
});

const trace = z.object({
  agent: z.optional(z.object({ name: z.optional(z.string()), trainable: z.optional(z.boolean()) })),
  nodes: z.array(node),
  calls: z.optional(z.array(call)),
  tools: z.optional(z.array(z.unknown())),
  rewards: z.optional(
    z.record(z.string(), z.nullable(z.object({ score: z.number(), weight: z.optional(z.number()) }))),
  ),
  metrics: z.optional(z.record(z.string(), z.nullable(z.number()))),
  timing: z.optional(z.object({ start: z.optional(z.number()), scoring: z.optional(span) })),
});
type Trace = z.infer<typeof trace>;

const episode = z.object({
  id: z.string(),
  env: z.optional(z.object({ id: z.optional(z.string()) })),
  task: z.object({ key: maybe(z.string()), hash: maybe(z.string()), data: z.unknown() }),
  group: maybe(z.object({ id: z.string() })),
  errors: z.optional(z.array(failure)),
  traces: z.array(trace),
});

export const verifiers: Importer = {
  label: 'verifiers traces.jsonl',
  run: async (source, sink) => {
    for await (const { where, value } of eachValue(source, [''], sink)) {
      const read = episode.safeParse(value);
      if (!read.success) {
        sink.skip(where, value === undefined ? 'it is not JSON' : 'it is not an episode of verifiers');
        continue;
      }
      const { id, env, traces } = read.data;
      if (env?.id !== undefined && env.id !== '') sink.name(env.id);
      const parts = traces.flatMap((one) => partsOf(one, (why) => sink.skip(where, why)));
      sink.add(id, [factsOf(read.data), ...parts]);
    }
  },
};

export function isVerifiersEpisode(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['traces']) && isRecord(value['task']);
}

function factsOf({ id, task: of, group, traces, errors }: z.infer<typeof episode>): FactsPart {
  const rewards = traces.flatMap((one) => Object.entries(one.rewards ?? {}));
  const scores = rewards.flatMap(([name, given]) => (given === null ? [] : [[name, given] as const]));
  const metrics = traces
    .flatMap((one) => Object.entries(one.metrics ?? {}))
    .flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const starts = traces.flatMap(({ timing }) => timing?.start ?? []);
  const ends = traces.flatMap(({ timing, calls = [] }) => [
    timing?.scoring?.end ?? 0,
    ...calls.map(({ time }) => time?.end ?? 0),
  ]);
  const last = errors?.at(-1);
  const query = queryOf(of.data);
  return {
    kind: 'facts',
    uuid: id,
    task: of.key ?? group?.id ?? of.hash ?? '',
    ...(query !== undefined && { query }),
    ...(starts.length > 0 && { startedAt: starts.reduce((a, b) => Math.min(a, b)) * 1_000 }),
    ...(ends.some((end) => end > 0) && { endedAt: ends.reduce((a, b) => Math.max(a, b)) * 1_000 }),
    // A reward is weighted. The episode's reward is the sum over all of its agents.
    ...(scores.length > 0 && {
      reward: scores.reduce((sum, [, { score, weight = 1 }]) => sum + score * weight, 0),
    }),
    ...(metrics.length + scores.length > 0 && {
      metrics: Object.fromEntries([...scores.map(([name, { score }]) => [name, score] as const), ...metrics]),
    }),
    ...(last !== undefined && { error: failureText(last) }),
  };
}

function failureText({ type = 'error', message = '' }: z.infer<typeof failure>): string {
  return `${type}: ${message}`;
}

function queryOf(data: unknown): string | undefined {
  if (!isRecord(data)) return undefined;
  const asked = ['prompt', 'question', 'query', 'instruction'].map((name) => data[name]);
  const plain = asked.find((value) => typeof value === 'string' || Array.isArray(value));
  return Array.isArray(plain)
    ? textOf(contentText(plain.filter(isRecord).at(-1)?.['content']))
    : textOf(plain);
}

function partsOf(one: Trace, skip: (why: string) => void): readonly EpisodePart[] {
  const graph = new Graph(one.nodes);
  if (!graph.isSound) {
    skip('the messages of one of its traces do not form a tree');
    return [];
  }
  const timelines = one.agent?.trainable === false ? [] : graph.timelines();
  return [
    ...callsOf(one, graph),
    ...timelines.filter(({ messages }) => messages.some(({ tokens }) => tokens !== undefined)),
  ];
}

function callsOf({ calls = [], tools = [], agent }: Trace, graph: Graph): readonly CallPart[] {
  return calls.map((made): CallPart => {
    const path = typeof made.node === 'number' ? graph.path(made.node) : [];
    const { time, error, usage } = made;
    const [start = 0, end = 0] = [time?.start, time?.end];
    return {
      kind: 'call',
      agent: agent?.name ?? null,
      startedAt: start > 0 ? start * 1_000 : null,
      seconds: start > 0 && end > 0 ? end - start : null,
      status: error ? null : 200,
      error: error ? failureText(error) : null,
      model: made.model ?? null,
      options: {
        ...(typeof made.model === 'string' && { model: made.model }),
        ...(isRecord(made.sampling) && made.sampling),
      },
      tools: tools.length === 0 ? null : JSON.stringify(tools),
      finishReason: made.finish_reason ?? null,
      messages: path.slice(0, -1).map((index) => graph.message(index)),
      reply: path.length === 0 ? null : graph.message(path.at(-1) ?? 0),
      promptTokens: usage ? usage.prompt_tokens + (usage.cached_input_tokens ?? 0) : null,
      replyTokens: usage?.completion_tokens ?? null,
    };
  });
}

class Graph {
  readonly #nodes: readonly Node[];

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
  }

  /** True if every message comes after its predecessor, so that each path ends. */
  get isSound(): boolean {
    return this.#nodes.every(
      ({ parent = null }, index) => parent === null || (parent >= 0 && parent < index),
    );
  }

  timelines(): readonly TimelinePart[] {
    const inner = new Set(this.#nodes.map(({ parent }) => parent));
    return [...this.#nodes.keys()]
      .filter((index) => !inner.has(index))
      .map((leaf) => ({ kind: 'timeline', messages: this.path(leaf).map((index) => this.message(index)) }));
  }

  path(leaf: number): readonly number[] {
    const path: number[] = [];
    for (let at: number | null | undefined = leaf; typeof at === 'number'; at = this.#nodes[at]?.parent)
      path.push(at);
    return path.reverse();
  }

  message(index: number): ImportedMessage {
    const found = this.#nodes[index];
    const {
      role,
      content,
      reasoning_content: reasoning,
      tool_calls: calls,
      tool_call_id: id,
    } = found?.message ?? {};
    return {
      role: textOf(role) ?? '',
      text: withReasoning(reasoning, contentText(content)),
      toolCalls:
        Array.isArray(calls) && calls.length > 0
          ? JSON.stringify(calls.filter(isRecord).map(toolCall))
          : null,
      toolCallId: textOf(id) ?? null,
      fromModel: found?.sampled === true,
      ...(found !== undefined && tokensOf(found)),
    };
  }
}

function toolCall({ id, name, arguments: given }: Readonly<Record<string, unknown>>): object {
  return { id, type: 'function', function: { name, arguments: given } };
}

/** Only sampled tokens have log probabilities. */
function tokensOf({ token_ids: ids = [], mask = [], logprobs }: Node): { readonly tokens?: ImportedTokens } {
  if (ids.length === 0) return {};
  const counts = ids.map((_, index): 0 | 1 => (mask[index] === true ? 1 : 0));
  let next = 0;
  const spread = counts.map((one) => (one === 1 ? (logprobs?.[next++] ?? null) : null));
  const hasLogprobs = (logprobs?.length ?? 0) > 0;
  return {
    tokens: { ids, lossMask: mask.length === 0 ? null : counts, logprobs: hasLogprobs ? spread : null },
  };
}
