import { canonicalJson } from '../base/canonicalJson.ts';
import type { Author, TracedMessage, TracedTimeline } from '../protocol/trace.ts';
import { DriftDetector } from './drift.ts';
import { explainMerging, type ExplainableCall } from './explainMerging.ts';
import { promptProblem, replyProblem, sampleProblems } from './lengths.ts';
import { sampleLossMask } from './lossMask.ts';
import { madnessOf } from './madness.ts';
import { mergeCalls, type MergeSettings } from './mergeCalls.ts';
import { notMerged } from './mergeProblems.ts';
import { readMessages, templateMessage, timelineMessages, type TimelineMessage } from './messages.ts';
import { MessageTable } from './messageTable.ts';
import { Problems, type CallProblem } from './problems.ts';
import { count, sampleOf } from './samples.ts';
import { replyTokens, type ReplyTokens } from './replyTokens.ts';
import { TemplateTokens, type Prompt, type Tools } from './templateTokens.ts';
import type { TemplateMessage } from './tokenizer.ts';
import { haveParameters, preparedTools } from './toolCalls.ts';
import type {
  EpisodeTracker,
  TrackedCall,
  TrackedEpisode,
  TrackerOptions,
  TrackerReply,
  TrackerRequest,
} from './tracker.ts';

/**
 * Makes timelines of an episode's calls as upstream's tracker does, and tells what training would refuse, cut or leave
 * out of them. What upstream refuses becomes the timeline that comes closest, so that there is something to look at.
 */
export function createEpisodeTracker(options: TrackerOptions): EpisodeTracker {
  return new Tracker(options);
}

/** A request as the chat template sees it. */
interface Templatable {
  readonly call: number;
  readonly messages: readonly TemplateMessage[];
  readonly tools: Tools;
  /** Equal for equal tools. */
  readonly toolsKey: string;
}

/** Its prompt in tokens; `whole` is undefined where the template fails on it. */
interface CountedPrompt {
  readonly tokens: number;
  /** Whether it is too long to be answered in training, or may be. */
  readonly tooLong: boolean;
  readonly whole: Prompt | undefined;
}

/** A message of a request that was made into tokens before. */
interface KnownMessage {
  readonly position: number;
  /** Why the template made no tokens of it. */
  readonly failure: string | undefined;
}

class Tracker implements EpisodeTracker {
  readonly #options: TrackerOptions;
  readonly #template: TemplateTokens;
  /** The header of a reply that upstream takes every template to have. */
  readonly #chatMlHeader: readonly number[];
  readonly #table = new MessageTable();
  readonly #known = new Map<string, KnownMessage>();
  readonly #toolsKeys = new Map<string, string>();
  /** By the key of the tools. */
  readonly #offerKeys = new Map<string, string>();
  readonly #calls: ExplainableCall[] = [];
  readonly #problems = new Problems();
  readonly #drift: DriftDetector;
  /** Those whose reply was cut by length. */
  readonly #cutCalls = new Set<number>();
  /** By the position of a reply: why upstream makes no sample of a timeline that ends with it. */
  readonly #maskProblems = new Map<number, CallProblem>();
  /** When the first degenerate reply was over. */
  #madFrom: number | undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#template = new TemplateTokens(options.text);
    this.#chatMlHeader = options.text.tokenizer.encode('<|im_start|>assistant\n');
    this.#drift = new DriftDetector(options.text.tokenizer, (position) => this.#table.at(position));
  }

  track(request: TrackerRequest, reply: TrackerReply | null): TrackedCall {
    const { call } = request;
    const { toolCallsDisabled } = this.#options;
    const { kept, problems } = readMessages(request.messages, toolCallsDisabled);
    for (const problem of problems) this.#problems.add(call, problem);
    const tools = preparedTools(toolCallsDisabled ? null : request.tools);
    if (tools !== undefined && !haveParameters(tools)) this.#problems.add(call, toolWithoutParameters);
    const toolsKey = this.#toolsKey(tools);
    const templatable = { call, messages: kept.map(templateMessage), tools, toolsKey };
    const messages = timelineMessages(kept).map((message, index) =>
      this.#position(templatable, message, index === 0),
    );
    this.#judgeDrift(call, messages);
    const prompt = this.#prompt(templatable, messages);
    const answer = reply === null ? null : this.#answer(templatable, prompt, reply);
    const position = answer?.position ?? null;
    if (position !== null) this.#drift.answered(call, position);
    const isKept = reply === null || this.#keeps(request, reply);
    const { agent = '' } = request;
    this.#calls.push({
      call,
      agent,
      messages,
      reply: isKept ? position : null,
      tools: this.#offerKey(tools, toolsKey),
    });
    return {
      messages,
      reply: position,
      promptTokens: prompt.tokens,
      replyTokens: answer?.made ?? 0,
      added: this.#table.takeAdded(),
    };
  }

  restart(): void {
    this.#calls.length = 0;
    this.#drift.restart();
    this.#madFrom = undefined;
    this.#problems.clear();
  }

  end(): TrackedEpisode {
    const settings = this.#mergeSettings();
    const merged = mergeCalls(this.#calls, (position) => this.#table.at(position), settings);
    if (merged.timelines.length > 1) this.#explain(settings, merged.timelines);
    for (const call of merged.maskedAnew) {
      if (this.#cutCalls.has(call)) this.#problems.add(call, endTrained);
    }
    const made = new Map(merged.added.map(({ position, message }) => [position, message]));
    const samples = merged.timelines.map((timeline) =>
      timeline.messages.map((position) => made.get(position) ?? this.#table.at(position)),
    );
    this.#judgeSamples(merged.timelines, samples);
    const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
    return {
      timelines: merged.timelines,
      added: merged.added,
      tracking: {
        timelines: merged.timelines.length,
        tokens: sum(merged.timelines.map(({ tokens }) => tokens)),
        trainableTokens: sum(merged.timelines.map(({ trainableTokens }) => trainableTokens)),
        ...(this.#madFrom !== undefined && { madnessReward: this.#options.madness.reward }),
        problems: [...this.#problems.list()],
      },
    };
  }

  /** Ids of the embedded tokenizer are not the model's, so they tell nothing of drift. */
  #judgeDrift(call: number, messages: readonly number[]): void {
    const problem = this.#options.text.note.exact ? this.#drift.found(messages) : undefined;
    if (problem !== undefined) this.#problems.add(call, problem);
  }

  #mergeSettings(): MergeSettings {
    const { eos } = this.#options.text.tokenizer;
    return {
      ...this.#options.merging,
      lossMaskOf: ({ tokenIds }) =>
        sampleLossMask(tokenIds, { header: this.#chatMlHeader, eos, lacksEos: false }),
      nextPosition: this.#table.size,
    };
  }

  #explain(settings: MergeSettings, timelines: readonly TracedTimeline[]): void {
    const messageAt = (position: number): TracedMessage => this.#table.at(position);
    const explanation = explainMerging(this.#calls, messageAt, settings, timelines);
    for (const { call, problem } of notMerged(explanation, settings)) this.#problems.add(call, problem);
  }

  /**
   * Whether training keeps a call, which it does not where the episode had been told to stop, or a reply was degenerate
   * before it began. Upstream judges every reply, kept or not; a call that had begun by then is kept.
   */
  #keeps({ call, startedAt, endedAt, interrupted }: TrackerRequest, reply: TrackerReply): boolean {
    const { checklist, reward, terminates } = this.#options.madness;
    const isStopped = interrupted === true;
    if (isStopped) this.#problems.add(call, afterStop);
    const isAfter = !isStopped && terminates && this.#madFrom !== undefined && startedAt >= this.#madFrom;
    if (isAfter) this.#problems.add(call, afterMadness);
    const madness = this.#madFrom === undefined ? madnessOf(reply, checklist) : undefined;
    if (madness !== undefined) {
      this.#madFrom = endedAt;
      this.#problems.add(call, degenerate(madness, reward));
    }
    return !isAfter && !isStopped;
  }

  /** Short, since every message is known by it. */
  #toolsKey(tools: Tools): string {
    const text = JSON.stringify(tools ?? []);
    const key = this.#toolsKeys.get(text) ?? String(this.#toolsKeys.size);
    this.#toolsKeys.set(text, key);
    return key;
  }

  /** Merging compares tools as values: the order of their keys is nothing to it. */
  #offerKey(tools: Tools, toolsKey: string): string {
    const key = this.#offerKeys.get(toolsKey) ?? canonicalJson(tools ?? []);
    this.#offerKeys.set(toolsKey, key);
    return key;
  }

  /** The position of a request's message, which is made into tokens when it is first seen. */
  #position({ call, tools, toolsKey }: Templatable, message: TimelineMessage, isFirst: boolean): number {
    const key = JSON.stringify([isFirst, toolsKey, message]);
    let known = this.#known.get(key);
    if (known === undefined) {
      const { parts } = message;
      const made = isFirst
        ? this.#template.first(parts, tools)
        : this.#template.later(parts, tools, toolsKey);
      const failed = 'failure' in made;
      const ids = failed ? this.#template.plain(message.text) : made.value;
      const position = this.#table.put(traced(message, 'env', ids, null, new Uint8Array(ids.length)));
      known = { position, failure: failed ? made.failure : undefined };
      this.#known.set(key, known);
    }
    if (known.failure !== undefined) this.#templateFailed(call, known.failure);
    return known.position;
  }

  /** The prompt as a whole; where the template fails on it, it is as long as its messages. */
  #prompt({ call, messages, tools }: Templatable, positions: readonly number[]): CountedPrompt {
    const { limits, text } = this.#options;
    const made = this.#template.prompt(messages, tools);
    if ('failure' in made) this.#templateFailed(call, made.failure);
    const whole = 'failure' in made ? undefined : made.value;
    const ownTokens = positions.reduce((sum, at) => sum + this.#table.at(at).tokenIds.length, 0);
    const tokens = whole?.tokens ?? ownTokens + this.#template.header.length;
    const problem = promptProblem(tokens, limits, text.note.exact);
    if (problem !== undefined) this.#problems.add(call, problem);
    return { tokens, tooLong: problem !== undefined, whole };
  }

  #answer(
    request: Templatable,
    prompt: CountedPrompt,
    reply: TrackerReply,
  ): { readonly position: number; readonly made: number } {
    const toolCalls = reply.toolCalls?.length ? reply.toolCalls : null;
    const message = { role: 'assistant', text: reply.content ?? '', toolCalls, toolCallId: null };
    const container = this.#container(request, prompt, templateMessage(message));
    const tokens = replyTokens(container, this.#template.header, reply, this.#options.text);
    this.#judgeLength(request.call, prompt, container.length, tokens);
    const logprobs = tokens.logprobs && Float32Array.from(tokens.logprobs, (logprob) => logprob ?? NaN);
    const lossMask = Uint8Array.from(tokens.lossMask);
    const position = this.#table.put(traced(message, 'llm', tokens.tokenIds, logprobs, lossMask));
    this.#judgeReply(request.call, tokens, position);
    return { position, made: count(lossMask) };
  }

  /** What the template adds to the request for a reply; where it fails, header, plain text and end token. */
  #container(
    { call, messages, tools }: Templatable,
    { whole }: CountedPrompt,
    reply: TemplateMessage,
  ): readonly number[] {
    if (whole !== undefined) {
      const made = this.#template.reply(messages, whole, reply, tools);
      if ('value' in made) return made.value;
      this.#templateFailed(call, made.failure);
    }
    const { eos } = this.#options.text.tokenizer;
    return [...this.#template.header, ...this.#template.plain(reply.content), eos];
  }

  #judgeLength(call: number, prompt: CountedPrompt, added: number, reply: ReplyTokens): void {
    if (prompt.tooLong) return; // training never gets as far as a reply
    const { limits, text } = this.#options;
    const lengths = { reply: reply.tokenIds.length, whole: prompt.tokens + added };
    const problem = replyProblem(lengths, limits, text.note.exact);
    if (problem !== undefined) this.#problems.add(call, problem);
  }

  /**
   * Upstream works the loss mask out a second time when it makes a sample, by the header of ChatML and the first end
   * token, and refuses the sample where the two masks of its last reply differ.
   */
  #judgeReply(call: number, reply: ReplyTokens, position: number): void {
    if (reply.lacksEos) this.#cutCalls.add(call);
    if (reply.repeatsHeader) this.#problems.add(call, repeatsHeader);
    if (!reply.fits) this.#problems.add(call, foreignTemplate);
    const { eos } = this.#options.text.tokenizer;
    const mask = sampleLossMask(reply.tokenIds, {
      header: this.#chatMlHeader,
      eos,
      lacksEos: reply.lacksEos,
    });
    const differs = mask.some((counts, index) => counts !== reply.lossMask[index]);
    if (differs) this.#maskProblems.set(position, reply.endsEarly ? endsEarly : foreignTemplate);
  }

  #judgeSamples(timelines: readonly TracedTimeline[], messages: readonly (readonly TracedMessage[])[]): void {
    const { limits, text } = this.#options;
    const samples = messages.map((list) => sampleOf(list, limits));
    const options = {
      exact: text.note.exact,
      trains: samples.some(({ lossMask }) => lossMask.includes(1)),
    };
    samples.forEach((sample, index) => {
      const timeline = timelines[index];
      const call = timeline?.calls.at(-1) ?? 0;
      const masked = this.#maskProblems.get(timeline?.messages.at(-1) ?? -1);
      if (masked !== undefined) this.#problems.add(call, masked);
      for (const problem of sampleProblems(sample, limits, options)) this.#problems.add(call, problem);
    });
  }

  #templateFailed(call: number, failure: string): void {
    const reason = (failure.split('\n')[0] ?? '').replace(/\.$/, '');
    const clause = `the chat template fails (${reason}); AgentJet makes no tokens of such a request in training.`;
    this.#problems.add(call, { code: 'template-failed', severity: 'error', clause });
  }
}

/** Upstream's `externally_interrupted`. */
const afterStop: CallProblem = {
  code: 'externally-interrupted',
  severity: 'warning',
  clause:
    'the episode had been told to stop, because its task needed no more episodes: training leaves it out.',
};

const afterMadness: CallProblem = {
  code: 'after-degenerate-reply',
  severity: 'warning',
  clause:
    'an earlier reply was degenerate, and training keeps nothing that begins after one (`agent_madness_termination`).',
};

function degenerate(madness: string, reward: number): CallProblem {
  return {
    code: 'degenerate-reply',
    severity: 'warning',
    clause: `the reply is degenerate: ${madness}; training gives the whole episode the reward ${reward} (\`agent_madness_reward\`).`,
  };
}

const toolWithoutParameters: CallProblem = {
  code: 'tool-without-parameters',
  severity: 'error',
  clause: 'a tool has no `function.parameters`; AgentJet refuses such a request in training.',
};

const repeatsHeader: CallProblem = {
  code: 'reply-repeats-header',
  severity: 'error',
  clause: 'what the model made begins with the header of a reply; AgentJet refuses the call in training.',
};

const endsEarly: CallProblem = {
  code: 'end-inside-reply',
  severity: 'error',
  clause: 'the reply has an end token before its end; AgentJet refuses the sample in training.',
};

const foreignTemplate: CallProblem = {
  code: 'foreign-template',
  severity: 'error',
  clause:
    'the chat template frames the reply otherwise than ChatML does; AgentJet refuses or garbles the sample in training.',
};

const endTrained: CallProblem = {
  code: 'cut-end-trained',
  severity: 'warning',
  clause:
    "the reply was cut by length, yet once its timeline is merged AgentJet counts the template's end token in the loss.",
};

function traced(
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
