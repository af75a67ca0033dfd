import { closest } from 'fastest-levenshtein';
import { finding, fix, isRule, type Finding, type Fix, ruleCatalog, type RuleId } from '../finding.ts';
import { scalarsIn, type Node, type ScalarNode } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import { currentId, renamedRules } from '../../../base/core/renamedIds.ts';
import type { Span, TextEdit } from '../text.ts';

/** One rule id in a comment that silences findings. */
interface Ignore {
  /** The current id of the rule. The comment may have its old id. */
  readonly rule: string;
  readonly span: Span;
  /** 0-based; undefined for the whole file. */
  readonly line: number | undefined;
  readonly comment: Comment;
}

interface Comment {
  /** From the `#` to the end of the line. */
  readonly span: Span;
  readonly ids: readonly Span[];
}

const marker = 'agentjet-ignore';
const commentForm = /(?<=^|[ \t])#[ \t]*agentjet-ignore(-file)?(?![\w-])[ \t:]*([^\r\n]*)/gm;
const idForm = /[\w-]+/y;

/**
 * Leaves out what comments silence: `# agentjet-ignore rule-id, …` on the line of a finding or alone on the line above,
 * `# agentjet-ignore-file rule-id` anywhere. Mistakes in such comments are findings too.
 *
 * @param active whether a rule is looked at at all: a comment for one that is switched off is not called unused
 */
export function suppress(
  document: ConfigDocument,
  findings: readonly Finding[],
  active: (rule: RuleId) => boolean = () => true,
): Finding[] {
  if (!document.text.includes(marker)) return [...findings];
  const ignores = ignoresIn(document);
  const used = new Set<Ignore>();
  const left = findings.filter((found) => {
    const silencing = ignores.filter((ignore) => silences(ignore, found));
    for (const ignore of silencing) used.add(ignore);
    return silencing.length === 0;
  });
  const about = ignores.flatMap((ignore) => {
    if (!isRule(ignore.rule)) return [unknownRule(document, ignore)];
    const renamed = renamedRule(document, ignore);
    return used.has(ignore) || !active(ignore.rule) ? renamed : [...renamed, unusedIgnore(document, ignore)];
  });
  return [...left, ...about.filter((found) => !ignores.some((ignore) => silences(ignore, found)))];
}

/** The fixes of a finding as they are offered: its own, then the one that silences it. */
export function fixesFor(document: ConfigDocument, found: Finding): readonly Fix[] {
  return [
    ...found.fixes,
    ...fix(`Ignore \`${found.rule}\` on this line`, ignoreEdit(document, found)),
    ...fix(`Ignore \`${found.rule}\` in this file`, ignoreInFile(document, found)),
  ];
}

/** Adds to the first comment for the whole file, else a comment on the first line. */
function ignoreInFile(document: ConfigDocument, { rule }: Finding): TextEdit | undefined {
  if (ruleCatalog[rule].severity === 'error' && document.root === undefined) return undefined;
  const present = ignoresIn(document)
    .find(({ line }) => line === undefined)
    ?.comment.ids.at(-1);
  if (present !== undefined) return insertion(present.end, `, ${rule}`);
  const { text } = document;
  // A byte order mark and a language server's comment stay first.
  const [head] = /^\ufeff?(?:#[ \t]*yaml-language-server[^\r\n]*\r?\n)?/.exec(text) ?? [''];
  return insertion(head.length, `# ${marker}-file ${rule}${text.includes('\r\n') ? '\r\n' : '\n'}`);
}

/** Undefined if a comment would change the text. */
function ignoreEdit(document: ConfigDocument, { rule, range }: Finding): TextEdit | undefined {
  const { line } = range.start;
  if (ruleCatalog[rule].severity === 'error' && document.root === undefined) return undefined;
  const present = ignoresIn(document)
    .findLast((ignore) => ignore.line === line)
    ?.comment.ids.at(-1);
  if (present !== undefined) return insertion(present.end, `, ${rule}`);
  const { text, lines, root } = document;
  const { start, end } = lines.line(line);
  const written = text.slice(start, end);
  const atEnd = scalarAround(root, end);
  const endsInValue = atEnd !== undefined && (atEnd.span.end > end || atEnd.style === 'block');
  if (!endsInValue && !/(?:^|[ \t])#/.test(written) && written.trim() !== '') {
    return insertion(start + written.trimEnd().length, `  # ${marker} ${rule}`);
  }
  const atStart = scalarAround(root, start);
  if (atStart !== undefined && atStart.span.start < start) return undefined;
  const [indent] = /^[ ]*/.exec(written) ?? [''];
  return insertion(start, `${indent}# ${marker} ${rule}${text.includes('\r\n') ? '\r\n' : '\n'}`);
}

function insertion(offset: number, newText: string): TextEdit {
  return { span: { start: offset, end: offset }, newText };
}

function silences({ rule, line }: Ignore, found: Finding): boolean {
  return rule === found.rule && (line === undefined || line === found.range.start.line);
}

function ignoresIn(document: ConfigDocument): Ignore[] {
  if (!document.text.includes(marker)) return [];
  return [...document.text.matchAll(commentForm)].flatMap((match) => {
    const [whole, wholeFile, list = ''] = match;
    const start = match.index;
    if (scalarAround(document.root, start) !== undefined) return [];
    const end = start + whole.length;
    const ids = idsIn(list, end - list.length);
    const comment: Comment = { span: { start, end }, ids };
    const line = wholeFile === undefined ? lineMeant(document, start) : undefined;
    return ids.map((span) => {
      const rule = currentId(renamedRules, document.text.slice(span.start, span.end));
      return { rule, span, line, comment };
    });
  });
}

/** Ids with commas between them; what comes after is for people. */
function idsIn(list: string, offset: number): Span[] {
  const ids: Span[] = [];
  let at = 0;
  for (;;) {
    idForm.lastIndex = at;
    const [id] = idForm.exec(list) ?? [];
    if (id === undefined) return ids;
    ids.push({ start: offset + at, end: offset + at + id.length });
    const [comma] = /^[ \t]*,[ \t]*/.exec(list.slice(at + id.length)) ?? [];
    if (comma === undefined) return ids;
    at += id.length + comma.length;
  }
}

/** The comment's own line where something else is on it, else the next line that says something. */
function lineMeant({ text, lines }: ConfigDocument, offset: number): number {
  const { line } = lines.position(offset);
  if (text.slice(lines.line(line).start, offset).trim() !== '') return line;
  for (let below = line + 1; below < lines.count; below++) {
    const { start, end } = lines.line(below);
    if (!/^\s*(?:#|$)/.test(text.slice(start, end))) return below;
  }
  return line;
}

/** The text or number that an offset is inside of, where a `#` begins no comment. */
function scalarAround(root: Node | undefined, offset: number): ScalarNode | undefined {
  return [...scalarsIn(root)].find(({ span }) => span.start < offset && offset < span.end);
}

function unknownRule(document: ConfigDocument, { rule, span, comment }: Ignore): Finding {
  const nearest = closest(rule, Object.keys(ruleCatalog));
  const message = `The rule \`${rule}\` does not exist. Did you mean \`${nearest}\`?`;
  const fixes = (): Fix[] => [
    ...fix(`Change to \`${nearest}\``, { span, newText: nearest }),
    ...fix('Remove it', removal(document, span, comment)),
  ];
  return finding(document, span, { rule: 'unknown-rule', severity: 'information', message, fixes });
}

function renamedRule(document: ConfigDocument, { rule, span }: Ignore): Finding[] {
  const old = document.text.slice(span.start, span.end);
  if (old === rule) return [];
  const message = `The rule \`${old}\` is now \`${rule}\`. A later version will not know the old id.`;
  const fixes = (): Fix[] => fix(`Change to \`${rule}\``, { span, newText: rule });
  return [
    finding(document, span, {
      rule: 'renamed-rule',
      severity: 'information',
      message,
      fixes,
      tag: 'deprecated',
    }),
  ];
}

function unusedIgnore(document: ConfigDocument, { rule, span, line, comment }: Ignore): Finding {
  const where = line === undefined ? 'in this file' : 'on this line';
  const message = `\`${rule}\` has no finding ${where}, so this comment has no effect.`;
  const fixes = (): Fix[] => fix('Remove it', removal(document, span, comment));
  return finding(document, span, {
    rule: 'unused-ignore',
    severity: 'hint',
    message,
    fixes,
    tag: 'unnecessary',
  });
}

/** Removes one id from a comment, or the whole comment and its line with the last id. */
function removal({ text, lines }: ConfigDocument, span: Span, { span: whole, ids }: Comment): TextEdit {
  const index = ids.findIndex((id) => id.start === span.start);
  const next = ids[index + 1];
  const before = ids[index - 1];
  if (next !== undefined) return { span: { start: span.start, end: next.start }, newText: '' };
  if (before !== undefined) return { span: { start: before.end, end: span.end }, newText: '' };
  const { line } = lines.position(whole.start);
  const { start } = lines.line(line);
  const rest = text.slice(start, whole.start);
  if (rest.trim() === '') return { span: { start, end: lines.after(line) }, newText: '' };
  return { span: { start: start + rest.trimEnd().length, end: whole.end }, newText: '' };
}
