/** The prompts of test/tools/vectors/prompts.py, altered here as there, and what AgentJet makes of them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/base/core/canonicalJson.ts';
import type { TracedMessage } from '../../../src/tracking/core/records/trace.ts';
import { patchedPrompt, type PatchedPrompt } from '../../../src/tracking/core/enginePrompt.ts';
import { createEpisodeTracker } from '../../../src/tracking/core/episodeTracker.ts';
import { readMessages, templateMessage } from '../../../src/tracking/core/messages.ts';
import { SnapDetector } from '../../../src/tracking/core/snaps.ts';
import { TemplateTokens } from '../../../src/tracking/core/templateTokens.ts';
import { preparedTools } from '../../../src/tracking/core/toolCalls.ts';
import type { ModelText } from '../../../src/tracking/core/tokenizer.ts';
import type { EpisodeTracker } from '../../../src/tracking/core/tracker.ts';
import { traceSet, type TraceCall, type TraceSet } from '../../tools/vectors/traceSets.ts';
import { fuzz } from '../fuzz.ts';
import { loadTexts, replyOf, settings, type Texts } from './mergingResults.ts';

/** By message: null where its tokens stay; and how many had other ids. A text: the call was refused. */
type Patched = readonly [tokens: readonly (readonly number[] | null)[], otherIds: number] | string;

/** With `fix_retokenization_drift` and without, then whether the timeline snapped by each setting; null: not kept. */
type CallResult = readonly [fixed: Patched, left: Patched, snaps: readonly boolean[] | null] | null;

/** What the check of a call tells, and whether its prompt overflows; null: AgentJet refuses the call before. */
type Check = readonly [info: string, overflows: boolean] | null;

interface SetResult {
  /** By call: told to stop or not, and each of them after a degenerate reply or not. */
  readonly checks: readonly (readonly Check[])[];
  readonly prompts: readonly CallResult[];
}

const file = path.resolve(import.meta.dirname, '../../fixtures/prompts/results.jsonl.gz');
const results = gunzipSync(readFileSync(file))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as SetResult);

const { numRuns: tried } = fuzz(1, results.length);

function altered(text: string, way: number): readonly string[] {
  const parts = text.split('<|im_start|>');
  const joined = (...given: string[]): string[] => [given.join('<|im_start|>')];
  switch (way) {
    case 1:
      return text.match(/[^ ]* ?/g) ?? [];
    case 2:
      return [text.replace(' ', '  ')];
    case 3:
      return joined(...parts.slice(0, -2), ...parts.slice(-1));
    case 4:
      return joined(...parts.slice(0, -1), 'user\nhm<|im_end|>\n', ...parts.slice(-1));
    case 5:
      return [` ${text}`];
    default:
      return [text];
  }
}

function promptOf({ messages, tools }: TraceCall, set: TraceSet, { template }: ModelText): string {
  const { kept } = readMessages(messages, set.toolCallsDisabled);
  const offered = preparedTools(set.toolCallsDisabled ? null : tools);
  return template.render(kept.map(templateMessage), {
    ...(offered && { tools: offered }),
    addGenerationPrompt: true,
  });
}

function fixedAs({ tokens, problems }: PatchedPrompt): Patched {
  const refusal = problems.find(({ severity, about }) => severity === 'error' && about !== 'text');
  if (refusal !== undefined) return refusal.about === 'start' ? 'AssertionError' : 'IndexError';
  return [tokens, problems.filter(({ about }) => about === 'ids').length];
}

function leftAs({ tokens, problems }: PatchedPrompt): Patched {
  return problems.some(({ severity }) => severity === 'error') ? 'AssertionError' : [tokens, 0];
}

/** Of the calls that AgentJet kept. */
function resultsOf(number: number, text: ModelText, expected: readonly CallResult[]): readonly CallResult[] {
  const set = traceSet(number);
  const { limits, toolCallsDisabled } = set;
  const madness = { checklist: [], reward: -1, terminates: false };
  const options = { text, limits, toolCallsDisabled, fixesDrift: true, detectsSnaps: false, madness };
  const tracker = createEpisodeTracker({ ...options, merging: settings[0] ?? fail() });
  const all = new Map<number, TracedMessage>();
  const at = (position: number): TracedMessage => all.get(position) ?? fail();
  const detectors = settings.map((merging) => new SnapDetector(merging, at));
  const { header } = new TemplateTokens(text);
  let isFirst = true;
  return set.calls.map((call, index) => {
    if (expected[index] === null) return null;
    const { messages, tools } = call;
    const request = { call: index, messages, tools, startedAt: index, endedAt: index };
    const tracked = tracker.track(request, replyOf(call.reply, text));
    for (const { position, message } of tracked.added) all.set(position, message);
    const pieces = altered(promptOf(call, set, text), (number + index) % 6);
    const ids = pieces.flatMap((piece) => text.tokenizer.encode(piece));
    const patched = (fixes: boolean): PatchedPrompt =>
      patchedPrompt(ids, tracked.messages.map(at), { tokenizer: text.tokenizer, header, fixes });
    const offer = canonicalJson(preparedTools(toolCallsDisabled ? null : tools) ?? []);
    const kept = { ...tracked, call: index, agent: '', reply: tracked.reply ?? fail(), tools: offer };
    const snaps = detectors.map((detector) => detector.kept(kept) !== undefined);
    const result = [fixedAs(patched(true)), leftAs(patched(false)), isFirst ? null : snaps] as const;
    isFirst = false;
    return result;
  });
}

function checksOf(
  number: number,
  text: ModelText,
  expected: SetResult['checks'],
): readonly (readonly Check[])[] {
  const set = traceSet(number);
  const { limits, toolCallsDisabled } = set;
  const madness = { checklist: ['wrong_toolcall'], reward: -1, terminates: true };
  const options = { text, limits, toolCallsDisabled, fixesDrift: true, detectsSnaps: false, madness };
  const make = (): EpisodeTracker => createEpisodeTracker({ ...options, merging: settings[0] ?? fail() });
  const [sane, mad] = [make(), make()];
  const short = { call: -1, messages: [{ role: 'system', content: '' }], tools: null };
  const degenerate = { content: '<tool_call>', toolCalls: null, finishReason: 'stop', tokens: null };
  mad.track({ ...short, startedAt: 0, endedAt: 1 }, degenerate);
  return set.calls.map(({ messages, tools }, call) =>
    [false, true].flatMap((interrupted) =>
      [sane, mad].map((tracker, at) => {
        if (expected[call]?.[at] === null) return null;
        const check = tracker.begin({ call, messages, tools, startedAt: 2, interrupted });
        return [check.unsafe ?? 'safe', check.overflows] as const;
      }),
    ),
  );
}

function fail(): never {
  throw new Error('There is no such thing.');
}

describe("AgentJet's own tracker", () => {
  let texts: Texts;
  beforeAll(async () => {
    texts = await loadTexts();
    expect(results).toHaveLength(400);
  });

  it('checks calls as ours does, in the same order', () => {
    for (const [index, { checks }] of results.slice(0, tried).entries()) {
      const number = index + 1;
      const own = checksOf(number, texts[traceSet(number).template], checks);
      expect({ number, checks: own }).toEqual({ number, checks });
    }
  });

  it('patches prompts and finds snaps as ours does', () => {
    for (const [index, { prompts }] of results.slice(0, tried).entries()) {
      const number = index + 1;
      const own = resultsOf(number, texts[traceSet(number).template], prompts);
      expect({ number, prompts: own }).toEqual({ number, prompts });
    }
  });
});
