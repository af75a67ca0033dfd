/**
 * Detects degenerate replies, which upstream calls madness (`ajet/utils/compute_madness.py` and
 * `detect_tool_call_madness`). It uses the detectors and thresholds of upstream.
 */
import { isRecord } from '../../base/core/isRecord.ts';
import { parseJson } from '../../base/core/parseJson.ts';
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
  /** `agent_madness_termination`: calls that start after the reply are dropped. */
  readonly terminates: boolean;
}

/** The reply of a model in the wire format. */
export interface JudgedReply {
  readonly content: string | null;
  readonly toolCalls: readonly unknown[] | null;
}

/** Returns what follows "the reply is degenerate: ". Takes time linear in the length of the reply. */
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
    return `it contains ${named(unusual)}, which \`nonsense\` does not count as a usual character`;
  const word = repeated(words(content), { remembered: 5, patience: 10 });
  if (word !== undefined) return `it repeats the same few words, such as ${JSON.stringify(word)}`;
  const character = repeated(content, { remembered: 4, patience: 200 });
  return character && `it repeats the same few characters, such as ${named(character)}`;
}

/**
 * Matches a character that is not usual. Usual are ASCII, some typographic signs, Chinese punctuation, emoji, and CJK
 * ideographs. One range of upstream's emoji, U+24C2 to U+1F251, includes kana, Hangul and most characters between
 * them.
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

/** Returns the item at which the patience reaches 0: one of the last different items costs 1, others reset it. */
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
  const wanted = '`format_type_1` requires one `<think>…</think>` and one block of Python after it';
  if (!pythonStrip(content).startsWith('<think>')) return `it does not start with \`<think>\`; ${wanted}`;
  if (timesIn(content, '<think>') !== 1 || timesIn(content, '</think>') !== 1) {
    return `it does not have exactly one \`<think>\` and one \`</think>\`; ${wanted}`;
  }
  const end = content.indexOf('</think>') + '</think>'.length;
  const rest = content.slice(0, content.indexOf('<think>')) + content.slice(end);
  const block = pythonStrip(rest);
  const isBlock = block.startsWith('```python') && block.endsWith('```');
  if (isBlock && timesIn(rest, '```python') === 1 && timesIn(rest, '```') === 2) return undefined;
  return `the text after \`</think>\` is not one block of Python; ${wanted}`;
}

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

function wrongToolCall(content: string, toolCalls: readonly unknown[]): string | undefined {
  if (toolCalls.length === 0) {
    return content.includes('<tool_call>')
      ? 'it has a `<tool_call>` in its text that was not parsed as a tool call'
      : undefined;
  }
  const wrong = toolCalls.findIndex((call) => !isRecord(read(argumentsOf(call))));
  return wrong === -1 ? undefined : `the arguments of its tool call ${wrong + 1} are not a JSON object`;
}

function argumentsOf(call: unknown): unknown {
  const called = isRecord(call) ? call['function'] : undefined;
  return isRecord(called) ? called['arguments'] : undefined;
}

/** Parses JSON like `json.loads` of Python, which also reads `NaN` and `Infinity`. Undefined if it is invalid. */
function read(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  return (
    parseJson(text) ??
    parseJson(text.replace(stringOrNumberWord, (part) => (part.startsWith('"') ? part : '[]')))
  );
}

const stringOrNumberWord = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs;

/** `` `→` (U+2192) ``. */
function named(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `\`${character}\` (U+${code})`;
}
