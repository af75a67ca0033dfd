import type { TracedMessage, TracedTimeline } from './records/trace.ts';
import { packAlternatives } from './alternatives.ts';
import {
  droppedLogprobs,
  endsEarly,
  endTrained,
  foreignTemplate,
  repeatsHeader,
  afterMadness,
  afterStop,
  degenerate,
} from './callProblems.ts';
import { DriftDetector } from './drift.ts';
import { patchedPrompt, type PatchedPrompt } from './enginePrompt.ts';
import { explainMerging, type ExplainableCall } from './explainMerging.ts';
import { replyProblem, sampleProblems } from './lengths.ts';
import { sampleLossMask, replyTokens, type ReplyTokens } from './replyTokens.ts';
import { mergeCalls, type MergeSettings, withTokens } from './mergeCalls.ts';
import { mergeProblems } from './mergeProblems.ts';
import { templateMessage } from './messages.ts';
import {
  MessageTable,
  tracedMessage,
  RequestTokens,
  type CountedPrompt,
  type ReadRequest,
  type Templatable,
} from './requestTokens.ts';
import { Problems, type CallProblem } from './problems.ts';
import { count, sampleOf, type TrainingSample } from './samples.ts';
import { SnapDetector, type TrainedCall } from './snaps.ts';
import type {
  BegunRequest,
  ContextCheck,
  EpisodeTracker,
  TrackedCall,
  TrackedEpisode,
  TrackerOptions,
  TrackerReply,
  TrackerRequest,
  UnsafeReason,
} from './tracker.ts';
import { madnessOf, type MadnessOptions } from './madness.ts';

/** Decides which calls of an episode training keeps, like AgentJet at the start of each call. */
class CallFilter {
  readonly #madness: MadnessOptions;
  readonly #report: (call: number, problem: CallProblem) => void;
  /** The end of the first degenerate reply, in milliseconds. */
  #madFrom: number | undefined;

  constructor(madness: MadnessOptions, report: (call: number, problem: CallProblem) => void) {
    this.#madness = madness;
    this.#report = report;
  }

  /** The reward of an episode with a degenerate reply. Undefined: it has none. */
  get madnessReward(): number | undefined {
    return this.#madFrom === undefined ? undefined : this.#madness.reward;
  }

  restart(): void {
    this.#madFrom = undefined;
  }

  /** Drops it if the episode was requested to stop, an earlier reply was degenerate, or the prompt is too long. */
  check({ startedAt, interrupted }: BegunRequest, overflows: boolean): ContextCheck {
    const isMad = this.#madness.terminates && this.#madFrom !== undefined && startedAt >= this.#madFrom;
    if (interrupted === true) return { unsafe: 'externally_interrupted', overflows };
    if (isMad) return { unsafe: 'already_mad', overflows };
    return { unsafe: overflows ? 'token_overflow' : null, overflows };
  }

  /** Returns whether training keeps an answered call. Checks every reply for degeneration, like AgentJet. */
  keeps({ call, endedAt }: TrackerRequest, { unsafe }: ContextCheck, reply: TrackerReply): boolean {
    const { checklist, reward } = this.#madness;
    const notKept = unsafe === null ? undefined : notKeptFor[unsafe];
    if (notKept !== undefined) this.#report(call, notKept);
    const madness = this.#madFrom === undefined ? madnessOf(reply, checklist) : undefined;
    if (madness !== undefined) {
      this.#madFrom = endedAt;
      this.#report(call, degenerate(madness, reward));
    }
    return unsafe === null;
  }
}

/** The problems of dropped calls. An overflow was already reported at the start of the call. */
const notKeptFor: Readonly<Record<UnsafeReason, CallProblem | undefined>> = {
  externally_interrupted: afterStop,
  already_mad: afterMadness,
  token_overflow: undefined,
};

/** Merges calls like the tracker of AgentJet. A rejected call becomes the closest valid timeline, for the viewer. */
export function createEpisodeTracker(options: TrackerOptions): EpisodeTracker {
  return new Tracker(options);
}

/** The state of a call between its start and its end. */
interface BegunCall {
  readonly read: ReadRequest;
  readonly messages: readonly number[];
  readonly prompt: CountedPrompt;
  readonly check: ContextCheck;
}

class Tracker implements EpisodeTracker {
  readonly #options: TrackerOptions;
  readonly #table = new MessageTable();
  readonly #problems: Problems;
  readonly #requests: RequestTokens;
  readonly #kept: CallFilter;
  readonly #drift: DriftDetector;
  readonly #snaps: SnapDetector;
  /** The reply header of ChatML, which AgentJet assumes for every template. */
  readonly #chatMlHeader: readonly number[];
  readonly #calls: ExplainableCall[] = [];
  readonly #cutCalls = new Set<number>();
  /** The reason why AgentJet rejects a timeline, by the position of its last reply. */
  readonly #maskProblems = new Map<number, CallProblem>();
  readonly #begun = new Map<number, BegunCall>();

  constructor(options: TrackerOptions) {
    const { tokenizer } = options.text;
    this.#problems = new Problems(options.suppressedFindings);
    const report = (call: number, problem: CallProblem): void => this.#problems.add(call, problem);
    this.#options = options;
    this.#requests = new RequestTokens(options, this.#table, report);
    this.#kept = new CallFilter(options.madness, report);
    const at = (position: number): TracedMessage => this.#table.at(position);
    this.#drift = new DriftDetector(tokenizer, at);
    this.#snaps = new SnapDetector(options.merging, at);
    this.#chatMlHeader = tokenizer.encode('<|im_start|>assistant\n');
  }

  begin(request: BegunRequest): ContextCheck {
    const begun = this.#begin(request);
    this.#begun.set(request.call, begun);
    return begun.check;
  }

  track(request: TrackerRequest, reply: TrackerReply | null): TrackedCall {
    const { call, agent = '' } = request;
    const begun = this.#begun.get(call) ?? this.#begin(request);
    this.#begun.delete(call);
    const { read, messages, prompt, check } = begun;
    if (check.overflows) return this.#overflowed(begun, reply);
    this.#judgeDrift(call, messages);
    const answer = reply === null ? null : this.#answer(read, prompt, reply);
    const position = answer?.position ?? null;
    if (position !== null) this.#drift.answered(call, position);
    const isKept = reply === null || this.#kept.keeps(request, check, reply);
    const { messages: patched, ...others } = isKept ? this.#patched(call, messages, reply) : { messages };
    const tracked = { call, agent, messages: patched, tools: this.#requests.offerKey(read) };
    this.#calls.push({ ...tracked, reply: isKept ? position : null });
    if (isKept && position !== null) this.#judgeSnap({ ...tracked, reply: position });
    return {
      messages: patched,
      ...others,
      ...(read.excluded.length > 0 && { leftOut: read.excluded }),
      reply: position,
      promptTokens: prompt.tokens,
      replyTokens: answer?.made ?? 0,
      added: this.#table.takeAdded(),
    };
  }

  restart(): void {
    this.#calls.length = 0;
    this.#drift.restart();
    this.#snaps.restart();
    this.#kept.restart();
    this.#begun.clear();
    this.#problems.clear();
  }

  end(): TrackedEpisode {
    const settings = this.#mergeSettings();
    const merged = mergeCalls(this.#calls, this.#table.all, settings);
    const timelines = withTokens(merged, this.#table.all);
    if (timelines.length > 1) this.#explain(settings, timelines);
    for (const call of merged.maskedAnew) {
      if (this.#cutCalls.has(call)) this.#problems.add(call, endTrained);
    }
    const made = new Map(merged.added.map(({ position, message }) => [position, message]));
    const samples = timelines.map((timeline) =>
      sampleOf(
        timeline.messages.map((position) => made.get(position) ?? this.#table.at(position)),
        this.#options.limits,
      ),
    );
    this.#judgeSamples(timelines, samples);
    const { madnessReward } = this.#kept;
    const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
    return {
      timelines,
      added: merged.added,
      samples,
      tracking: {
        timelines: timelines.length,
        tokens: sum(timelines.map(({ tokens }) => tokens)),
        trainableTokens: sum(timelines.map(({ trainableTokens }) => trainableTokens)),
        ...(madnessReward !== undefined && { madnessReward }),
        problems: [...this.#problems.list()],
      },
    };
  }

  #begin(request: BegunRequest): BegunCall {
    const read = this.#requests.read(request);
    const messages = this.#requests.positions(read);
    const prompt = this.#requests.prompt(read, messages);
    return { read, messages, prompt, check: this.#kept.check(request, prompt.overflows) };
  }

  /** Adds a call whose prompt overflows. AgentJet neither checks nor records it; the canned reply is only shown. */
  #overflowed({ messages, prompt }: BegunCall, reply: TrackerReply | null): TrackedCall {
    const canned = { role: 'assistant', text: reply?.content ?? '', toolCalls: null, toolCallId: null };
    const position =
      reply && this.#table.put(tracedMessage(canned, 'llm(do_not_train)', [], null, new Uint8Array()));
    const added = this.#table.takeAdded();
    return { messages, reply: position, promptTokens: prompt.tokens, replyTokens: 0, added };
  }

  /** Replaces the tokens of the request's messages by the prompt ids of the engine, if the tokenizer is exact. */
  #patched(
    call: number,
    messages: readonly number[],
    reply: TrackerReply | null,
  ): Pick<TrackedCall, 'messages' | 'otherMessages'> {
    const { text, fixesDrift } = this.#options;
    const ids = reply?.promptIds ?? [];
    if (ids.length === 0 || !text.note.exact) return { messages };
    const own = messages.map((position) => this.#table.at(position));
    const { tokenizer } = text;
    const patchedBy = (fixes: boolean): PatchedPrompt =>
      patchedPrompt(ids, own, { tokenizer, header: this.#requests.header, fixes });
    const placed = ({ tokens }: PatchedPrompt): readonly number[] =>
      tokens.map((one, index) => this.#withTokens(messages[index] ?? 0, one));
    const patched = patchedBy(fixesDrift);
    for (const problem of patched.problems) this.#problems.add(call, problem);
    // The two settings give different tokens only for texts that differ.
    const differs = patched.problems.some(({ about }) => about === 'text');
    return { messages: placed(patched), ...(differs && { otherMessages: placed(patchedBy(!fixesDrift)) }) };
  }

  #withTokens(position: number, tokens: readonly number[] | null): number {
    if (tokens === null) return position;
    const tokenIds = Int32Array.from(tokens);
    const lossMask = new Uint8Array(tokenIds.length);
    return this.#table.put({ ...this.#table.at(position), tokenIds, lossMask });
  }

  #judgeSnap(call: TrainedCall): void {
    const problem = this.#options.detectsSnaps ? this.#snaps.kept(call) : undefined;
    if (problem !== undefined) this.#problems.add(call.call, problem);
  }

  /** Reports retokenization drift. An approximate tokenizer cannot show it, since its ids are not those of the model. */
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
    };
  }

  #explain(settings: MergeSettings, timelines: readonly TracedTimeline[]): void {
    const explanation = explainMerging(this.#calls, this.#table.all, settings, timelines);
    for (const { call, problem } of mergeProblems(explanation, settings)) this.#problems.add(call, problem);
  }

  #answer(
    request: Templatable,
    prompt: CountedPrompt,
    reply: TrackerReply,
  ): { readonly position: number; readonly made: number } {
    const toolCalls = reply.toolCalls?.length ? reply.toolCalls : null;
    const message = { role: 'assistant', text: reply.content ?? '', toolCalls, toolCallId: null };
    const container = this.#requests.container(request, prompt, templateMessage(message));
    const tokens = replyTokens(container, this.#requests.header, reply, this.#options.text);
    this.#judgeLength(request.call, prompt, container.length, tokens);
    const logprobs = tokens.logprobs && Float32Array.from(tokens.logprobs, (logprob) => logprob ?? NaN);
    const lossMask = Uint8Array.from(tokens.lossMask);
    const alternatives = tokens.alternatives === null ? undefined : packAlternatives(tokens.alternatives);
    const position = this.#table.put({
      ...tracedMessage(message, 'llm', tokens.tokenIds, logprobs, lossMask),
      ...(alternatives && { alternatives }),
    });
    this.#judgeReply(request.call, tokens, position);
    return { position, made: count(lossMask) };
  }

  #judgeLength(call: number, prompt: CountedPrompt, added: number, reply: ReplyTokens): void {
    if (prompt.isNear) return; // already reported
    const { limits, text } = this.#options;
    const lengths = { reply: reply.tokenIds.length, whole: prompt.tokens + added };
    const problem = replyProblem(lengths, limits, text.note.exact);
    if (problem !== undefined) this.#problems.add(call, problem);
  }

  /** Compares with AgentJet's second mask, by the ChatML header and the first end token: a last reply must have it. */
  #judgeReply(call: number, reply: ReplyTokens, position: number): void {
    if (reply.lacksEos) this.#cutCalls.add(call);
    if (reply.repeatsHeader) this.#problems.add(call, repeatsHeader);
    if (reply.dropsLogprobs) this.#problems.add(call, droppedLogprobs);
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

  #judgeSamples(timelines: readonly TracedTimeline[], samples: readonly TrainingSample[]): void {
    const { limits, text } = this.#options;
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
}
