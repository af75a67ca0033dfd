import { Random } from '../../../src/base/core/random.ts';
import type {
  TracedCall,
  TracedEpisode,
  TracedMessage,
  TracedTimeline,
  TraceWriter,
} from '../../../src/tracking/core/records/trace.ts';
import type { AddedMessage } from '../../../src/tracking/core/tracker.ts';
import type { TraceSize } from './generateTrace.ts';
import type { Passages } from './passages.ts';

/** What its end tells of an episode. */
export interface WrittenEpisode {
  readonly timelines: readonly TracedTimeline[];
  /** By position. */
  readonly messages: readonly TracedMessage[];
  readonly seconds: number;
  readonly answered: number;
  readonly toolCalls: number;
}

/** Tokens of the longest episode's messages, about. */
const tokensOfShare = 500;
/** Tokens that open the assistant's next message. */
const replyHeader = 3;

/** Writes the calls of episodes: agents with a history each, most calls the first one's, tools between them. */
export class EpisodeWriter {
  readonly #writer: TraceWriter;
  readonly #passages: Passages;
  readonly #size: TraceSize;
  readonly #tools: string;
  #begun = false;

  constructor(writer: TraceWriter, passages: Passages, size: TraceSize) {
    this.#writer = writer;
    this.#passages = passages;
    this.#size = size;
    this.#tools = JSON.stringify(toolNames(size).map((name) => ({ type: 'function', function: { name } })));
  }

  write(episode: TracedEpisode, calls: number): WrittenEpisode {
    const random = new Random(`episode ${this.#size.seed} ${episode.episode}`);
    const conversation = this.#converse(episode, random);
    const { tokens, agents, failing } = this.#size;
    for (let call = 0; call < calls; call++) {
      const agent = random.chance(0.75) ? 0 : random.below(agents);
      conversation.call(agent, random.chance(failing) ? undefined : lengthOf(tokens, random), () =>
        lengthOf(tokens, random),
      );
    }
    return conversation.end();
  }

  /** One timeline of exactly so many tokens. */
  writeLongest(episode: TracedEpisode, tokens: number): WrittenEpisode {
    const conversation = this.#converse(episode, new Random(`longest ${this.#size.seed}`));
    // A system message, then a question or answer and a reply for each call; the last reply takes what is left.
    const calls = Math.max(1, Math.floor(tokens / (2 * tokensOfShare)));
    const share = Math.floor(tokens / (2 * calls + 1));
    for (let call = 0; call < calls; call++) {
      const reply = call < calls - 1 ? share : tokens - 2 * calls * share;
      conversation.call(0, reply, () => share);
    }
    return conversation.end();
  }

  #converse(episode: TracedEpisode, random: Random): Conversation {
    const vocabulary = this.#begun ? [] : this.#passages.tokens();
    this.#begun = true;
    return new Conversation(episode, {
      random,
      passages: this.#passages,
      toolNames: toolNames(this.#size),
      write: (call, messages, at) =>
        this.#writer.callEnded({ ...call, tools: this.#tools }, messages, at === 0 ? vocabulary : []),
    });
  }
}

interface ConversationParts {
  readonly random: Random;
  readonly passages: Passages;
  readonly toolNames: readonly string[];
  readonly write: (call: TracedCall, messages: readonly AddedMessage[], at: number) => void;
}

interface Agent {
  /** As of its last reply. */
  timeline: TracedTimeline | null;
  readonly messages: number[];
  tokens: number;
  trainableTokens: number;
  /** The tool call that waits for its result. */
  awaited: string | null;
  /** Its last call. */
  failed: boolean;
}

class Conversation {
  readonly #episode: TracedEpisode;
  readonly #parts: ConversationParts;
  readonly #agents = new Map<number, Agent>();
  readonly #messages: TracedMessage[] = [];
  #added: AddedMessage[] = [];
  #calls = 0;
  #answered = 0;
  #toolCalls = 0;
  #milliseconds = 0;

  constructor(episode: TracedEpisode, parts: ConversationParts) {
    this.#episode = episode;
    this.#parts = parts;
  }

  /** @param reply tokens of the reply; undefined: the call fails */
  call(index: number, reply: number | undefined, length: () => number): void {
    const { random, write } = this.#parts;
    const agent = this.#agents.get(index) ?? this.#begin(index, length);
    // Nothing follows a failed call but the same once more.
    if (!agent.failed) this.#ask(agent, length);
    agent.failed = reply === undefined;
    const request = {
      messages: [...agent.messages],
      promptTokens: agent.tokens + replyHeader,
      startedAt: this.#episode.startedAt + this.#milliseconds,
    };
    const seconds = 0.1 + (reply ?? 10) * (0.002 + 0.004 * random.next());
    this.#milliseconds += seconds * 1_000 + random.below(400);
    const position = reply === undefined ? null : this.#reply(agent, reply);
    write({ ...this.#callOf(index, position, reply), ...request, seconds }, this.#added, this.#calls);
    this.#added = [];
    if (position !== null) agent.timeline = this.#timelineOf(agent);
    this.#calls += 1;
  }

  end(): WrittenEpisode {
    return {
      timelines: [...this.#agents.values()]
        .flatMap(({ timeline }) => (timeline === null ? [] : [timeline]))
        .sort((a, b) => (a.calls.at(-1) ?? 0) - (b.calls.at(-1) ?? 0)),
      messages: this.#messages,
      seconds: this.#milliseconds / 1_000,
      answered: this.#answered,
      toolCalls: this.#toolCalls,
    };
  }

  #timelineOf({ timeline, messages, tokens, trainableTokens }: Agent): TracedTimeline {
    return {
      calls: [...(timeline?.calls ?? []), this.#calls],
      messages: [...messages],
      tokens,
      trainableTokens,
    };
  }

  #callOf(
    agent: number,
    reply: number | null,
    replyTokens: number | undefined,
  ): Omit<TracedCall, 'messages' | 'promptTokens' | 'startedAt' | 'seconds'> {
    const isAnswered = reply !== null;
    return {
      episode: this.#episode.episode,
      call: this.#calls,
      agent: agent === 0 ? 'solver' : `helper-${agent}`,
      tag: agent === 0 ? '' : 'review',
      status: isAnswered ? 200 : this.#parts.random.pick([429, 500, 502]),
      error: isAnswered ? null : 'The endpoint was too busy to answer.',
      options: '{"temperature":0.7,"top_p":0.95,"logprobs":true}',
      tools: null,
      finishReason: isAnswered ? 'stop' : null,
      reply,
      replyTokens: isAnswered ? (replyTokens ?? 0) - replyHeader : 0,
    };
  }

  #begin(index: number, length: () => number): Agent {
    const agent: Agent = {
      timeline: null,
      messages: [],
      tokens: 0,
      trainableTokens: 0,
      awaited: null,
      failed: false,
    };
    this.#agents.set(index, agent);
    this.#add(agent, this.#parts.passages.message('system', length()));
    return agent;
  }

  #ask(agent: Agent, length: () => number): void {
    const { passages } = this.#parts;
    const { awaited } = agent;
    agent.awaited = null;
    const message =
      awaited === null
        ? passages.message('user', length())
        : passages.message('tool', length(), { toolCallId: awaited });
    this.#add(agent, message);
  }

  #reply(agent: Agent, length: number): number {
    const { random, passages, toolNames } = this.#parts;
    this.#answered += 1;
    if (!random.chance(0.6)) return this.#add(agent, passages.message('assistant', length));
    this.#toolCalls += 1;
    const id = `call_${this.#toolCalls}`;
    agent.awaited = id;
    const call = {
      name: random.pick(toolNames),
      arguments: JSON.stringify({ query: `q${random.below(1_000)}` }),
    };
    const toolCalls = JSON.stringify([{ id, type: 'function', function: call }]);
    return this.#add(agent, passages.message('assistant', length, { toolCalls }));
  }

  #add(agent: Agent, message: TracedMessage): number {
    const position = this.#messages.push(message) - 1;
    this.#added.push({ position, message });
    agent.messages.push(position);
    agent.tokens += message.tokenIds.length;
    agent.trainableTokens += message.lossMask.reduce((sum, counts) => sum + counts, 0);
    return position;
  }
}

function toolNames({ tools }: TraceSize): readonly string[] {
  return Array.from({ length: Math.max(1, tools) }, (_, index) => `tool_${index}`);
}

/** Log-normal, as lengths of messages are: most are short, some ten times as long. */
function lengthOf(mean: number, random: Random): number {
  const spread = 0.8;
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.max(7, Math.round(mean * Math.exp(spread * normal - (spread * spread) / 2)));
}
