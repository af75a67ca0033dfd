/**
 * Imports `.json.log` files of beast-logger as AgentJet writes them: a line of the logger, then a line with a JSON
 * object, which may be compressed. Nested records of the module `rollout` have the tokens of an episode's timelines.
 * Other records have none.
 */
import * as z from 'zod/mini';
import { isRecord } from '../../../base/core/isRecord.ts';
import { shallowJson } from '../shallowJson.ts';
import { hashText } from '../../../base/core/random.ts';
import { numberOf, textOf } from './chat.ts';
import { linesOf } from './eachValue.ts';
import type {
  EpisodePart,
  ImportedMessage,
  Importer,
  ImportSink,
  ImportSource,
  TimelinePart,
} from './parts.ts';
import { validationGroup, Validations } from './validations.ts';
import { writtenReply } from '../writtenReply.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

const strings = z.array(z.string());
const content = z.object({
  text: strings,
  title: z.optional(strings),
  count: z.array(z.union([z.string(), z.number()])),
  color: z.optional(strings),
});
const item = z.object({
  content,
  raw_reward: z.optional(z.union([z.string(), z.number()])),
  outcome: z.optional(z.union([z.string(), z.number()])),
});
type Item = z.infer<typeof item>;

const header = /\|\s*(INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL)\s*\|/;

export function isBeastHeader(line: string): boolean {
  return header.test(line) && !line.trimStart().startsWith('{');
}

export const beastLog: Importer = {
  label: 'AgentJet .json.log',
  rollouts: true,
  ownTaskIds: true,
  run: async (source, sink) => {
    let at = 0;
    let head = '';
    let rest: string[] = [];
    let episode = 0;
    const recent = new RecentRecords();
    const validations = new Validations(sink);
    const end = (): void => {
      const text = rest.join('\n').trim();
      rest = [];
      if (at === 0 || text === '') return;
      // If a module is registered twice, two threads write every record twice within the same millisecond.
      if (!recent.add(`${head}\n${text}`)) return;
      const taking = { source, sink, validations, time: timeOf(head), episode: String(episode) };
      if (takeRecord(`line ${at + 1}`, text, taking)) episode += 1;
    };
    for await (const { line, text } of linesOf(source.pieces())) {
      if (text === null) sink.skip(`line ${line}`, 'it is too long');
      else if (isBeastHeader(text)) {
        end();
        [at, head] = [line, text];
      } else rest.push(text);
    }
    end();
  },
};

/** The maximum number of characters of records that are remembered. */
const mostRemembered = 2 ** 25;

class RecentRecords {
  readonly #records = new Set<string>();
  #length = 0;

  /** Remembers a record. Returns whether it differs from the most recent ones. */
  add(record: string): boolean {
    if (this.#records.has(record)) return false;
    this.#records.add(record);
    this.#length += record.length;
    for (const oldest of this.#records) {
      if (this.#length <= mostRemembered) break;
      this.#records.delete(oldest);
      this.#length -= oldest.length;
    }
    return true;
  }
}

interface RecordContext {
  readonly source: ImportSource;
  readonly sink: ImportSink;
  readonly validations: Validations;
  readonly time: number | undefined;
  readonly episode: string;
}

/** The maximum size of an inflated record, in bytes. */
const largestRecord = 2 ** 28;

/** Imports a record. Returns whether it is a new episode. */
function takeRecord(
  where: string,
  text: string,
  { source, sink, validations, time, episode }: RecordContext,
): boolean {
  const json = plainText(text, source);
  const value = json === undefined ? undefined : shallowJson(json);
  if (!isRecord(value)) {
    sink.skip(where, 'it is not a JSON object');
    return false;
  }
  const nested = value['nested_json'];
  if (!isRecord(nested)) return false; // plain texts for people
  const items = Object.entries(nested).flatMap(([key, one]) => {
    const read = item.safeParse(one);
    if (!read.success) sink.skip(where, `its item ${key} has no list of tokens`);
    return read.success ? [[key, read.data] as const] : [];
  });
  const [first] = items;
  if (first === undefined) return false;
  const timelines = items.map(([, { content }]) => tokensOf(content));
  const parts = timelines.map((tokens): TimelinePart => ({ kind: 'timeline', messages: messagesOf(tokens) }));
  const title = titleOf(textOf(value['header']) ?? '', first[0]);
  const { task, step } = title;
  const query = (place: string): string => queryOf(title, place, parts[0]?.messages ?? []);
  const hash = hashText([task, ...timelines.map((tokens) => tokens.map(({ id }) => id).join())].join('\n'));
  const copied = step === undefined ? undefined : validations.withStep(step, hash);
  if (step !== undefined && copied !== undefined) {
    sink.add(copied, [{ kind: 'facts', group: validationGroup(step, task), query: query(`[val ${step}] `) }]);
    return false;
  }
  if (step === undefined) validations.withoutStep({ name: episode, task, hash });
  const facts: EpisodePart = {
    ...{ kind: 'facts', task },
    ...(step === undefined
      ? { group: null, query: query('') }
      : { group: `${step}/${task}`, query: query(`[${step}] `) }),
    ...(time !== undefined && { endedAt: time }),
    ...outcomeOf(first[1]),
  };
  sink.add(episode, [facts, ...parts, ...timelines.map(textsOf)]);
  return true;
}

interface Title {
  readonly whole: string;
  readonly task: string;
  readonly step: number | undefined;
}

/**
 * Parses `[STEP] Task ID (Reward …)`. The step is a number or `NA`. A task appears again in each epoch. Its episodes
 * in one step form a group, whose rewards training compares.
 *
 * @param key the key of a timeline, `ID.OUTCOME.INDEX`
 */
function titleOf(whole: string, key: string): Title {
  const step = /^\[(\d+)\]/.exec(whole)?.[1];
  return {
    whole,
    task: /\bTask (.*) \(Reward/.exec(whole)?.[1] ?? key.split('.')[0] ?? '',
    step: step === undefined ? undefined : Number(step),
  };
}

/** @param place the step of the training */
function queryOf({ whole }: Title, place: string, messages: readonly ImportedMessage[]): string {
  const answered = messages.findIndex(({ fromModel }) => fromModel === true);
  const before = answered < 0 ? messages : messages.slice(0, answered);
  const asked = before.findLast(({ role }) => role === 'user')?.text;
  return asked === undefined ? whole : `${place}${asked}`;
}

function plainText(text: string, source: ImportSource): string | undefined {
  if (!text.startsWith('base64:')) return text;
  try {
    return utf8.decode(source.inflate(source.fromBase64(text.slice(7)), largestRecord));
  } catch {
    return undefined; // the caller reports the line
  }
}

function outcomeOf({ raw_reward: reward, outcome }: Item): {
  readonly reward?: number;
  readonly isSuccess?: boolean;
} {
  const [given, success] = [Number(reward ?? NaN), Number(outcome ?? NaN)];
  return {
    ...(Number.isFinite(given) && { reward: given }),
    ...(Number.isFinite(success) && { isSuccess: success >= 1 }),
  };
}

interface LogToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number | null;
  readonly counts: 0 | 1;
}

function tokensOf({ text: texts, title = [], count, color = [] }: Item['content']): readonly LogToken[] {
  return count
    .map((id, index): LogToken => {
      return {
        id: Number(id),
        text: texts[index] ?? '',
        logprob: numberOf(Number(title[index] ?? NaN)) ?? null,
        counts: isLossColour(color[index] ?? '') ? 1 : 0,
      };
    })
    .filter(({ id }) => Number.isSafeInteger(id));
}

/** Returns the texts of tokens. A token that is only part of a character has no text. */
function textsOf(tokens: readonly LogToken[]): EpisodePart {
  return {
    kind: 'tokens',
    tokens: tokens.map(({ id, text }) => ({ id, text, special: /^<\|.*\|>$/.test(text) })),
  };
}

/** Returns whether a color marks a token in the loss: those are blue, others orange. Intensity is the probability. */
export function isLossColour(colour: string): boolean {
  const found = /^#([0-9a-f]{2})[0-9a-f]{2}([0-9a-f]{2})$/i.exec(colour);
  return found !== null && Number.parseInt(found[2] ?? '', 16) > Number.parseInt(found[1] ?? '', 16);
}

const [startOfMessage, endOfMessage] = ['<|im_start|>', '<|im_end|>'];

/** A message ends with its end token and a line break. With other templates, it ends where the loss mask changes. */
function messagesOf(tokens: readonly LogToken[]): readonly ImportedMessage[] {
  const begins = tokens.some(({ text }) => text === startOfMessage) ? endedBefore : isAnothers;
  const messages: LogToken[][] = [];
  tokens.forEach((token, index) => {
    if (index === 0 || begins(tokens, index)) messages.push([]);
    messages.at(-1)?.push(token);
  });
  return messages.map(messageOf);
}

function endedBefore(tokens: readonly LogToken[], index: number): boolean {
  const [last, before] = [tokens[index - 1]?.text, tokens[index - 2]?.text];
  return (
    (last === endOfMessage && tokens[index]?.text !== '\n') || (last === '\n' && before === endOfMessage)
  );
}

function isAnothers(tokens: readonly LogToken[], index: number): boolean {
  return tokens[index - 1]?.counts !== tokens[index]?.counts;
}

const ending = /(?:<\|[^<>]*\|>|<\/s>|<end_of_turn>|<eos>)\n?$/;

function messageOf(tokens: readonly LogToken[], place: number): ImportedMessage {
  const from = tokens.findIndex(({ counts }) => counts === 1);
  const textFrom = (start: number): string =>
    tokens
      .slice(start)
      .map(({ text }) => text)
      .join('');
  const whole = textFrom(0);
  const [, role, text = whole] = /^<\|im_start\|>(\w+)\n([\s\S]*?)(?:<\|im_end\|>\n?)?$/.exec(whole) ?? [];
  const logprobs = tokens.map(({ logprob, counts }) => (counts === 1 ? logprob : null));
  return {
    role: role ?? (from >= 0 ? 'assistant' : place === 0 ? 'prompt' : 'environment'),
    // Templates write the beginning of a reply. The model does not generate it.
    ...(from < 0 ? { text, toolCalls: null } : writtenReply(textFrom(from).replace(ending, ''), place)),
    toolCallId: null,
    fromModel: from >= 0,
    tokens: {
      ids: tokens.map(({ id }) => id),
      lossMask: tokens.map(({ counts }) => counts),
      logprobs: logprobs.every((one) => one === null) ? null : logprobs,
    },
  };
}

/** Parses the time of a logger's line, in the local time zone. */
function timeOf(line: string): number | undefined {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)/.exec(line) ?? [];
  const moment = Date.parse(`${day}T${time}`);
  return Number.isNaN(moment) ? undefined : moment;
}
