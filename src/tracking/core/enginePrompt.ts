import { excerpt, excerptStart } from '../../base/core/commonPrefix.ts';
import type { TracedMessage } from './records/trace.ts';
import { sameItems } from './branches.ts';
import { bytesOf } from './replyTokens.ts';
import type { CallProblem } from './problems.ts';
import { textOfBytes } from './textOfBytes.ts';
import type { Tokenizer } from './tokenizer.ts';

/** The messages of a request after the comparison with the prompt that the engine reports. */
export interface PatchedPrompt {
  /** One per message that is left: its tokens where they are others now, else null. */
  readonly tokens: readonly (readonly number[] | null)[];
  readonly problems: readonly CallProblem[];
}

export interface PatchRules {
  readonly tokenizer: Tokenizer;
  /** The tokens that the template adds before a reply. */
  readonly header: readonly number[];
  /** `ajet.context_tracker.fix_retokenization_drift`. */
  readonly fixes: boolean;
}

const marker = '<|im_start|>';

/**
 * Applies upstream's patch of the tokens of a request under Trinity, whose engine reports the tokens of its prompt.
 * Both token lists are split into messages at the ChatML start token and compared in order. With
 * `fix_retokenization_drift`, a different text is tokenized again. Different ids of the same text are logged and
 * kept. Without it, nothing changes. Differences are reported in both cases.
 *
 * @param ids of the whole prompt, with the header of the reply
 */
export function patchedPrompt(
  ids: readonly number[],
  messages: readonly TracedMessage[],
  rules: PatchRules,
): PatchedPrompt {
  const { tokenizer, fixes } = rules;
  const [start = -1] = tokenizer.encode(marker);
  if (isTracked(ids, messages, { start, header: rules.header })) {
    return { tokens: messages.map(() => null), problems: [] };
  }
  const engine = textsOf(ids, rules);
  if (engine === undefined) return { tokens: messages.map(() => null), problems: [noStart] };
  const pieces = piecesOf(ids, start);
  const problems =
    messages.length === engine.length ? [] : [otherCount(messages.length, engine.length, fixes)];
  const tokens = messages.slice(0, engine.length).map((message, index) => {
    const [text, own] = [engine[index] ?? '', spelled(message.tokenIds, tokenizer)];
    const piece = Int32Array.from(pieces[index] ?? []);
    if (text === own) {
      if (!sameItems(piece, message.tokenIds)) problems.push(otherIds(index, message, piece));
      return null;
    }
    problems.push(otherText(index, { before: written(own), now: written(text) }, fixes));
    return fixes ? tokenizer.encode(written(text)) : null;
  });
  return { tokens, problems };
}

/** Returns true if the prompt is the messages' own pieces. Then no text must be decoded. */
function isTracked(
  ids: readonly number[],
  messages: readonly TracedMessage[],
  { start, header }: { readonly start: number; readonly header: readonly number[] },
): boolean {
  let at = 0;
  for (const { tokenIds } of messages) {
    if (tokenIds[0] !== start || tokenIds.includes(start, 1)) return false;
    for (const id of tokenIds) if (ids[at++] !== id) return false;
  }
  const rest = ids.length - at;
  return rest === 0 || (rest === header.length && header.every((id, offset) => ids[at + offset] === id));
}

/** By message, the last without the header of the reply; undefined: the prompt does not begin as ChatML's do. */
function textsOf(ids: readonly number[], { tokenizer, header }: PatchRules): readonly string[] | undefined {
  const [whole, end] = [spelled(ids, tokenizer), spelled(header, tokenizer)];
  const text = whole.endsWith(end) ? whole.slice(0, whole.length - end.length) : whole;
  const [before, ...texts] = text.split(marker);
  return before === '' ? texts.map((one) => marker + one) : undefined;
}

/** Splits ids into pieces at the start token. The header of the reply is a separate piece that is not compared. */
function piecesOf(ids: readonly number[], start: number): readonly (readonly number[])[] {
  const pieces: number[][] = [];
  for (const id of ids) {
    if (id === start || pieces.length === 0) pieces.push([id]);
    else pieces.at(-1)?.push(id);
  }
  return pieces;
}

/** Returns the bytes of tokens, one character per byte, because a token can be a part of a character. */
function spelled(ids: ArrayLike<number>, tokenizer: Tokenizer): string {
  return Array.from(bytesOf(Array.from(ids), tokenizer), (byte) => String.fromCharCode(byte)).join('');
}

/** The text of what is spelled so; what is no text stays as it is. */
function written(bytes: string): string {
  return textOfBytes(Uint8Array.from(bytes, (one) => one.charCodeAt(0))) ?? bytes;
}

const noStart: CallProblem = {
  code: 'prompt-drift',
  severity: 'error',
  about: 'start',
  clause:
    'the prompt of the engine does not start with `<|im_start|>`. Under Trinity, AgentJet rejects the call.',
};

function otherCount(own: number, engine: number, fixes: boolean): CallProblem {
  const consequence =
    own < engine
      ? 'Under Trinity, AgentJet logs an error and compares the messages that it has.'
      : fixes
        ? 'Under Trinity, AgentJet has no more messages to compare, and the call fails.'
        : 'Under Trinity, AgentJet drops its remaining messages.';
  return {
    code: 'prompt-drift',
    severity: own > engine && fixes ? 'error' : 'warning',
    about: 'count',
    clause: `the prompt of the engine has ${engine} messages, but the tracked one has ${own}. ${consequence}`,
  };
}

function otherText(
  index: number,
  { before, now }: { readonly before: string; readonly now: string },
  fixes: boolean,
): CallProblem {
  const start = excerptStart(before, now);
  const quoted = [now, before].map((text) => JSON.stringify(excerpt(text, start)));
  const consequence = fixes
    ? 'The tokens here are those of the text of the engine (`fix_retokenization_drift`). AgentJet replaces its ids with the whole output of the tokenizer, and under Trinity the sample fails.'
    : 'Without `fix_retokenization_drift`, training keeps its own tokens.';
  return {
    code: 'prompt-drift',
    severity: fixes ? 'error' : 'warning',
    about: 'text',
    clause: `message ${index} is ${quoted[0] ?? ''} in the prompt of the engine, but ${quoted[1] ?? ''} in the output of the template. ${consequence}`,
  };
}

function otherIds(index: number, { role, tokenIds }: TracedMessage, engine: Int32Array): CallProblem {
  const at = engine.findIndex((id, offset) => id !== tokenIds[offset]);
  const token = at === -1 ? engine.length : at;
  return {
    code: 'prompt-drift',
    severity: 'warning',
    about: 'ids',
    clause: `message ${index} (${role}) has the same text with other tokens in the prompt of the engine, from its token ${token} on (${engine[token] ?? 'its end'}, tracked ${tokenIds[token] ?? 'its end'}). AgentJet keeps its own tokens and at most logs the difference.`,
  };
}
