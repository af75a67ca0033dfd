/** Makes the page of all error codes from the sources: what each error says, and what to do. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { groupBy } from '../../src/tracking/core/groupBy.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface ErrorDoc {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Returns the page as Markdown. One code can have several messages. */
export function errorDocs(): string {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).sort();
  const errors = files.flatMap((file) => errorsIn(readFileSync(path.join(root, file), 'utf8')));
  const areas = groupBy(sorted(errors), ({ code }) => code.split('/')[0] ?? '');
  return [
    '# Errors',
    'All errors by their code, with what they say and what to do. A `…` stands for a name, number or path. See also',
    '[Troubleshooting](troubleshooting.md).',
    ...[...areas].flatMap(([area, members]) => [
      '',
      `## ${area}`,
      ...[...groupBy(members, ({ code }) => code)].flatMap(entry),
    ]),
  ].join('\n');
}

function entry([code, texts]: readonly [string, readonly ErrorDoc[]]): string[] {
  return [
    '',
    `### \`${code}\``,
    ...texts.flatMap(({ message, hint }) => ['', message, ...(hint === '' ? [] : ['', hint])]),
  ];
}

function sorted(errors: readonly ErrorDoc[]): ErrorDoc[] {
  const unique = new Map(errors.map((error) => [JSON.stringify(error), error]));
  return [...unique.values()].sort((a, b) => a.code.localeCompare(b.code, 'en'));
}

/** Returns the errors that a source makes: objects with a code such as `loader/no-such-export` and a message. */
function errorsIn(text: string): ErrorDoc[] {
  const found: ErrorDoc[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const error = errorOf(node);
      if (error !== undefined) found.push(error);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found;
}

function errorOf(object: ts.ObjectLiteralExpression): ErrorDoc | undefined {
  const valueOf = (name: string): string =>
    object.properties
      .filter(ts.isPropertyAssignment)
      .filter((property) => property.name.getText() === name)
      .map(({ initializer }) => textOf(initializer))[0] ?? '';
  const [code, message, hint] = [valueOf('code'), valueOf('message'), valueOf('hint')];
  // An error that only passes on the message of another says nothing here.
  const says = (text: string): boolean => /\p{L}{3}/u.test(text);
  if (!/^[a-z]+\/[a-z0-9-]+$/.test(code) || !says(message)) return undefined;
  return { code, message, hint: says(hint) ? hint : '' };
}

/** Returns a text with `…` for each part that is known only when the error occurs. */
function textOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return escaped(node.text);
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(({ expression, literal }) => {
      const part = ts.isStringLiteralLike(expression) ? expression.text : '…';
      return `${part}${literal.text}`;
    });
    return escaped(`${node.head.text}${parts.join('')}`);
  }
  if (ts.isBinaryExpression(node)) return `${textOf(node.left)}${textOf(node.right)}`;
  if (ts.isCallExpression(node) && /\bt$/.test(node.expression.getText())) {
    const [text] = node.arguments;
    return text === undefined ? '…' : textOf(text).replaceAll(/\{\d+\}/g, '…');
  }
  return '…';
}

/** Escapes what Markdown would take for markup, outside of code. */
function escaped(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[<>*_[\]]/g, String.raw`\$&`)))
    .join('');
}
