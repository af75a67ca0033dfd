/**
 * Seeded episodes as a model endpoint sees them: what agents send, and what the engine makes of it. The unit tests track
 * them here, `merging.py` has AgentJet's own tracker do it.
 */
import { Random, seededString } from '../../unit/tracking/tokenizer/strings.ts';

export interface TraceMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

export interface TraceReply {
  readonly content: string;
  readonly toolCalls: readonly unknown[] | null;
  /** What the engine made, each piece tokenised by itself. */
  readonly pieces: readonly string[];
  /** Whether the engine made the end token; false: it was cut by length. */
  readonly ended: boolean;
}

export interface TraceCall {
  readonly messages: readonly TraceMessage[];
  readonly tools: readonly unknown[] | null;
  readonly reply: TraceReply;
}

export interface TraceSet {
  /** Of the fixtures in test/fixtures/tokenizer/templates. */
  readonly template: 'chatml' | 'tools';
  readonly toolCallsDisabled: boolean;
  readonly checklist: readonly string[];
  readonly limits: {
    readonly modelLength: number;
    readonly promptLength: number;
    readonly responseLength: number;
    readonly turnLength: number;
  };
  readonly reward: number;
  readonly calls: readonly TraceCall[];
}

export const traceSetCount = 10_000;

/** The trace set of this number, from 1. */
export function traceSet(number: number): TraceSet {
  return new Maker(new Random(number)).make();
}

const roomy = { modelLength: 6_000, promptLength: 3_000, responseLength: 3_000, turnLength: 800 };
const tight = { modelLength: 420, promptLength: 130, responseLength: 150, turnLength: 60 };

const systems = ['You are kind.', 'Play the game.', 'Answer briefly, in steps.', ''];
const questions = [
  'What is two and two?',
  'Go on.',
  'Whose turn is it?',
  'go on',
  'The board:\n. . X\n. O .\nX . .',
  'next',
];
const answers = [
  'It is four.',
  'I open the door and look around the room.',
  'Let me think about it first.\nThen I answer.',
  'go on',
  'yes',
  '',
];
const results = ['4', 'not found', '{"rows": [1, 2]}', ''];

interface Tool {
  readonly type: string;
  readonly function: Readonly<Record<string, unknown>>;
}

const add: Tool = {
  type: 'function',
  function: {
    name: 'add',
    parameters: { type: 'object', properties: { a: { type: 'number' } } },
    description: 'Adds.',
  },
};
const look: Tool = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
};
/** The same as {@link add} for whoever compares keys by name. */
const addTurned: Tool = {
  function: {
    description: 'Adds.',
    parameters: { properties: { a: { type: 'number' } }, type: 'object' },
    name: 'add',
  },
  type: 'function',
};
const offers: readonly (readonly Tool[] | null)[] = [null, [add], [add, look], [look, add], [addTurned]];

class Maker {
  readonly #random: Random;
  readonly #calls: TraceCall[] = [];
  readonly #offers: readonly (readonly Tool[] | null)[];
  #ids = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#offers = [random.choose(offers), random.choose(offers)];
  }

  make(): TraceSet {
    const template = this.#oneIn(6) ? 'tools' : 'chatml';
    const limits = this.#oneIn(6) ? tight : roomy;
    const toolCallsDisabled = this.#oneIn(10);
    const checklist = this.#oneIn(15) ? ['nonsense'] : [];
    const reward = this.#random.below(9) / 8;
    for (let left = 2 + this.#random.below(6); left > 0; left--) this.#calls.push(this.#spoilt(this.#call()));
    return { template, toolCallsDisabled, checklist, limits, reward, calls: this.#calls };
  }

  #call(): TraceCall {
    const before = this.#oneIn(4) ? this.#any(this.#calls) : this.#calls.at(-1);
    if (before === undefined || this.#oneIn(8)) return this.#finish(this.#opening(), this.#tools());
    const tools = this.#oneIn(7) ? this.#tools() : before.tools;
    switch (this.#random.below(9)) {
      case 0: // the same request once more, now and then with the same answer
        return this.#oneIn(2) ? before : this.#finish(before.messages, tools);
      case 1: // another way on from an earlier point
        return this.#finish([...this.#cut(before.messages), this.#question()], tools);
      case 2: // history rewritten
        return this.#finish(this.#rewritten(this.#continued(before)), tools);
      default:
        return this.#finish(this.#continued(before), tools);
    }
  }

  #opening(): readonly TraceMessage[] {
    return [this.#written({ role: 'system', content: this.#random.choose(systems) }), this.#question()];
  }

  #continued({ messages, reply }: TraceCall): readonly TraceMessage[] {
    const { content, toolCalls } = reply;
    const shown = this.#oneIn(12) ? content.trim() : content;
    const said: TraceMessage = {
      role: 'assistant',
      content: shown === '' && this.#oneIn(2) ? null : shown,
      ...(toolCalls !== null && !this.#oneIn(10) && { tool_calls: toolCalls }),
    };
    if (toolCalls === null) return [...messages, this.#written(said), this.#question()];
    return [...messages, this.#written(said), ...toolCalls.map((call) => this.#result(call))];
  }

  #rewritten(messages: readonly TraceMessage[]): readonly TraceMessage[] {
    const at = this.#random.below(messages.length);
    const message = messages[at] ?? this.#question();
    if (this.#oneIn(4) && at > 0) return messages.toSpliced(at, 1);
    if (this.#oneIn(2)) {
      return messages.with(at, { ...message, content: `${textOf(message.content)} (edited)` });
    }
    const role = at === 0 ? 'system' : this.#random.choose(['user', 'assistant', 'tool']);
    return messages.with(at, { ...message, role });
  }

  #cut(messages: readonly TraceMessage[]): readonly TraceMessage[] {
    return messages.slice(0, 1 + this.#random.below(messages.length));
  }

  #question(): TraceMessage {
    const content = this.#oneIn(10)
      ? seededString(this.#random.below(100_000))
      : this.#random.choose(questions);
    return this.#written({ role: 'user', content });
  }

  #result(call: unknown): TraceMessage {
    const { id } = call as { id: string };
    return this.#written({ role: 'tool', content: this.#random.choose(results), tool_call_id: id });
  }

  /** Some clients write content as a list of parts. */
  #written(message: TraceMessage): TraceMessage {
    if (typeof message.content !== 'string' || !this.#oneIn(14)) return message;
    const at = this.#random.below(message.content.length + 1);
    const cut = /^[\uDC00-\uDFFF]/.test(message.content.slice(at)) ? at - 1 : at;
    const parts: unknown[] = [message.content.slice(0, cut), message.content.slice(cut)].map((text) => ({
      type: 'text',
      text,
    }));
    if (this.#oneIn(8)) parts.splice(1, 0, { type: 'image_url', image_url: { url: 'data:,' } });
    if (this.#oneIn(20)) parts.splice(1, 0, { type: 'text', text: null });
    return { ...message, content: parts };
  }

  #tools(): readonly Tool[] | null {
    return this.#oneIn(4) ? this.#random.choose(offers) : this.#random.choose(this.#offers);
  }

  #finish(messages: readonly TraceMessage[], tools: readonly unknown[] | null): TraceCall {
    return { messages, tools, reply: this.#reply(tools) };
  }

  #reply(tools: readonly unknown[] | null): TraceReply {
    const content = this.#oneIn(15)
      ? seededString(this.#random.below(100_000))
      : this.#random.choose(answers);
    const asks = tools !== null && this.#random.below(3) === 0;
    const toolCalls = asks ? Array.from({ length: 1 + this.#random.below(2) }, () => this.#toolCall()) : null;
    const calls = (toolCalls ?? []).map(
      ({ function: { name, arguments: given } }) =>
        `<tool_call>\n{"name": "${name}", "arguments": ${given}}\n</tool_call>`,
    );
    const raw = [...(content === '' ? [] : [content]), ...calls].join('\n');
    const pieces = this.#pieces(raw);
    if (this.#oneIn(60)) pieces.push('<|im_end|>', ' more');
    if (this.#oneIn(80)) pieces.unshift('<|im_start|>assistant\n');
    // What is cut has something before the cut.
    return { content, toolCalls, pieces, ended: raw === '' || !this.#oneIn(8) };
  }

  #toolCall(): { id: string; type: string; function: { name: string; arguments: string } } {
    const given = this.#random.choose(['{"a": 1}', '{"a": 2, "b": "é"}', '{}', '[1]', '{"a": ']);
    this.#ids += 1;
    const name = this.#random.choose(['add', 'look']);
    return { id: `call-${this.#ids}`, type: 'function', function: { name, arguments: given } };
  }

  /** Now and then an engine makes other tokens of a text than its tokenizer does. */
  #pieces(text: string): string[] {
    const characters = Array.from(text);
    if (characters.length === 0) return [];
    if (!this.#oneIn(4) || characters.length < 3) return [text];
    const at = 1 + this.#random.below(characters.length - 1);
    return [characters.slice(0, at).join(''), characters.slice(at).join('')];
  }

  /** Now and then a request that AgentJet refuses, or takes only a part of. */
  #spoilt(call: TraceCall): TraceCall {
    if (!this.#oneIn(25)) return call;
    const { messages } = call;
    switch (this.#random.below(6)) {
      case 0:
        return { ...call, messages: messages.slice(1) };
      case 1:
        return { ...call, messages: [...messages, { role: 'system', content: 'Mind the time.' }] };
      case 2:
        return { ...call, messages: [...messages, { role: 'user', content: [{ type: 'tool_use' }] }] };
      case 3:
        return { ...call, messages: [...messages, { role: 'developer', content: 'Be quick.' }] };
      case 4:
        return { ...call, tools: [{ type: 'function', function: { name: 'bare' } }] };
      default:
        return { ...call, messages: messages.with(0, { role: 'system', content: null }) };
    }
  }

  #any<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : items[this.#random.below(items.length)];
  }

  #oneIn(count: number): boolean {
    return this.#random.below(count) === 0;
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : '';
}
