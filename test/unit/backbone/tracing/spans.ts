/** Seeded spans of AgentScope Studio, whole and broken ones; test/tools/vectors/tracing.py makes the same. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Random, seededString } from '../../tracking/tokenizer/strings.ts';

interface Cases {
  readonly words: readonly string[];
  readonly literals: readonly string[];
  readonly roles: readonly string[];
  readonly others: readonly string[];
  readonly wraps: readonly (readonly [string, string])[];
  readonly attributes: readonly string[];
}

const file = path.join(import.meta.dirname, '../../../tools/vectors/tracing.json');
const cases = JSON.parse(readFileSync(file, 'utf8')) as Cases;

function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `'${escaped.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
}

function words(random: Random): string {
  return Array.from({ length: 1 + random.below(5) }, () => random.choose(cases.words)).join(' ');
}

function content(random: Random): string {
  const kind = random.below(12);
  if (kind === 0) return quoted(seededString(random.below(1_000_000)));
  if (kind <= 5) return quoted(words(random));
  if (kind <= 7) return `[{'type': 'text', 'text': ${quoted(words(random))}}]`;
  return kind === 8 ? `'${words(random)}'` : random.choose(cases.literals);
}

function message(random: Random, usualRole: string): string {
  const role = random.below(12) !== 0 ? usualRole : random.choose(cases.roles);
  const parts = [`name='${role[1] ?? ''}'`, `content=${content(random)}`, `role=${role}`];
  for (let left = random.below(3); left > 0; left--) {
    const at = random.below(parts.length);
    parts[at] = `${parts[at] ?? ''}, ${random.choose(cases.others)}`;
  }
  if (random.below(20) === 0) parts[random.below(parts.length)] = random.choose(cases.others);
  const [before, after] = random.choose(cases.wraps);
  return `${before}Msg(${parts.join(', ')})${after}`;
}

/** The text of a span's attributes. */
export function spanAttributes(number: number): string {
  const random = new Random(number);
  const kind = random.choose(cases.attributes);
  const query = message(random, "'user'");
  const reply = message(random, "'assistant'");
  const span = { input: { kwargs: { msg: query } }, output: reply };
  const shapes: Readonly<Record<string, unknown>> = {
    noOutput: { input: span.input },
    nullOutput: { ...span, output: null },
    nullInput: { ...span, input: { kwargs: { msg: null } } },
    numberInput: { ...span, input: { kwargs: { msg: 3 } } },
    numberOutput: { ...span, output: 3 },
    noKwargs: { ...span, input: { msg: query } },
    noInput: { output: reply },
    emptyOutput: { ...span, output: '' },
    notMsg: { ...span, input: { kwargs: { msg: query.replaceAll('Msg', 'msg') } } },
    list: [span],
  };
  const text = JSON.stringify(shapes[kind] ?? span);
  if (kind === 'nan') return `{"a": [NaN, -Infinity, "NaN"], ${text.slice(1)}`;
  return kind === 'duplicate' ? `{"output": null, ${text.slice(1)}` : text;
}
