/** What our tracker makes of a trace set, in the form in which test/tools/vectors/merging.py writes AgentJet's. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TracedMessage } from '../../../src/tracking/core/records/trace.ts';
import { createEpisodeTracker } from '../../../src/tracking/core/episodeTracker.ts';
import { sampleOf } from '../../../src/tracking/core/samples.ts';
import type { ModelText } from '../../../src/tracking/core/tokenizer.ts';
import { createChatTemplate } from '../../../src/tracking/core/tokenizer/chatTemplate.ts';
import type { EpisodeTracker, MergeOptions, TrackerReply } from '../../../src/tracking/core/tracker.ts';
import { traceSet, type TraceCall, type TraceReply, type TraceSet } from '../../tools/vectors/traceSets.ts';
import { fixtures, loadFixture, noon } from './tokenizer/fixtures.ts';

export type Texts = Readonly<Record<TraceSet['template'], ModelText>>;

export async function loadTexts(): Promise<Texts> {
  const text = await loadFixture('byte-level');
  const templated = (name: TraceSet['template']): ModelText => {
    const source = readFileSync(path.join(fixtures, `templates/${name}.jinja`), 'utf8');
    const specialTokens = { bos_token: '<|endoftext|>', eos_token: '<|im_end|>' };
    return { ...text, template: createChatTemplate(source, { name, file: null, specialTokens, now: noon }) };
  };
  return { chatml: templated('chatml'), tools: templated('tools') };
}

export const settings: readonly MergeOptions[] = [
  { compareLevel: 'text', ignoreTools: true },
  { compareLevel: 'text', ignoreTools: false },
  { compareLevel: 'token', ignoreTools: true },
  { compareLevel: 'token', ignoreTools: false },
];

export function resultOf(number: number, texts: Texts): { calls: unknown[]; merged: unknown[] } {
  const set = traceSet(number);
  const text = remembering(texts[set.template]);
  const calls = outcomes(set, text);
  const refused = new Set(calls.flatMap(([outcome], call) => (outcome === 'refused' ? [call] : [])));
  const merged = settings.map((merging) => {
    const tracked = new Tracked(set, text, merging);
    set.calls.forEach((_, call) => {
      if (!refused.has(call) && calls[call]?.[0] !== 'overflow') tracked.call(call);
    });
    return tracked.timelines();
  });
  return { calls, merged };
}

/** Many trackers see the same calls: what the template and the tokenizer make of each is worked out once. */
function remembering({ note, tokenizer, template }: ModelText): ModelText {
  const [encoded, rendered] = [new Map<string, number[]>(), new Map<string, () => string>()];
  const encode = (text: string): number[] => {
    const ids = encoded.get(text) ?? tokenizer.encode(text);
    encoded.set(text, ids);
    return ids;
  };
  const render: ModelText['template']['render'] = (...given) => {
    const key = JSON.stringify(given);
    const known = rendered.get(key) ?? settled(() => template.render(...given));
    rendered.set(key, known);
    return known();
  };
  const { eos } = tokenizer;
  return {
    note,
    template: { render },
    tokenizer: {
      encode,
      eos,
      bytesOf: (id) => tokenizer.bytesOf(id),
      idOf: (bytes) => tokenizer.idOf(bytes),
      isSpecial: (id) => tokenizer.isSpecial(id),
    },
  };
}

function settled(work: () => string): () => string {
  try {
    const text = work();
    return () => text;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** One of a trace set's calls at a time, with its problems. */
class Tracked {
  readonly #set: TraceSet;
  readonly #text: ModelText;
  readonly #tracker: EpisodeTracker;
  readonly #messages = new Map<number, TracedMessage>();

  constructor(set: TraceSet, text: ModelText, merging: MergeOptions) {
    const { limits, toolCallsDisabled, checklist } = set;
    this.#set = set;
    this.#text = text;
    const madness = { checklist, reward: -1, terminates: true };
    const options = { text, limits, toolCallsDisabled, fixesDrift: true, detectsSnaps: false };
    this.#tracker = createEpisodeTracker({ ...options, merging, madness });
  }

  call(call: number, answered = true): number {
    const { messages, tools, reply } = this.#set.calls[call] ?? fail();
    const times = { startedAt: 10 * call, endedAt: 10 * call + 5 };
    const given = answered ? replyOf(reply, this.#text) : null;
    const tracked = this.#tracker.track({ call, messages, tools, ...times }, given);
    for (const { position, message } of tracked.added) this.#messages.set(position, message);
    return tracked.promptTokens;
  }

  timelines(): unknown[] {
    const { timelines, added, tracking } = this.#tracker.end();
    const all = new Map([...this.#messages, ...added.map((one) => [one.position, one.message] as const)]);
    return timelines.map(({ messages, calls }) => {
      const whole = messages.map((position) => all.get(position) ?? fail());
      const last = calls.at(-1) ?? fail();
      const isRefused = tracking.problems.some(
        (problem) => sampleRefusals.has(problem.code) && problem.calls?.includes(last),
      );
      const sample = sampleOf(whole, this.#set.limits);
      const { inputIds, lossMask, logprobs, promptTokens } = sample;
      return {
        messages: isRefused ? 'refused' : whole.map(messageOf),
        sample:
          isRefused || sample.refusal !== null
            ? 'refused'
            : {
                prompt: [...inputIds.subarray(0, promptTokens)],
                response: [...inputIds.subarray(promptTokens)],
                mask: [...lossMask],
                logprobs: whole64(logprobs),
                stepReward: 8 * (tracking.madnessReward ?? this.#set.reward),
              },
      };
    });
  }

  codes(): readonly string[] {
    return this.#tracker.end().tracking.problems.map(({ code }) => code);
  }
}

const sampleRefusals = new Set(['end-token-inside-reply', 'foreign-template']);
const callRefusals = new Set([
  'missing-system-message',
  'system-message-not-first',
  'tool-part-rejected',
  'tool-without-parameters',
  'template-failed',
  'reply-exceeds-turn-limit',
  'timeline-exceeds-model-len',
  'reply-repeats-header',
]);

/** Each call's, and the length of its prompt where AgentJet tells it. */
function outcomes(set: TraceSet, text: ModelText): [string, ...number[]][] {
  const list: [string, ...number[]][] = [];
  let isMad = false;
  for (const call of set.calls.keys()) {
    const alone = new Tracked(set, text, { compareLevel: 'text', ignoreTools: true });
    const tokens = alone.call(call);
    const codes = alone.codes();
    const unanswered = new Tracked(set, text, { compareLevel: 'text', ignoreTools: true });
    unanswered.call(call, false);
    if (unanswered.codes().some((code) => isRefusedAtOnce(code, set.calls[call]))) list.push(['refused']);
    else if (codes.includes('context-overflow')) list.push(['overflow']);
    else if (codes.some((code) => callRefusals.has(code) && !(isMad && whenKept.has(code))))
      list.push(['refused']);
    else {
      list.push(isMad ? ['unkept'] : ['kept', tokens]);
      isMad ||= codes.includes('degenerate-reply');
    }
  }
  return list;
}

/** What AgentJet refuses a call for only where it keeps it. */
const whenKept = new Set(['missing-system-message', 'timeline-exceeds-model-len']);

/** What AgentJet refuses a request for before it counts its tokens; a first message that it left out is missed later. */
function isRefusedAtOnce(code: string, call: TraceCall | undefined): boolean {
  if (code === 'missing-system-message') return call?.messages[0]?.role !== 'system';
  return [
    'system-message-not-first',
    'tool-part-rejected',
    'tool-without-parameters',
    'template-failed',
  ].includes(code);
}

export function replyOf(
  { content, toolCalls, pieces, ended }: TraceReply,
  { tokenizer }: ModelText,
): TrackerReply {
  const ids = [...pieces.flatMap((piece) => tokenizer.encode(piece)), ...(ended ? [tokenizer.eos] : [])];
  return {
    content,
    toolCalls,
    finishReason: ended ? 'stop' : 'length',
    tokens: ids.map((id, at) => ({ id, bytes: [], logprob: -(at % 64) / 64 })),
  };
}

function messageOf({ author, role, text, tokenIds, lossMask, logprobs }: TracedMessage): unknown[] {
  const told = logprobs ?? new Float32Array(tokenIds.length);
  return [author, role, text, [...tokenIds], [...lossMask], whole64(told)];
}

function whole64(logprobs: Float32Array): number[] {
  return Array.from(logprobs, (value) => (Number.isNaN(value) || value === 0 ? 0 : Math.round(-64 * value)));
}

function fail(): never {
  throw new Error('no such message or call');
}
