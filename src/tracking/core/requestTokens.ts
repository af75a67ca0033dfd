import { canonicalJson } from '../../base/core/canonicalJson.ts';
import { templateFailed, toolWithoutParameters } from './callProblems.ts';
import { overflows, promptProblem } from './lengths.ts';
import { excludedMessages, type ExcludedMessage, readMessages, type TimelineMessage } from './messages.ts';
import type { CallProblem } from './problems.ts';
import { SameMessages } from './sameMessages.ts';
import { TemplateTokens, type Prompt, type Tools } from './templateTokens.ts';
import type { TemplateMessage } from './tokenizer.ts';
import { haveParameters, preparedTools } from './toolCalls.ts';
import type { BegunRequest, TrackerOptions, AddedMessage } from './tracker.ts';
import type { TracedMessage, Author } from './records/trace.ts';
import { sameItems } from './branches.ts';

/** An episode's messages: equal ones are one, at one position. */
export class MessageTable {
  readonly #messages: TracedMessage[] = [];
  /** By all of a message but its tokens. */
  readonly #positions = new Map<string, number[]>();
  #taken = 0;

  /** By position. */
  get all(): readonly TracedMessage[] {
    return this.#messages;
  }

  at(position: number): TracedMessage {
    const message = this.#messages[position];
    if (message === undefined) throw new RangeError(`No message at ${position}`);
    return message;
  }

  /** The message's position; one that is new gets the next. */
  put(message: TracedMessage): number {
    const key = keyOf(message);
    const alike = this.#positions.get(key) ?? [];
    const known = alike.find((position) => sameTokens(this.at(position), message));
    if (known !== undefined) return known;
    const position = this.#messages.push(message) - 1;
    this.#positions.set(key, [...alike, position]);
    return position;
  }

  /** Messages that are new since this was last asked. */
  takeAdded(): readonly AddedMessage[] {
    const first = this.#taken;
    this.#taken = this.#messages.length;
    return this.#messages.slice(first).map((message, index) => ({ position: first + index, message }));
  }
}

function keyOf({ role, author, text, toolCalls, toolCallId, tokenIds, logprobs }: TracedMessage): string {
  const digests = [digest(tokenIds), digest(bitsOf(logprobs))];
  return JSON.stringify([role, author, text, toolCalls, toolCallId, ...digests]);
}

/** Returns a hash of the list. */
function digest(words: Int32Array): number {
  let sum = words.length;
  for (const word of words) sum = (Math.imul(sum, 31) + word) | 0;
  return sum;
}

function sameTokens(a: TracedMessage, b: TracedMessage): boolean {
  return (
    sameItems(a.tokenIds, b.tokenIds) &&
    sameItems(a.lossMask, b.lossMask) &&
    sameItems(bitsOf(a.logprobs), bitsOf(b.logprobs))
  );
}

/** Returns the bits of log probabilities. Missing values are all equal. */
function bitsOf(logprobs: Float32Array | null): Int32Array {
  return logprobs === null ? nothing : new Int32Array(logprobs.buffer, logprobs.byteOffset, logprobs.length);
}

const nothing = new Int32Array();

export function tracedMessage(
  message: Pick<TimelineMessage, 'role' | 'text' | 'toolCalls' | 'toolCallId'>,
  author: Author,
  tokenIds: readonly number[],
  logprobs: Float32Array | null,
  lossMask: Uint8Array,
): TracedMessage {
  const { role, text, toolCalls, toolCallId } = message;
  return {
    role,
    author,
    text,
    toolCalls: toolCalls === null ? null : JSON.stringify(toolCalls),
    toolCallId,
    tokenIds: Int32Array.from(tokenIds),
    logprobs,
    lossMask,
  };
}

/** The input of the chat template. */
export interface Templatable {
  readonly call: number;
  readonly messages: readonly TemplateMessage[];
  readonly tools: Tools;
  /** Equal for equal tools. */
  readonly toolsKey: string;
}

/** A request with the messages of its timeline. */
export interface ReadRequest extends Templatable {
  readonly timeline: readonly TimelineMessage[];
  readonly excluded: readonly ExcludedMessage[];
}

/** The length of a prompt in tokens. `whole` is undefined if the template fails. */
export interface CountedPrompt {
  readonly tokens: number;
  /** True if it leaves no room for the longest reply. False if the template fails. */
  readonly overflows: boolean;
  /** True if an overflow was reported. Also true for a length near the limit if the tokenizer is approximate. */
  readonly isNear: boolean;
  readonly whole: Prompt | undefined;
}

/** A message that was already tokenized. */
interface KnownMessage {
  readonly position: number;
  /** The error of the template. */
  readonly failure: string | undefined;
}

/** The tokenized messages. First messages are separate, since templates can add text to them. */
interface KnownMessages {
  readonly first: Map<TimelineMessage, KnownMessage>;
  readonly later: Map<TimelineMessage, KnownMessage>;
}

/** Tokenizes the requests of an episode. Each message is tokenized once. */
export class RequestTokens {
  readonly #options: TrackerOptions;
  readonly #template: TemplateTokens;
  readonly #table: MessageTable;
  readonly #report: (call: number, problem: CallProblem) => void;
  readonly #messages = new SameMessages();
  readonly #known = new Map<string, KnownMessages>();
  readonly #offers = new Map<string, Pick<Templatable, 'tools' | 'toolsKey'>>();
  /** The canonical JSON of tools by their key. */
  readonly #offerKeys = new Map<string, string>();

  /** @param table receives the new messages */
  constructor(
    options: TrackerOptions,
    table: MessageTable,
    report: (call: number, problem: CallProblem) => void,
  ) {
    this.#options = options;
    this.#template = new TemplateTokens(options.text);
    this.#table = table;
    this.#report = report;
  }

  get header(): readonly number[] {
    return this.#template.header;
  }

  read({ call, messages, tools: offered }: BegunRequest): ReadRequest {
    const { toolCallsDisabled } = this.#options;
    const { kept, dropped, problems } = readMessages(messages, toolCallsDisabled);
    for (const problem of problems) this.#report(call, problem);
    const tools = preparedTools(toolCallsDisabled ? null : offered);
    if (tools !== undefined && !haveParameters(tools)) this.#report(call, toolWithoutParameters);
    return {
      call,
      ...this.#messages.read(kept),
      ...this.#offer(tools),
      excluded: excludedMessages(dropped, kept),
    };
  }

  positions(request: ReadRequest): readonly number[] {
    const known = this.#knownWith(request.toolsKey);
    return request.timeline.map((message, index) =>
      this.#position(request, message, known[index === 0 ? 'first' : 'later'], index === 0),
    );
  }

  /** Counts the whole prompt. If the template fails, the count is the sum of its messages. */
  prompt({ call, messages, tools }: Templatable, positions: readonly number[]): CountedPrompt {
    const { limits, text } = this.#options;
    const made = this.#template.prompt(messages, tools);
    if ('failure' in made) this.#report(call, templateFailed(made.failure));
    const whole = 'failure' in made ? undefined : made.value;
    const tokens = whole?.tokens ?? this.#ownTokens(positions) + this.#template.header.length;
    // AgentJet rejects the prompt before it counts tokens if the template fails.
    if (whole === undefined) return { tokens, overflows: false, isNear: false, whole };
    const problem = promptProblem(tokens, limits, text.note.exact);
    if (problem !== undefined) this.#report(call, problem);
    return { tokens, overflows: overflows(tokens, limits), isNear: problem !== undefined, whole };
  }

  #ownTokens(positions: readonly number[]): number {
    return positions.reduce((sum, at) => sum + this.#table.at(at).tokenIds.length, 0);
  }

  /** Returns the tokens that the template adds for a reply. If it fails: header, plain text and end token. */
  container(
    { call, messages, tools }: Templatable,
    { whole }: CountedPrompt,
    reply: TemplateMessage,
  ): readonly number[] {
    if (whole !== undefined) {
      const made = this.#template.reply(messages, whole, reply, tools);
      if ('value' in made) return made.value;
      this.#report(call, templateFailed(made.failure));
    }
    const { eos } = this.#options.text.tokenizer;
    return [...this.#template.header, ...this.#template.plain(reply.content), eos];
  }

  /** Returns a text that is equal for equal tools, whatever the order of their keys. Merging compares it. */
  offerKey({ tools, toolsKey }: Templatable): string {
    const key = this.#offerKeys.get(toolsKey) ?? canonicalJson(tools ?? []);
    this.#offerKeys.set(toolsKey, key);
    return key;
  }

  /** Returns the same object and a short key for equal tools. */
  #offer(tools: Tools): Pick<Templatable, 'tools' | 'toolsKey'> {
    const text = JSON.stringify(tools ?? []);
    const offer = this.#offers.get(text) ?? { tools, toolsKey: String(this.#offers.size) };
    this.#offers.set(text, offer);
    return offer;
  }

  #knownWith(toolsKey: string): KnownMessages {
    const known = this.#known.get(toolsKey) ?? { first: new Map(), later: new Map() };
    this.#known.set(toolsKey, known);
    return known;
  }

  /** Returns the position of a message, which is tokenized on its first use. */
  #position(
    request: Templatable,
    message: TimelineMessage,
    known: Map<TimelineMessage, KnownMessage>,
    isFirst: boolean,
  ): number {
    let found = known.get(message);
    if (found === undefined) {
      found = this.#make(request, message, isFirst);
      known.set(message, found);
    }
    if (found.failure !== undefined) this.#report(request.call, templateFailed(found.failure));
    return found.position;
  }

  #make({ tools, toolsKey }: Templatable, message: TimelineMessage, isFirst: boolean): KnownMessage {
    const { parts, text } = message;
    const made = isFirst ? this.#template.first(parts, tools) : this.#template.later(parts, tools, toolsKey);
    const failed = 'failure' in made;
    const ids = failed ? this.#template.plain(text) : made.value;
    const position = this.#table.put(tracedMessage(message, 'env', ids, null, new Uint8Array(ids.length)));
    return { position, failure: failed ? made.failure : undefined };
  }
}
