import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/configs/core/check.ts';
import { dialectOf, type Dialect } from '../../../src/configs/core/dialect.ts';
import { removeEntry } from '../../../src/configs/core/edits.ts';
import type { Finding, RuleId } from '../../../src/configs/core/finding.ts';
import { parseConfig, type ConfigDocument } from '../../../src/configs/core/parse.ts';
import { isWholeExperiment } from '../../../src/configs/core/rules/missingKeys.ts';
import { visitAll, type Visit } from '../../../src/configs/core/rules/visit.ts';
import { hasInterpolation } from '../../../src/configs/core/node.ts';
import { applyEdits, type TextEdit } from '../../../src/configs/core/text.ts';
import { fuzz } from '../fuzz.ts';
import { configFiles, type ConfigFile } from './configFiles.ts';

/** A change that makes a config wrong in one place, and what has to be told of it. */
interface Mutation {
  readonly rule: RuleId;
  readonly edits: readonly TextEdit[];
  /** 0-based, in the changed text. */
  readonly line: number;
  /** Whether a text is what the right fix leads to. */
  readonly mended: (text: string, file: Subject) => boolean;
}

interface Subject extends ConfigFile {
  readonly dialect: Dialect;
  readonly document: ConfigDocument;
  readonly visits: readonly Visit[];
  /** Lines that have a finding as they are. */
  readonly marked: ReadonlySet<number>;
}

/** Numbers that a mutation takes its choices from. */
type Choices = readonly [number, number, number];
type MutationClass = (visit: Visit, choices: Choices, dialect: Dialect) => Mutation | undefined;

const classes: Readonly<Record<string, MutationClass>> = {
  misspell,
  'wrong type': wrongType,
  'bad enum': badEnum,
  drop,
  duplicate,
};

function misspell(visit: Visit, choices: Choices): Mutation | undefined {
  const { written, key } = visit;
  const section = key?.parent;
  if (written === undefined || section === undefined || section.unlisted === 'open') return undefined;
  const { entry, parent } = written;
  if (!section.children.has(entry.key)) return undefined;
  const newText = slip(entry.key, choices);
  const taken = section.children.has(newText) || parent.entries.some((other) => other.key === newText);
  if (taken || section.anyChild !== undefined) return undefined;
  // A key with other names of its kind beside it may be taken for one of those.
  return restored('unknown-key', visit, [{ span: entry.keySpan, newText }]);
}

function wrongType(visit: Visit, [how]: Choices): Mutation | undefined {
  const { node, value, document } = visit;
  if (value === undefined || node.kind !== 'scalar' || hasInterpolation(node) || node.style !== 'plain')
    return undefined;
  if (node.type === 'null' || !typeFits(node.type, value.types)) return undefined;
  const text = document.text.slice(node.span.start, node.span.end);
  const forms = [
    ...(value.types.includes('string') ? [] : [`"${text}"`, `'${text}'`]),
    ...(value.types.includes('array') || /[,:\]}]/.test(text) ? [] : [`[${text}]`]),
  ];
  const newText = forms[how % Math.max(1, forms.length)];
  return newText === undefined ? undefined : restored('wrong-type', visit, [{ span: node.span, newText }]);
}

function typeFits(type: string, types: readonly string[]): boolean {
  if (type === 'float') return types.includes('number');
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function badEnum(visit: Visit, choices: Choices): Mutation | undefined {
  const { node, value } = visit;
  if (value?.allowed === undefined || value.allowsOthers || node.kind !== 'scalar' || node.style !== 'plain')
    return undefined;
  if (typeof node.value !== 'string' || !value.allowed.includes(node.value)) return undefined;
  const newText = slip(node.value, choices);
  if (value.allowed.some((one) => one.toLowerCase() === newText.toLowerCase())) return undefined;
  return restored('unknown-value', visit, [{ span: node.span, newText }]);
}

function drop(visit: Visit, _choices: Choices, dialect: Dialect): Mutation | undefined {
  const { key, written, document } = visit;
  // What others are based on need not be complete.
  if (!isWholeExperiment(document, dialect)) return undefined;
  if (key?.info?.required !== true || written === undefined) return undefined;
  const { entry, parent } = written;
  if (parent.entries.filter((other) => other.key === entry.key).length > 1) return undefined;
  const edit = removeEntry(document, entry, parent);
  if (edit === undefined) return undefined;
  const above = visit.path.slice(0, -1);
  const holder = visitAll(document, visit.table).find(({ path }) => path.join('.') === above.join('.'));
  const place = holder?.written?.entry.keySpan ?? holder?.node.span;
  const line = above.length === 0 ? 0 : document.lines.position(place?.start ?? 0).line;
  const missing = `\`${key.path}\` is not set.`;
  return {
    rule: 'missing-key',
    edits: [edit],
    line,
    mended: (text, { dialect }) =>
      !findingsIn(text, dialect).some(
        (found) => found.rule === 'missing-key' && found.message.startsWith(missing),
      ),
  };
}

function duplicate(visit: Visit): Mutation | undefined {
  const { written, document } = visit;
  if (written === undefined || written.parent.flow || visit.node.kind !== 'scalar') return undefined;
  const { lines, text } = document;
  const first = lines.position(written.entry.keySpan.start).line;
  const last = lines.position(visit.node.span.end).line;
  const { start } = lines.line(first);
  const before = text.slice(start, written.entry.keySpan.start);
  if (first !== last || before.trim() !== '' || visit.node.span.end < written.entry.keySpan.end)
    return undefined;
  const end = lines.after(first);
  if (!/[\r\n]$/.test(text.slice(start, end))) return undefined;
  const edit = { span: { start: end, end }, newText: text.slice(start, end) };
  return { ...restored('duplicate-key', visit, [edit]), line: first + 1 };
}

/** A mutation whose right fix leads back to the text as it was. */
function restored(rule: RuleId, { document, node, written }: Visit, edits: readonly TextEdit[]): Mutation {
  const place = edits[0]?.span.start ?? written?.entry.keySpan.start ?? node.span.start;
  const { line } = document.lines.position(place);
  return { rule, edits, line, mended: (text) => text === document.text };
}

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** One slip of the pen: a letter too many, too few, another one, or two that changed places. */
function slip(word: string, [how, where, which]: Choices): string {
  const at = where % word.length;
  const letter = letters.charAt(which % letters.length);
  switch (how % 4) {
    case 0:
      return word.slice(0, at) + word.slice(at + 1);
    case 1:
      return word.slice(0, at) + letter + word.slice(at);
    case 2:
      return word.slice(0, at) + letter + word.slice(at + 1);
    default:
      return word.slice(0, at) + word.slice(at + 1, at + 2) + word.slice(at, at + 1) + word.slice(at + 2);
  }
}

function findingsIn(text: string, dialect: Dialect): Finding[] {
  return diagnose(parseConfig(text), dialect.keys(), { dialect });
}

function subjects(): Subject[] {
  return configFiles().flatMap((file) => {
    const dialect = dialectOf(file.text);
    if (dialect === undefined) return [];
    const document = parseConfig(file.text);
    const marked = new Set(findingsIn(file.text, dialect).map(({ range }) => range.start.line));
    return [{ ...file, dialect, document, visits: visitAll(document, dialect.keys()), marked }];
  });
}

/** Whether the change is told at its line by its rule, and one of the first two fixes undoes it. */
function verdict(
  file: Subject,
  { rule, edits, line, mended }: Mutation,
): 'found' | 'not told' | 'not mended' {
  const text = applyEdits(file.text, edits);
  const told = findingsIn(text, file.dialect).filter(
    (found) => found.rule === rule && found.range.start.line === line,
  );
  if (told.length === 0) return 'not told';
  const fixes = told.flatMap((found) => found.fixes.slice(0, 2));
  return fixes.some((fix) => mended(applyEdits(text, fix.edits), file)) ? 'found' : 'not mended';
}

describe('changes that make a config wrong', () => {
  const files = subjects();
  const names = Object.keys(classes);
  const { seed, numRuns } = fuzz(20_261, 2000);
  const number = fc.nat({ max: 1_000_000 });
  const cases = fc.sample(fc.tuple(number, number, number, number), { seed, numRuns });

  it.each(names)('are told where they are, with the way back: %s', (name) => {
    const mutate = classes[name];
    const count = Math.ceil(numRuns / names.length);
    const places = files.flatMap((file) => file.visits.map((visit) => ({ file, visit })));
    const missed: string[] = [];
    let tried = 0;
    for (const [place, ...choices] of cases) {
      // The first place from here on where this class can change something that nothing is told of so far.
      const found = firstFrom(places, place, ({ file, visit }) => {
        const mutation = mutate?.(visit, choices, file.dialect);
        return mutation === undefined || file.marked.has(mutation.line) ? undefined : { file, mutation };
      });
      if (found === undefined) break;
      tried += 1;
      const result = verdict(found.file, found.mutation);
      if (result !== 'found')
        missed.push(
          `${result}: ${found.file.name}:${found.mutation.line + 1} ${JSON.stringify(found.mutation.edits)}`,
        );
      if (tried === count) break;
    }
    const recall = (tried - missed.length) / tried;
    console.log(`${name}: ${tried - missed.length} of ${tried} (${(100 * recall).toFixed(1)} %)`);
    expect(tried).toBe(count);
    expect(recall, missed.join('\n')).toBeGreaterThanOrEqual(0.95);
  });
});

function firstFrom<T, U>(
  items: readonly T[],
  start: number,
  wanted: (item: T) => U | undefined,
): U | undefined {
  for (let step = 0; step < items.length; step++) {
    const item = items[(start + step) % items.length];
    const found = item === undefined ? undefined : wanted(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
