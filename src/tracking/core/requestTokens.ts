import { canonicalJson } from '../../base/core/canonicalJson.ts';
import { templateFailed, toolWithoutParameters } from './callProblems.ts';
import { overflows, promptProblem } from './lengths.ts';
import type { MessageTable } from './messageTable.ts';
import { excludedMessages, type ExcludedMessage } from './leftOut.ts';
import { readMessages, type TimelineMessage } from './messages.ts';
import type { CallProblem } from './problems.ts';
import { SameMessages } from './sameMessages.ts';
import { TemplateTokens, type Prompt, type Tools } from './templateTokens.ts';
import type { TemplateMessage } from './tokenizer.ts';
import { haveParameters, preparedTools } from './toolCalls.ts';
import { tracedMessage } from './traced.ts';
import type { BegunRequest, TrackerOptions } from './tracker.ts';

/** A request as the chat template sees it. */
export interface Templatable {
  readonly call: number;
  readonly messages: readonly TemplateMessage[];
  readonly tools: Tools;
  /** Equal for equal tools. */
  readonly toolsKey: string;
}

/** The same with the messages that its timeline begins with. */
export interface ReadRequest extends Templatable {
  readonly timeline: readonly TimelineMessage[];
  readonly excluded: readonly ExcludedMessage[];
}

/** Its prompt in tokens; `whole` is undefined where the template fails on it. */
export interface CountedPrompt {
  readonly tokens: number;
  /** Whether it leaves no room for the longest reply. A prompt that the template fails on is not counted that far. */
  readonly overflows: boolean;
  /** Whether it is told to do so, or to come near it where the count is approximate. */
  readonly isNear: boolean;
  readonly whole: Prompt | undefined;
}

/** A message of a request that was made into tokens before. */
interface KnownMessage {
  readonly position: number;
  /** Why the template made no tokens of it. */
  readonly failure: string | undefined;
}

/** Of the messages with which requests begin, and of all others. */
interface KnownMessages {
  readonly first: Map<TimelineMessage, KnownMessage>;
  readonly later: Map<TimelineMessage, KnownMessage>;
}

/** Makes tokens of an episode's requests, of each message once, however many of them have it. */
export class RequestTokens {
  readonly #options: TrackerOptions;
  readonly #template: TemplateTokens;
  readonly #table: MessageTable;
  readonly #report: (call: number, problem: CallProblem) => void;
  readonly #messages = new SameMessages();
  /** By the key of the tools. */
  readonly #known = new Map<string, KnownMessages>();
  readonly #offers = new Map<string, Pick<Templatable, 'tools' | 'toolsKey'>>();
  /** By the key of the tools. */
  readonly #offerKeys = new Map<string, string>();

  /** @param table takes the messages that are new */
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

  /** What the template puts before a reply. */
  get header(): readonly number[] {
    return this.#template.header;
  }

  read({ call, messages, tools: offered }: BegunRequest): ReadRequest {
    const { toolCallsDisabled } = this.#options;
    const { kept, dropped, problems } = readMessages(messages, toolCallsDisabled);
    for (const problem of problems) this.#report(call, problem);
    const tools = preparedTools(toolCallsDisabled ? null : offered);
    if (tools !== undefined && !haveParameters(tools)) this.#report(call, toolWithoutParameters);
    return { call, ...this.#messages.read(kept), ...this.#offer(tools), excluded: excludedMessages(dropped, kept) };
  }

  /** Positions of the request's messages. */
  positions(request: ReadRequest): readonly number[] {
    const known = this.#knownWith(request.toolsKey);
    return request.timeline.map((message, index) =>
      this.#position(request, message, known[index === 0 ? 'first' : 'later'], index === 0),
    );
  }

  /** The prompt as a whole; where the template fails on it, it is as long as its messages. */
  prompt({ call, messages, tools }: Templatable, positions: readonly number[]): CountedPrompt {
    const { limits, text } = this.#options;
    const made = this.#template.prompt(messages, tools);
    if ('failure' in made) this.#report(call, templateFailed(made.failure));
    const whole = 'failure' in made ? undefined : made.value;
    const tokens = whole?.tokens ?? this.#ownTokens(positions) + this.#template.header.length;
    // What the template fails on, AgentJet refuses before it counts.
    if (whole === undefined) return { tokens, overflows: false, isNear: false, whole };
    const problem = promptProblem(tokens, limits, text.note.exact);
    if (problem !== undefined) this.#report(call, problem);
    return { tokens, overflows: overflows(tokens, limits), isNear: problem !== undefined, whole };
  }

  #ownTokens(positions: readonly number[]): number {
    return positions.reduce((sum, at) => sum + this.#table.at(at).tokenIds.length, 0);
  }

  /** What the template adds to the request for a reply; where it fails, header, plain text and end token. */
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

  /** Merging compares tools as values: the order of their keys is nothing to it. */
  offerKey({ tools, toolsKey }: Templatable): string {
    const key = this.#offerKeys.get(toolsKey) ?? canonicalJson(tools ?? []);
    this.#offerKeys.set(toolsKey, key);
    return key;
  }

  /** Equal tools are the very same ones; their key is short, since messages are known by it. */
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

  /** The position of a request's message, which is made into tokens when it is first seen. */
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
