import { isCompositionKey } from '../compose/compositionKeys.ts';
import type { ConfigContext } from '../context.ts';
import { renameKey } from '../edits.ts';
import { interpolationsIn } from '../interpolation/references.ts';
import { entryOf, nodesIn, type Entry, type NodeBelow } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import { resolvePlain } from '../scalar.ts';
import type { Span, TextEdit } from '../text.ts';
import { groupOf, type AnchorMark } from './anchors.ts';
import { interpolationAt, isSame, keyPathAt, markAt, pathUses } from './references.ts';
import { contains, entryAt, nodeAtOffset } from './nodeAtOffset.ts';

export type RenameResult =
  | { readonly ok: true; readonly edits: readonly TextEdit[] }
  | { readonly ok: false; readonly message: string };

export type RenameTarget =
  | { readonly ok: true; readonly span: Span; readonly name: string }
  | { readonly ok: false; readonly message: string };

type Subject =
  | { readonly kind: 'key'; readonly span: Span; readonly entry: Entry; readonly path: readonly string[] }
  | { readonly kind: 'anchor'; readonly span: Span; readonly group: readonly AnchorMark[] };

/** Returns the name to rename at an offset, or the reason that it cannot be renamed. */
export function renamableAt(context: ConfigContext, offset: number): RenameTarget {
  const subject = subjectAt(context, offset);
  if (typeof subject === 'string') return { ok: false, message: subject };
  const { start, end } = subject.span;
  return { ok: true, span: subject.span, name: context.document.text.slice(start, end) };
}

/**
 * Renames a key of the user's own together with every `${…}` that goes through it, or an anchor with its aliases. Keys
 * that a program reads are refused: under another name nothing would find them.
 */
export function renameAt(context: ConfigContext, offset: number, newName: string): RenameResult {
  const subject = subjectAt(context, offset);
  if (typeof subject === 'string') return { ok: false, message: subject };
  return subject.kind === 'anchor'
    ? renamedAnchor(context.document, subject.group, newName)
    : renamedKey(context.document, subject, newName);
}

function subjectAt(context: ConfigContext, offset: number): Subject | string {
  const { document } = context;
  const marked = markAt(document, offset);
  if (marked !== undefined) {
    return { kind: 'anchor', span: marked.mark.span, group: groupOf(marked.marks, marked.mark) };
  }
  const path = keyPathAt(document, offset);
  if (path === undefined) return 'Only keys, `${…}`, anchors and aliases can be renamed.';
  const name = `\`${path.join('.')}\``;
  const place = nodeAtOffset(document, offset);
  const entry = place?.part === 'key' ? place.entry : entryAt(document, path);
  if (entry === undefined) return `${name} is not a key of this file, so it cannot be renamed here.`;
  const refusal = refusalReason(context, path);
  if (refusal !== undefined) return refusal;
  const span = place?.part === 'key' ? place.span : interpolationAt(document, offset)?.use?.span;
  if (span === undefined || !contains(span, offset))
    return `Put the caret on the key in ${name} to rename it.`;
  return { kind: 'key', span: inQuotes(document, span), entry, path };
}

function refusalReason({ dialect }: ConfigContext, path: readonly string[]): string | undefined {
  const name = `\`${path.join('.')}\``;
  if (dialect.composition === 'hydra' && isCompositionKey(path[0])) {
    return `${name} is read by Hydra, so it cannot have another name.`;
  }
  const table = dialect.keys();
  if (table.find(path) !== undefined) {
    return `${name} is a key that ${dialect.label} reads, so it cannot have another name.`;
  }
  const above = table.find(path.slice(0, -1));
  if (path.length > 1 && above?.unlisted === 'passed-on') {
    return `${name} is passed to a library that may read it, so it cannot have another name.`;
  }
  return undefined;
}

function renamedKey(
  document: ConfigDocument,
  { entry, path }: { readonly entry: Entry; readonly path: readonly string[] },
  newName: string,
): RenameResult {
  if (!/^[^\s.:[\]{}$'",#&*!|>%@`=\\/()-][^\s.:[\]{}$'",\\/()=]*$/u.test(newName)) {
    return refused(`\`${newName}\` cannot be used in a \`\${…}\`. Use letters, digits, \`_\` and \`-\`.`);
  }
  const { type } = resolvePlain(newName);
  if (type !== 'string') return refused(`\`${newName}\` would be a value of type ${type}, not a key.`);
  const owners = ownersOf(document, entry);
  if (newName !== entry.key && owners.some(({ parent }) => entryOf(parent, newName) !== undefined)) {
    return refused(`\`${newName}\` already exists in this section.`);
  }
  const paths = [path, ...owners.map((owner) => owner.path.map(String))];
  const edits = [renameKey({ ...entry, keySpan: inQuotes(document, entry.keySpan) }, newName)];
  const seen = new Set(edits.map(({ span }) => span.start));
  for (const reference of interpolationsIn(document)) {
    const uses = pathUses(reference);
    const through =
      reference.path !== undefined && paths.some((one) => beginsWith(reference.path ?? [], one));
    const use = uses.find((one) => paths.some((each) => isSame(one.path, each)));
    if (use === undefined) {
      // Relative paths may lead through the key without naming it: those stay as they are.
      if (through && reference.resolver !== undefined) {
        return refused(
          `\`\${${reference.written}}\` refers to it through a resolver. Change that one first.`,
        );
      }
      continue;
    }
    if (document.text.slice(use.span.start, use.span.end) !== entry.key) {
      return refused(
        `\`\${${reference.written}}\` refers to it with another spelling. Change that one first.`,
      );
    }
    if (!seen.has(use.span.start)) edits.push({ span: use.span, newText: newName });
    seen.add(use.span.start);
  }
  return { ok: true, edits };
}

function refused(message: string): RenameResult {
  return { ok: false, message };
}

function beginsWith(path: readonly string[], start: readonly string[]): boolean {
  return path.length >= start.length && isSame(path.slice(0, start.length), start);
}

/** Returns every path of an entry; aliases and `<<` can give an entry several paths. */
function ownersOf({ root }: ConfigDocument, { key, keySpan }: Entry): NodeBelow[] {
  return [...nodesIn(root)].filter(
    ({ entry }) => entry?.key === key && entry.keySpan.start === keySpan.start,
  );
}

function inQuotes({ text }: ConfigDocument, { start, end }: Span): Span {
  const quoted = /^(["'])[^]*\1$/.test(text.slice(start, end));
  return quoted ? { start: start + 1, end: end - 1 } : { start, end };
}

function renamedAnchor(
  document: ConfigDocument,
  group: readonly AnchorMark[],
  newName: string,
): RenameResult {
  if (!/^[^\s,[\]{}&*]+$/u.test(newName)) {
    return refused(`\`${newName}\` cannot be the name of an anchor. Do not use spaces or \`,[]{}&*\`.`);
  }
  const taken = group.every(({ name }) => name === newName)
    ? false
    : new RegExp(`&${newName.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![^\\s,[\\]{}])`, 'u').test(
        document.text,
      );
  if (taken) return refused(`The anchor \`${newName}\` already exists.`);
  return { ok: true, edits: group.map(({ span }) => ({ span, newText: newName })) };
}
