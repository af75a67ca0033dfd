/**
 * Imports databases of Trinity-RFT's experiences, such as `experiences.db` of `trinity debug` and
 * `explorer_output.db`. Their `experience_bytes` are pickles. Up to version 0.5 these contain everything; later
 * versions store tensors separately. Pickles are read as data and never executed. Fields with other contents are
 * reported and skipped.
 */
import { quoted } from '../sql.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { chatMessages, numberOf, textOf, withAuthor, numbersIn } from './chat.ts';
import { fieldsOf, isKind, PickleRefusal, readPickle, type Pickled } from './pickle.ts';
import { pickledTensor, plainData, safeTensors } from './pickledData.ts';
import { moment } from './openAi.ts';
import type {
  EpisodePart,
  FactsPart,
  ImportDatabase,
  ImportedMessage,
  ImportedTokens,
  Importer,
  TimelinePart,
} from './parts.ts';
import { eachValue } from './eachValue.ts';

export const trinityLines: Importer = {
  label: 'Trinity-RFT experiences in JSON',
  rollouts: true,
  run: async (source, sink) => {
    for await (const { where, value } of eachValue(source, ['', '*'], sink)) {
      if (!isTrinityExperience(value)) {
        sink.skip(where, value === undefined ? 'it is not JSON' : 'it is not an experience of Trinity-RFT');
        continue;
      }
      const { batch, task, run } = value.eid;
      // A pair has two replies. The trace shows the one that training prefers.
      const fields = { ...value, messages: value['messages'] ?? value['chosen_messages'] };
      const group = [batch, task].map(plainText).filter(Boolean).join('/');
      const parts = experienceParts(
        { value: (name) => (fields as Fields)[name] ?? undefined, numbers: () => undefined },
        { task: group, reward: numberOf(value['reward']) },
      );
      sink.add(`${group}/${plainText(run)}`, parts);
    }
  },
};

type Fields = Readonly<Record<string, unknown>>;

export function isTrinityExperience(value: unknown): value is Fields & { readonly eid: Fields } {
  if (!isRecord(value) || !isRecord(value['eid'])) return false;
  const { eid } = value;
  return 'prompt_length' in value && ['batch', 'task', 'run', 'step'].every((name) => name in eid);
}

export const trinityDatabase: Importer = {
  label: 'Trinity-RFT experiences',
  rollouts: true,
  run: ({ database }, sink) => {
    for (const { name, rows } of database === null ? [] : tablesOf(database)) {
      for (const row of database?.rows(rows) ?? []) {
        const where = `row ${plainText(row['id'])} of ${name}`;
        const read = new ExperienceReader((why) => sink.skip(where, why));
        const parts = read.parts(row);
        sink.add(`${name} ${read.batch}/${plainText(row['task_id'])}/${plainText(row['run_id'])}`, parts);
      }
    }
    return Promise.resolve();
  },
};

export function isTrinityTable(database: ImportDatabase): boolean {
  return tablesOf(database).length > 0;
}

interface ExperienceTable {
  readonly name: string;
  readonly rows: string;
}

/** Up to version 0.5 the rows contain the experiences; later a second table does. */
function tablesOf(database: ImportDatabase): readonly ExperienceTable[] {
  const found = [...database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")];
  const names = found.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  return names.flatMap((name): ExperienceTable[] => {
    const columns = [...database.rows(`PRAGMA table_info(${quoted(name)})`)].map((column) => column['name']);
    if (!['id', 'task_id', 'run_id', 'msg_id', 'reward'].every((column) => columns.includes(column)))
      return [];
    const table = quoted(name);
    if (columns.includes('experience_bytes')) return [{ name, rows: `SELECT * FROM ${table} ORDER BY id` }];
    const beside = quoted(`${name}_blob`);
    if (!names.includes(`${name}_blob`)) return [];
    const rows = `SELECT a.*, b.experience_bytes FROM ${table} a LEFT JOIN ${beside} b USING (id) ORDER BY a.id`;
    return [{ name, rows }];
  });
}

function plainText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

interface ExperienceFields {
  value(name: string): unknown;
  numbers(name: string): readonly number[] | undefined;
}

class ExperienceReader {
  readonly #skip: (why: string) => void;
  batch = '';

  constructor(skip: (why: string) => void) {
    this.#skip = skip;
  }

  parts(row: Fields): readonly EpisodePart[] {
    const fields = this.#fields(row['experience_bytes']);
    const eid = fields?.value('eid');
    if (isRecord(eid)) this.batch = plainText(eid['batch']);
    const task = plainText(row['task_id']);
    const created =
      typeof row['timestamp'] === 'string' ? moment(`${row['timestamp'].replace(' ', 'T')}Z`) : undefined;
    return experienceParts(fields, {
      task: this.batch === '' ? task : `${this.batch}/${task}`,
      ...(created !== undefined && { endedAt: created }),
      reward: numberOf(row['reward']) ?? numberOf(fields?.value('reward')),
    });
  }

  #fields(bytes: unknown): ExperienceFields | undefined {
    if (!(bytes instanceof Uint8Array)) {
      this.#skip('it has no experience');
      return undefined;
    }
    const read = (): ExperienceFields => (isBatched(bytes) ? this.#batched(bytes) : this.#pickled(bytes));
    return this.#try('its experience cannot be read', read);
  }

  #pickled(bytes: Uint8Array): ExperienceFields {
    const { value } = readPickle(bytes);
    if (!isKind(value, 'call') || !/(^|\.)Experience$/.test(value.name)) {
      throw new PickleRefusal(`it is ${isKind(value, 'call') ? value.name : 'no object'}`);
    }
    const state = fieldsOf(value.state);
    return {
      value: (name) => this.#field(name, () => plainData(ownFields(state.get(name) ?? null))),
      numbers: (name) => this.#field(name, () => pickledTensor(state.get(name) ?? null)),
    };
  }

  #batched(bytes: Uint8Array): ExperienceFields {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const version = view.getUint8(4);
    if (version !== 1) throw new PickleRefusal(`its format ${version} is not known`);
    const tensorsAt = headerLength + Number(view.getBigUint64(5, true));
    const end = tensorsAt + Number(view.getBigUint64(13, true));
    if (end > bytes.length) throw new PickleRefusal('it is cut off');
    const meta = readPickle(bytes.subarray(headerLength, tensorsAt)).value;
    const items = fieldsOf(meta).get('items') ?? null;
    const item = fieldsOf(Array.isArray(items) ? (items[0] ?? null) : null);
    const tensors = safeTensors(bytes.subarray(tensorsAt, end));
    return {
      value: (name) => this.#field(name, () => plainData(item.get(name) ?? null)),
      numbers: (name) => tensors.get(`0:${name}`),
    };
  }

  #field<T>(name: string, read: () => T): T | undefined {
    return this.#try(`its field ${name} is left out`, read);
  }

  #try<T>(failure: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      // Hostile data leads to a TypeError where a number is an object, and to a RangeError where it is too large.
      const isOfData = [PickleRefusal, RangeError, TypeError].some((kind) => error instanceof kind);
      if (!isOfData || !(error instanceof Error)) throw error;
      this.#skip(`${failure}: ${error.message}`);
      return undefined;
    }
  }
}

function experienceParts(
  fields: ExperienceFields | undefined,
  { task, endedAt, reward }: Pick<FactsPart, 'task' | 'endedAt' | 'reward'>,
): readonly EpisodePart[] {
  const metrics = fields?.value('metrics');
  const timeline = fields === undefined ? undefined : timelineOf(fields);
  const query = queryOf(fields);
  const facts: FactsPart = {
    kind: 'facts',
    task,
    ...(endedAt !== undefined && { endedAt }),
    ...(reward !== undefined && { reward }),
    ...(query !== undefined && { query }),
    ...(isRecord(metrics) && { metrics: numbersIn(metrics) }),
  };
  return timeline === undefined ? [facts] : [facts, timeline];
}

const headerLength = 21;

/** Returns true if the data starts with `TRXP`, a version and two lengths. */
function isBatched(bytes: Uint8Array): boolean {
  return (
    bytes.length >= headerLength && [0x54, 0x52, 0x58, 0x50].every((byte, index) => bytes[index] === byte)
  );
}

/** Returns the fields of Trinity's `EID`, or the value itself. */
function ownFields(value: Pickled): Pickled {
  return isKind(value, 'call') && /(^|\.)EID$/.test(value.name) ? value.state : value;
}

function queryOf(fields: ExperienceFields | undefined): string | undefined {
  const asked = chatMessages(fields?.value('messages'))?.findLast(({ role }) => role === 'user');
  return asked?.text ?? textOf(fields?.value('prompt_text'));
}

/**
 * Returns the timeline: the prompt as one message, because the format does not split its texts by tokens, then the
 * parts that the mask separates. If there are as many replies as parts that the model generated, each part has the
 * text of its reply.
 */
function timelineOf(fields: ExperienceFields): TimelinePart | undefined {
  const tokens = fields.numbers('tokens');
  const messages = chatMessages(fields.value('messages'));
  const length = numberOf(fields.value('prompt_length'));
  if (tokens === undefined || length === undefined || length > tokens.length) {
    const listed = (messages ?? plainMessages(fields)).map(withAuthor);
    return listed.length === 0 ? undefined : { kind: 'timeline', messages: listed };
  }
  const response = tokens.slice(length);
  const mask = fields.numbers('action_mask') ?? response.map(() => 1);
  const logprobs = fields.numbers('logprobs');
  const stretches = stretchesOf(mask, response.length);
  const texts = textsOf(fields, messages, stretches);
  const prompt: ImportedMessage = {
    ...{ role: 'prompt', toolCalls: null, toolCallId: null, fromModel: false },
    text: textOf(fields.value('prompt_text')) ?? promptText(messages),
    tokens: { ids: tokens.slice(0, length), lossMask: tokens.slice(0, length).map(() => 0), logprobs: null },
  };
  const behind = stretches.map(({ start, end, counts }, index): ImportedMessage => {
    const part: ImportedTokens = {
      ids: response.slice(start, end),
      lossMask: response.slice(start, end).map(() => (counts ? 1 : 0)),
      logprobs: counts && logprobs !== undefined ? logprobs.slice(start, end) : null,
    };
    const role = counts ? 'assistant' : 'environment';
    const { text = '', toolCalls = null } = texts[index] ?? {};
    return { role, text, toolCalls, toolCallId: null, fromModel: counts, tokens: part };
  });
  return { kind: 'timeline', messages: [prompt, ...behind] };
}

function plainMessages(fields: ExperienceFields): readonly ImportedMessage[] {
  const texts = {
    prompt: textOf(fields.value('prompt_text')),
    assistant: textOf(fields.value('response_text')),
  };
  return Object.entries(texts).flatMap(([role, text]) =>
    text === undefined ? [] : [{ role, text, toolCalls: null, toolCallId: null }],
  );
}

interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly counts: boolean;
}

function stretchesOf(mask: readonly number[], length: number): readonly Stretch[] {
  const counts = (index: number): boolean => mask[index] !== undefined && mask[index] !== 0;
  const starts = Array.from({ length }, (_, index) => index).filter(
    (index) => index === 0 || counts(index) !== counts(index - 1),
  );
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? length, counts: counts(start) }));
}

type StretchText = Pick<ImportedMessage, 'text' | 'toolCalls'>;

function textsOf(
  fields: ExperienceFields,
  messages: readonly ImportedMessage[] | undefined,
  stretches: readonly Stretch[],
): readonly (StretchText | undefined)[] {
  const replies = messages?.filter(({ role }) => role === 'assistant') ?? [];
  const own = stretches.filter(({ counts }) => counts).length;
  const whole = textOf(fields.value('response_text'));
  if (replies.length !== own) {
    return stretches.map(({ counts }) =>
      counts && own === 1 ? { text: whole ?? '', toolCalls: null } : undefined,
    );
  }
  const between = betweenReplies(messages ?? []);
  let reply = 0;
  return stretches.map(({ counts }) => {
    if (counts) return replies[reply++];
    const text = between[reply];
    return text === undefined ? undefined : { text, toolCalls: null };
  });
}

/** Returns the texts between replies, by the number of replies before them. */
function betweenReplies(messages: readonly ImportedMessage[]): readonly string[] {
  const texts: string[][] = [[]];
  for (const { role, text } of messages) {
    if (role === 'assistant') texts.push([]);
    else texts.at(-1)?.push(text);
  }
  return texts.map((parts) => parts.join('\n'));
}

function promptText(messages: readonly ImportedMessage[] | undefined): string {
  return messages === undefined ? '' : (betweenReplies(messages)[0] ?? '');
}
