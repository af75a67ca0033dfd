import { hashText } from '../../../../base/core/random.ts';
import { canonicalJson } from '../../../../base/core/canonicalJson.ts';
import { redactField, redactSecrets } from '../../../../base/core/secrets/texts.ts';
import type { ChatRequest } from '../model.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a request that determine its answer, with placeholders for volatile values. */
export interface NormalizedRequest {
  /** A 53-bit hash, equal for requests that differ only in volatile values. */
  readonly key: number;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly options: Fields;
  /** The values of the numbered placeholders. */
  readonly values: readonly string[];
}

/** Options that affect only the transport, or differ between runs. The seed depends on the order of arrival. */
const transport: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'stream_options',
  'seed',
  'user',
  'metadata',
  'store',
  'safety_identifier',
  'prompt_cache_key',
  'logprobs',
  'top_logprobs',
  'return_token_ids',
]);

/** They come from the config: another value makes another sample, not another conversation. */
export const samplingOptions = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'top_k',
  'min_p',
] as const;

const unkeyed: ReadonlySet<string> = new Set([...transport, ...samplingOptions, 'messages', 'tools']);

/** Removes fields of transport and null, orders the others, and makes placeholders of volatile values. */
export function normalizeRequest(request: ChatRequest, scanner: VolatileScanner): NormalizedRequest {
  const folder = new VolatileFolder(scanner);
  const messages = request.messages.map((message) => fold(message, folder));
  const tools = (request.tools ?? []).map((tool) => fold(tool, folder));
  const rest = Object.entries(request).filter(([name]) => !unkeyed.has(name));
  const options = fold(Object.fromEntries(rest), folder) as Fields;
  const key = hashText(canonicalJson({ messages, tools, options }));
  return { key, messages, tools, options, values: folder.values };
}

function fold(value: unknown, folder: VolatileFolder): unknown {
  if (typeof value === 'string') return folder.text(redactSecrets(value));
  if (Array.isArray(value)) return value.map((item) => fold(item, folder));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== null && field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  // A tool call's id is always volatile.
  const isToolCall = 'function' in value && 'id' in value;
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const isId = name === 'tool_call_id' || (name === 'id' && isToolCall);
      if (typeof field !== 'string') return [name, fold(field, folder)];
      const text = redactField(name, field);
      return [name, isId ? folder.id(text) : folder.text(text)];
    }),
  );
}

/** A kind of values that differ between runs of the same workflow without a meaning. */
interface Kind {
  readonly name: string;
  readonly pattern: string;
  /** Two such values need not be equal in both runs. If they are times, they count only near the runs. */
  readonly instants?: (text: string) => readonly number[];
}

const month =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?';
const weekday = '(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,?\\s+)?';
const clock = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?:\\s?[AP]M)?';
const zone =
  '(?:\\s?(?:Z|UTC|GMT)(?![a-z]))?(?:\\s?[+-]\\d{2}:?\\d{2}(?!\\d))?(?:\\s?\\([A-Z][^)]{1,60}\\))?';
const monthAndDay = `${month}\\s+\\d{1,2}(?:st|nd|rd|th)?`;
const dayAndMonth = `\\d{1,2}(?:st|nd|rd|th)?\\s+${month}`;

/** In this order: what begins alike is listed the longer first. */
const kinds: readonly Kind[] = [
  { name: 'id', pattern: '(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])' },
  {
    name: 'id',
    pattern: '(?<![\\w-])(?:call|chatcmpl|cmpl|toolu|resp|msg|fc|req|run|gen)[_-](?=[\\w-]*\\d)[\\w-]{4,}',
  },
  {
    name: 'host',
    pattern: '(?<![\\w.])(?:localhost|127(?:\\.\\d{1,3}){3}|0\\.0\\.0\\.0|\\[::1\\]):\\d{2,5}(?!\\d)',
  },
  {
    name: 'time',
    pattern: `(?<!\\d)\\d{4}-\\d{2}-\\d{2}(?:(?:T|\\s)${clock}${zone})?(?![\\d-])`,
    instants: (text) => parsed(text.replace(/\s/, 'T'), text.slice(0, 10)),
  },
  {
    name: 'time',
    pattern: `(?<![\\d/])\\d{4}/\\d{1,2}/\\d{1,2}(?:,?\\s${clock}${zone})?(?![\\d/])`,
    instants: (text) => parsed(text),
  },
  {
    name: 'time',
    pattern: `(?<![\\d/.])\\d{1,2}[/.]\\d{1,2}[/.]\\d{4}(?:,?\\s${clock}${zone})?(?![\\d/])`,
    instants: (text) => {
      const [first = '', second = '', year = ''] = text.split(/[/.,\s]/);
      return parsed(`${first}/${second}/${year}`, `${second}/${first}/${year}`);
    },
  },
  {
    name: 'time',
    pattern: `(?<!\\w)${weekday}(?:${monthAndDay}(?:\\s+${clock}${zone})?,?\\s+\\d{4}|${dayAndMonth},?\\s+\\d{4})(?:,?\\s+(?:at\\s+)?${clock}${zone})?(?!\\w)`,
    instants: writtenInstants,
  },
  // A time of the day alone is taken for one of the clock's only where it has seconds.
  {
    name: 'time',
    pattern: '(?<![\\d:.])\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d+)?(?:\\s?[AP]M)?(?![\\d:])',
    instants: () => [],
  },
  {
    name: 'time',
    pattern: '(?<![\\w.])1\\d{9}(?:\\d{3}|\\d{6}|\\d{9})?(?:\\.\\d+)?(?![\\w])',
    instants: epochInstants,
  },
  { name: 'id', pattern: '(?<![0-9a-z])01[0-9A-HJKMNP-TV-Z]{24}(?![0-9a-z])' },
  // Shortened hashes and UUIDs, and addresses of objects.
  { name: 'id', pattern: '(?<![0-9a-z])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,}(?![0-9a-z])' },
  { name: 'id', pattern: '(?<![0-9a-z])0x[0-9a-f]{7,}(?![0-9a-z])' },
  // Names that Python, Node.js and mktemp give to temporary files.
  { name: 'id', pattern: '(?<![a-z0-9])tmp(?:[a-z0-9_]{8}|\\.[a-z0-9]{10})(?![a-z0-9_])' },
  { name: 'id', pattern: '(?<=/(?:tmp|T)/)[\\w.-]{1,60}-[a-z0-9]{6}(?![\\w-])' },
  // Not numbered: so short a number could also stand for something else in a reply.
  {
    name: 'pid',
    pattern: '(?<=\\b(?:pid|process(?: id)?)[ :=#]{1,3})\\d{2,7}(?!\\w|\\.\\d)',
    instants: () => [],
  },
  // Only measured durations: a task can be about 5.5 s.
  { name: 'time', pattern: '(?<![\\w.])\\d+(?:\\.\\d+)?\\s?(?:ms|[uµμ]s|ns)(?!\\w)', instants: () => [] },
  {
    name: 'time',
    pattern: '(?<![\\w.])(?:\\d+m\\s?)?\\d+\\.\\d{2,}\\s?s(?:ec(?:ond)?s?)?(?!\\w)',
    instants: () => [],
  },
];

const pattern = new RegExp(kinds.map(({ pattern: one }) => `(${one})`).join('|'), 'giu');

/** Milliseconds. Nearer than this to a run, a time is one of the run's; a birthday in the data is not. */
const near = 31 * 24 * 60 * 60 * 1000;

/** A volatile value and what comes before it in its text. */
interface VolatileMatch {
  readonly before: string;
  readonly value: string;
  readonly name: string;
  /** True if equal values share a number, to distinguish them from others of the kind. Times and pids have none. */
  readonly isNumbered: boolean;
}

interface Scan {
  readonly found: readonly VolatileMatch[];
  readonly rest: string;
}

/** Finds what is volatile in texts; a text that comes again, as a conversation's do, is looked at once. */
export class VolatileScanner {
  readonly #times: readonly number[];
  readonly #known = new Map<string, Scan>();

  /** @param times of the runs that are compared, in milliseconds since the Unix epoch */
  constructor(times: readonly number[]) {
    this.#times = times;
  }

  scan(text: string): Scan {
    let scan = this.#known.get(text);
    if (scan === undefined) this.#known.set(text, (scan = this.#scan(text)));
    return scan;
  }

  #scan(text: string): Scan {
    const found: VolatileMatch[] = [];
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      const [value, ...groups] = match;
      const kind = kinds[(groups as (string | undefined)[]).findIndex((group) => group !== undefined)];
      if (kind === undefined || !this.#isVolatile(kind, value)) continue;
      const isNumbered = kind.instants === undefined;
      found.push({ before: text.slice(end, match.index), value, name: kind.name, isNumbered });
      end = match.index + value.length;
    }
    return { found, rest: text.slice(end) };
  }

  #isVolatile({ instants }: Kind, value: string): boolean {
    const all = instants?.(value) ?? [];
    if (all.length === 0) return true;
    return all.some((instant) => this.#times.some((time) => Math.abs(instant - time) < near));
  }
}

/** Puts placeholders for volatile values into the texts of one request: equal ids get equal ones. */
export class VolatileFolder {
  /** The ids and hosts, in the order in which they first occurred. */
  readonly values: string[] = [];
  readonly #placeholders = new Map<string, string>();
  readonly #scanner: VolatileScanner;

  constructor(scanner: VolatileScanner) {
    this.#scanner = scanner;
  }

  text(text: string): string {
    const { found, rest } = this.#scanner.scan(text);
    if (found.length === 0) return text;
    const parts = found.map(
      ({ before, name, value, isNumbered }) =>
        before + (isNumbered ? this.#number(name, value) : `⟨${name}⟩`),
    );
    return parts.join('') + rest;
  }

  /** A value that is an id because of its field. */
  id(value: string): string {
    return this.#number('id', value);
  }

  #number(name: string, value: string): string {
    const known = this.#placeholders.get(value);
    if (known !== undefined) return known;
    this.values.push(value);
    const placeholder = `⟨${name} ${this.values.length}⟩`;
    this.#placeholders.set(value, placeholder);
    return placeholder;
  }
}

/** NaN where none of the texts is a date: near to nothing. */
function parsed(...texts: readonly string[]): readonly number[] {
  return texts.map((text) => Date.parse(text));
}

function writtenInstants(text: string): readonly number[] {
  const plain = text
    .replace(/\s?\(.*\)/, '')
    .replace(/(\d)(?:st|nd|rd|th)\b/i, '$1')
    .replace(/\s+at\s+/i, ' ');
  return parsed(plain, plain.replace(/,?\s+\d{1,2}:.*?(?=\s\d{4}|$)/, ''));
}

/** Seconds, milliseconds, microseconds or nanoseconds: as many digits tell. */
function epochInstants(text: string): readonly number[] {
  const [digits = ''] = text.split('.');
  return [Number(digits) / 10 ** (digits.length - 13)];
}
