/**
 * Degenerate replies, which upstream calls madness (`ajet/utils/compute_madness.py` and `detect_tool_call_madness`): its
 * detectors with its thresholds, and what is told of what they find.
 */
import { pythonBlanks, pythonStrip } from '../../base/core/pythonText.ts';

/** `ajet.rollout.…`. */
export interface MadnessOptions {
  /**
   * `compute_madness_checklist`: names of detectors, `non_ascii` being the switch that takes unusual characters out of
   * `nonsense`. A text counts for every name in it, as with Python's `in`.
   */
  readonly checklist: readonly string[] | string;
  /** `agent_madness_reward`: what every timeline of the episode gets in place of the episode's reward. */
  readonly reward: number;
  /** `agent_madness_termination`: nothing of the episode is kept that begins after the reply. */
  readonly terminates: boolean;
}

/** What a model answered with, as the wire has it. */
export interface JudgedReply {
  readonly content: string | null;
  readonly toolCalls: readonly unknown[] | null;
}

/**
 * What makes a reply degenerate, to go on from "the reply is degenerate: "; undefined for one that is not. Takes time in
 * proportion to the reply.
 */
export function madnessOf(reply: JudgedReply, checklist: MadnessOptions['checklist']): string | undefined {
  const content = reply.content ?? '';
  return (
    (checklist.includes('nonsense') ? nonsense(content, !checklist.includes('non_ascii')) : undefined) ??
    (checklist.includes('format_type_1') ? otherFormat(content) : undefined) ??
    (checklist.includes('wrong_toolcall') ? wrongToolCall(content, reply.toolCalls ?? []) : undefined)
  );
}

/** Listing `non_ascii` switches the test for unusual characters off: upstream has it the wrong way round. */
function nonsense(content: string, testsCharacters: boolean): string | undefined {
  if (content.includes('<|im_start|>')) return 'it contains `<|im_start|>`';
  const [unusual] = testsCharacters ? (unusualCharacter.exec(content) ?? []) : [];
  if (unusual !== undefined)
    return `it contains ${named(unusual)}, which \`nonsense\` takes for no usual character`;
  const word = repeated(words(content), { remembered: 5, patience: 10 });
  if (word !== undefined) return `it says the same few words over and over, ${JSON.stringify(word)} for one`;
  const character = repeated(content, { remembered: 4, patience: 200 });
  return character && `it has the same few characters over and over, ${named(character)} for one`;
}

/**
 * Beside ASCII: some typographic signs, Chinese punctuation, emoji, and CJK ideographs. One range of upstream's emoji,
 * U+24C2 to U+1F251, takes in kana, Hangul and most that lies between.
 */
const unusualCharacter = new RegExp(
  `[^\\u{0}-\\u{7F}${[
    '‘’“”–—…•™©®°±µ′″℉℃·×',
    '，。！？、；：（）【】《》「」『』',
    '\\u{1F300}-\\u{1F64F}\\u{1F680}-\\u{1F9FF}\\u{1FA00}-\\u{1FAFF}',
    '\\u{2702}-\\u{27B0}\\u{24C2}-\\u{1F251}',
    '\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2CEAF}\\u{2F800}-\\u{2FA1F}',
  ].join('')}]`,
  'u',
);

function words(text: string): readonly string[] {
  return text.split(pythonBlanks).filter((word) => word !== '');
}

/**
 * The item at which patience ends: each that is among the last few different ones costs one, each that is not brings it
 * back to the full.
 */
function repeated(
  items: Iterable<string>,
  { remembered, patience }: { readonly remembered: number; readonly patience: number },
): string | undefined {
  const last: string[] = [];
  let left = patience;
  for (const item of items) {
    if (last.includes(item)) {
      left -= 1;
      if (left === 0) return item;
      continue;
    }
    last.push(item);
    if (last.length > remembered) last.shift();
    left = patience;
  }
  return undefined;
}

/** `format_type_1`: one `<think>…</think>`, then one block of Python, and nothing else. */
function otherFormat(content: string): string | undefined {
  const wanted = '`format_type_1` wants one `<think>…</think>` and one block of Python behind it';
  if (!pythonStrip(content).startsWith('<think>')) return `it does not begin with \`<think>\`; ${wanted}`;
  if (timesIn(content, '<think>') !== 1 || timesIn(content, '</think>') !== 1) {
    return `it has not exactly one \`<think>\` and one \`</think>\`; ${wanted}`;
  }
  const end = content.indexOf('</think>') + '</think>'.length;
  const rest = content.slice(0, content.indexOf('<think>')) + content.slice(end);
  const block = pythonStrip(rest);
  const isBlock = block.startsWith('```python') && block.endsWith('```');
  if (isBlock && timesIn(rest, '```python') === 1 && timesIn(rest, '```') === 2) return undefined;
  return `what follows \`</think>\` is not one block of Python; ${wanted}`;
}

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

function wrongToolCall(content: string, toolCalls: readonly unknown[]): string | undefined {
  if (toolCalls.length === 0) {
    return content.includes('<tool_call>')
      ? 'it has a `<tool_call>` in its text that was not read as a tool call'
      : undefined;
  }
  const wrong = toolCalls.findIndex((call) => !isObject(read(argumentsOf(call))));
  return wrong === -1 ? undefined : `the arguments of its tool call ${wrong + 1} are no JSON object`;
}

function argumentsOf(call: unknown): unknown {
  if (!isObject(call)) return undefined;
  const { function: called } = call as { readonly function?: unknown };
  return isObject(called) ? (called as { readonly arguments?: unknown }).arguments : undefined;
}

/** As Python's `json.loads`, which reads `NaN` and `Infinity` too; undefined for what it refuses. */
function read(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  return (
    parsed(text) ?? parsed(text.replace(stringOrNumberWord, (part) => (part.startsWith('"') ? part : '[]')))
  );
}

const stringOrNumberWord = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `` `→` (U+2192) ``. */
function named(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `\`${character}\` (U+${code})`;
}
