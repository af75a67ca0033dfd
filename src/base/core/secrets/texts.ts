import gitleaks from './data/gitleaks.json' with { type: 'json' };
import { isSecret, isSecretName } from './names.ts';

export const redacted = '[redacted]';

/** The format of one kind of secrets. Every expression takes time in proportion to the length of the text. */
interface SecretFormat {
  readonly kind: string;
  /** Lower case. A text without any of them has no secret of this kind, and the expression is not run. */
  readonly keywords: readonly string[];
  readonly pattern: RegExp;
  /** Shannon entropy in bits per character, at least: placeholders such as `xxxx` have less. */
  readonly entropy: number;
}

const format = (kind: string, keywords: readonly string[], pattern: RegExp): SecretFormat => ({
  ...{ kind, keywords, pattern },
  entropy: 0,
});

/** Formats that upstream does not have, or that it takes narrower. */
const own: readonly SecretFormat[] = [
  format('keys that begin with sk-', ['sk-'], /\bsk-[A-Za-z0-9_-]{16,}/g),
  format('keys of AWS', ['akia', 'asia'], /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g),
  format(
    'tokens of GitHub',
    ['gho_', 'ghp_', 'ghs_', 'ghu_', 'ghr_', 'github_pat_'],
    /\b(?:gh[opsur]_[A-Za-z0-9]{36,}\b|github_pat_\w{22,}\b)/g,
  ),
  format('tokens of GitLab', ['glpat-'], /\bglpat-[\w-]{20,}/g),
  format('tokens of Hugging Face', ['hf_'], /\bhf_[A-Za-z0-9]{30,}\b/g),
  format('tokens of Slack', ['xox'], /\bxox[abeprs]-[\w-]{10,}/g),
  format('keys of Google', ['aiza'], /\bAIza[\w-]{35}/g),
  format('keys of Alibaba Cloud', ['ltai'], /\bLTAI[A-Za-z0-9]{12,}\b/g),
  format('JSON web tokens', ['.eyj'], /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g),
  format('bearer tokens', ['bearer'], /\bBearer\s+[\w.~+/-]{16,}=*/gi),
  format(
    'private keys',
    ['private key'],
    /-----BEGIN [A-Z ]{0,100}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,100}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ),
  format('addresses with a token', ['://'], /(?<=\b[a-z][\w+.-]{0,30}:\/\/)[^\s:@/[\]]{16,}(?=@)/gi),
  format('addresses with a password', ['://'], /\b[a-z][\w+.-]{0,30}:\/\/[^\s:@/]*:[^\s@/]+@/gi),
];

/** The data of a search. It is created for the first text, because it parses the table of gitleaks. */
interface SecretSearch {
  readonly formats: readonly SecretFormat[];
  /** Finds keywords in one pass, the longest at each position. Most log lines have few. */
  readonly anyKeyword: RegExp;
  /** The formats that a found keyword makes possible. */
  readonly possibleFormats: Map<string, readonly SecretFormat[]>;
}
let search: SecretSearch | undefined;

/** The rules of gitleaks that know a secret by its format come from test/tools/secretFormats.mjs, which explains them. */
function secretSearch(): SecretSearch {
  if (search !== undefined) return search;
  const upstream = gitleaks.formats.map(({ id, keywords, pattern, entropy }): SecretFormat => ({
    ...{ kind: id, keywords, entropy },
    pattern: new RegExp(pattern, 'g'),
  }));
  const formats = [...own, ...upstream];
  const escaped = [...new Set(formats.flatMap((one) => one.keywords))]
    .sort()
    .reverse()
    .map((keyword) => keyword.replace(/[.$^*+?()[\]{}|\\]/g, '\\$&'));
  search = { formats, anyKeyword: new RegExp(escaped.join('|'), 'gi'), possibleFormats: new Map() };
  return search;
}

/** Includes formats whose keywords are inside the found one, or begin inside it: the pass does not find those. */
function formatsOf(found: string): readonly SecretFormat[] {
  const { formats, possibleFormats } = secretSearch();
  const known = possibleFormats.get(found);
  if (known !== undefined) return known;
  const ends = Array.from(found, (_, at) => found.slice(at));
  const mayBe = (one: string): boolean => found.includes(one) || ends.some((end) => one.startsWith(end));
  const possible = formats.filter((one) => one.keywords.some(mayBe));
  possibleFormats.set(found, possible);
  return possible;
}

export type OnSecret = (kind: string, secret: string) => void;

/** Returns a text without its secrets: those with a known format, and values that stand next to the name of a secret. */
export function redactSecrets(text: string, onSecret?: OnSecret): string {
  const { formats, anyKeyword } = secretSearch();
  const possible = new Set<SecretFormat>();
  for (const keyword of new Set(text.match(anyKeyword))) {
    for (const one of formatsOf(keyword.toLowerCase())) possible.add(one);
  }
  const inOrder = possible.size > 1 ? formats.filter((one) => possible.has(one)) : [...possible];
  const formatted = inOrder.reduce((rest, one) => {
    return rest.replace(one.pattern, (secret) => {
      if (one.entropy > 0 && entropyOf(secret) < one.entropy) return secret;
      onSecret?.(one.kind, secret);
      return redacted;
    });
  }, text);
  return withoutNamed(formatted, onSecret);
}

const namedKind = 'values that are named as secrets';

/** Returns the kinds of secrets, in the order in which they are searched. */
export function secretKinds(): readonly string[] {
  return [...secretSearch().formats.map(({ kind }) => kind), namedKind];
}

const names =
  /key|token|secret|passw|pass\b|passphrase|passcode|pwd|cred|auth|cookie|pat\b|dsn|jwt|bearer|webhook|conn|session|otp\b|sas\b|pw\b/i;
/** A name and what is between it and its value: `NAME=value`, `"name": "value"`, `name: value`. */
const head =
  /(?<![\w.-])-{0,2}([A-Za-z_][\w.-]{0,100})(\\?["']?\s{0,3}(?::|=>?)\s{0,3}(?:(?:Basic|Bearer|Token)\s+)?)(\\?["']?)/g;
const tail = /(?:[^\s"',;&]|&(?![\w.-]{1,50}=))+/y;
/** A list, a call or a subscript of code, where it is not quoted. */
const code = /[[{(<]|[A-Za-z_][\w.]{0,100}[([]/y;
/** Names whose value is a secret in running text as well, even where it is a word. */
const always = /(?:api[_-]?key|secret|password|passwd|(?:access|api|auth|bot|hf|hub|bearer)[_-]?token)$/i;
const word = /^[A-Za-z]+(?:[-'][A-Za-z]+)*[.,:!?)]*$/;

/** Characters that a secret has in a text at least: texts are full of shorter words. */
export const shortestSecret = 6;

function withoutNamed(text: string, onSecret?: OnSecret): string {
  if (!names.test(text)) return text;
  const pieces: string[] = [];
  let copied = 0;
  for (const match of text.matchAll(head)) {
    const [before, name = '', operator = '', quote = ''] = match;
    const from = match.index + before.length;
    if (from <= copied || !isSecretName(name)) continue;
    const value = valueAt(text, from, quote);
    if (value === undefined || !isSecret(name, value)) continue;
    // A word after a colon is prose, or the text of a token among log probabilities.
    const isOpen = quote === '' ? !always.test(name) : name === 'token';
    if (isOpen && operator.includes(':') && word.test(value)) continue;
    onSecret?.(namedKind, value);
    pieces.push(text.slice(copied, from), redacted);
    copied = from + value.length;
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied);
}

function valueAt(text: string, from: number, quote: string): string | undefined {
  code.lastIndex = tail.lastIndex = from;
  if (quote === '' && code.test(text)) return undefined;
  const [value = ''] = tail.exec(text) ?? [];
  return value.length < shortestSecret || value.startsWith(redacted) ? undefined : value;
}

/** Returns the value of a key or of a field without secrets. */
export function redactField(name: string, text: string, onSecret?: OnSecret): string {
  const isToken = name === 'token' && word.test(text);
  if (text.length < shortestSecret || isToken || !isSecret(name, text)) return redactSecrets(text, onSecret);
  onSecret?.(namedKind, text);
  return redacted;
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / text.length) * Math.log2(count / text.length);
  return sum;
}
