import { excerpt, excerptStart } from '../../base/core/commonPrefix.ts';
import type { TracedMessage } from './records/trace.ts';
import { sameItems } from './branches.ts';
import { bytesOf } from './modelTokens.ts';
import type { CallProblem } from './problems.ts';
import { textOfBytes } from './textOfBytes.ts';
import type { Tokenizer } from './tokenizer.ts';

/** What a request's messages become by the prompt that the engine says it was given. */
export interface PatchedPrompt {
  /** One per message that is left: its tokens where they are others now, else null. */
  readonly tokens: readonly (readonly number[] | null)[];
  readonly problems: readonly CallProblem[];
}

export interface PatchRules {
  readonly tokenizer: Tokenizer;
  /** What the template puts before a reply. */
  readonly header: readonly number[];
  /** `ajet.context_tracker.fix_retokenization_drift`. */
  readonly fixes: boolean;
}

const marker = '<|im_start|>';

/**
 * Upstream's patch of a request's tokens under Trinity, whose engine tells the tokens of its prompt: both are cut into
 * messages at ChatML's start, and compared in turn. With `fix_retokenization_drift`, a text that differs is to be made
 * into tokens anew, while ids that differ under the same text are told and kept; without, nothing is done. What differs
 * is told here in either case.
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
  const told = textsOf(ids, rules);
  if (told === undefined) return { tokens: messages.map(() => null), problems: [noStart] };
  const pieces = piecesOf(ids, start);
  const problems = messages.length === told.length ? [] : [otherCount(messages.length, told.length, fixes)];
  const tokens = messages.slice(0, told.length).map((message, index) => {
    const [text, own] = [told[index] ?? '', spelled(message.tokenIds, tokenizer)];
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

/** Whether the prompt is made of the messages' own tokens, each a message of its own: then nothing has to be spelled. */
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

/** The header of the reply is a piece of its own, which no message is compared with. */
function piecesOf(ids: readonly number[], start: number): readonly (readonly number[])[] {
  const pieces: number[][] = [];
  for (const id of ids) {
    if (id === start || pieces.length === 0) pieces.push([id]);
    else pieces.at(-1)?.push(id);
  }
  return pieces;
}

/** What tokens stand for, a character for each byte: a token may be a part of a character. */
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
    'the prompt that the engine was given does not begin with `<|im_start|>`; under Trinity, AgentJet refuses the call.',
};

function otherCount(own: number, told: number, fixes: boolean): CallProblem {
  const consequence =
    own < told
      ? 'under Trinity, AgentJet logs an error and compares those that it has.'
      : fixes
        ? 'under Trinity, AgentJet runs out of messages to compare, and the call fails.'
        : 'under Trinity, AgentJet leaves the rest of its own out.';
  return {
    code: 'prompt-drift',
    severity: own > told && fixes ? 'error' : 'warning',
    about: 'count',
    clause: `the prompt that the engine was given has ${told} messages, and the tracked one ${own}; ${consequence}`,
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
    ? "the tokens here are made of the engine's text, as `fix_retokenization_drift` has it; AgentJet itself puts the tokenizer's whole output in place of its ids, and under Trinity fails to make the sample."
    : 'without `fix_retokenization_drift`, training keeps its own tokens.';
  return {
    code: 'prompt-drift',
    severity: fixes ? 'error' : 'warning',
    about: 'text',
    clause: `message ${index} is ${quoted[0] ?? ''} in the prompt that the engine was given, where the template by itself writes ${quoted[1] ?? ''}; ${consequence}`,
  };
}

function otherIds(index: number, { role, tokenIds }: TracedMessage, told: Int32Array): CallProblem {
  const at = told.findIndex((id, offset) => id !== tokenIds[offset]);
  const token = at === -1 ? told.length : at;
  return {
    code: 'prompt-drift',
    severity: 'warning',
    about: 'ids',
    clause: `message ${index} (${role}) has the same text in other tokens in the prompt that the engine was given, from its token ${token} on (${told[token] ?? 'its end'}, tracked ${tokenIds[token] ?? 'its end'}); AgentJet keeps its own and at most logs it.`,
  };
}
