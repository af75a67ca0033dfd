import type { ConfigContext } from '../context.ts';
import type { DialectId } from '../dialect.ts';
import { entryOf, nodeAt } from '../node.ts';
import { isBroken } from '../parse.ts';
import { trinityRules } from '../rules/across/trinity/index.ts';
import { ajetNames, converted, totals, trinityGpus, trinityNames, type Hint } from './totals.ts';
import { effectiveValues, replacedValues } from './values.ts';

export interface InlayHint {
  /** In the text, behind what it is about. */
  readonly offset: number;
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
}

const sources: Readonly<Record<DialectId, readonly ((context: ConfigContext) => readonly Hint[])[]>> = {
  ajet: [effectiveValues, (context) => totals(context, ajetNames), converted, replacedValues],
  astuner: [effectiveValues],
  trinity: [effectiveValues, (context) => totals(context, trinityNames), trinityGpus, rewrittenValues],
};

/** Returns values that follow from a config and are not written in it, in the order of the text. */
export function inlayHints(context: ConfigContext): readonly InlayHint[] {
  const hints = sources[context.dialect.id]
    .flatMap((source) => source(context))
    .flatMap((hint) => placed(context, hint))
    .sort((a, b) => a.offset - b.offset);
  const byLine = new Map<number, InlayHint[]>();
  for (const hint of hints) {
    const { line } = context.document.lines.position(hint.offset);
    byLine.set(line, [...(byLine.get(line) ?? []), hint]);
  }
  return [...byLine.values()].map(joined);
}

/** The length of the hints of one line that VS Code shows, less the blanks around them. */
const longest = 41;

/** One hint for a line: VS Code cuts the second one. The tooltip has the texts that do not fit. */
function joined(hints: readonly InlayHint[]): InlayHint {
  const [first = { offset: 0, text: '', tooltip: '' }] = hints;
  const text = first.text.length > longest ? `${first.text.slice(0, longest - 1)}…` : first.text;
  if (hints.length === 1 && text === first.text) return first;
  const tooltip = hints.map((hint) => `**${hint.text}**\n\n${hint.tooltip}`).join('\n\n');
  return { offset: first.offset, text, tooltip };
}

/** Behind each value that Trinity's validator replaces, the value that it uses. */
function rewrittenValues(context: ConfigContext): Hint[] {
  if (isBroken(context.document)) return [];
  return trinityRules(context).flatMap(({ becomes, message }) =>
    becomes === undefined ? [] : [{ path: becomes.path, text: `becomes ${becomes.value}`, tooltip: message }],
  );
}

/** Behind the value; of a section or a list behind its key, as its value ends lines below. */
function placed({ document }: ConfigContext, { path, text, tooltip }: Hint): InlayHint[] {
  const node = nodeAt(document.root, path);
  if (node === undefined) return [];
  if (node.kind === 'scalar' && node.style !== 'block') return [{ offset: node.span.end, text, tooltip }];
  const key = path.at(-1);
  const entry = typeof key === 'string' ? entryOf(nodeAt(document.root, path.slice(0, -1)), key) : undefined;
  return [{ offset: entry === undefined ? node.span.start : entry.keySpan.end + 1, text, tooltip }];
}
