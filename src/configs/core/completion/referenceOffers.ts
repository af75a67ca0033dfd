import { isCompositionKey } from '../compose/compositionKeys.ts';
import { pathResolvers, resolverDocs } from '../interpolation/resolverDocs.ts';
import type { Config } from '../effectiveConfig.ts';
import type { Value } from '../value.ts';
import { valueText } from '../effective/origins.ts';
import type { ReferenceCaret } from './caretTypes.ts';
import { completion, snippetText, sortKey, type Completion } from './completion.ts';

const mostPaths = 3000;

/** Offers paths of the effective config, relative paths after a dot, and resolvers for `${…}`. */
export function referenceOffers(caret: ReferenceCaret, config: Config): Completion[] {
  const takesPath = caret.resolver === undefined || pathResolvers.has(caret.resolver);
  const paths = takesPath ? pathCompletions(caret, config) : [];
  return caret.resolver === undefined && !caret.written.startsWith('.')
    ? [...paths, ...resolverCompletions(caret)]
    : paths;
}

function pathCompletions(caret: ReferenceCaret, config: Config): Completion[] {
  const [dots = ''] = /^\.*/.exec(caret.written) ?? [];
  const place = caret.path.map(String);
  if (dots.length > place.length) return [];
  // One dot names the section that the value is in.
  const base = dots === '' ? [] : place.slice(0, place.length - dots.length);
  const start = base.length === 0 ? config.root : config.at(base.join('.'));
  if (start === undefined) return [];
  const own = place.join('.');
  return pathsBelow(start, base)
    .filter(({ path }) => path.join('.') !== own)
    .map(({ path, value }, index) => {
      const written = dots + path.slice(base.length).join('.');
      return completion({
        label: written,
        kind: 'reference',
        detail: value.kind === 'mapping' ? 'section' : valueText(value).replaceAll('`', ''),
        documentation: `\`${path.join('.')}\``,
        edit: { span: caret.span, newText: written + closing(caret) },
        // Whole sections are rarely meant.
        sortText: sortKey(value.kind === 'mapping' ? 1 : 0, index),
      });
    });
}

interface Found {
  readonly path: readonly string[];
  readonly value: Value;
}

/** Returns the paths that `${…}` can name; keys with dots or brackets are excluded. */
function pathsBelow(start: Value, base: readonly string[]): Found[] {
  const found: Found[] = [];
  const visit = (value: Value, path: readonly string[]): void => {
    if (value.kind !== 'mapping') return;
    for (const [key, child] of value.entries) {
      if (found.length >= mostPaths || !/^[\w-]+$/.test(key)) continue;
      if (path.length === 0 && isCompositionKey(key)) continue;
      found.push({ path: [...path, key], value: child });
      visit(child, [...path, key]);
    }
  };
  visit(start, base);
  return found;
}

function resolverCompletions(caret: ReferenceCaret): Completion[] {
  return Object.entries(resolverDocs).map(([name, doc], index) =>
    completion({
      label: name,
      kind: 'resolver',
      detail: 'resolver',
      documentation: doc.text,
      edit: { span: caret.span, newText: `${name}:${doc.arguments}${snippetText(closing(caret))}` },
      snippet: true,
      sortText: sortKey(2, index),
    }),
  );
}

function closing({ isClosed, resolver }: ReferenceCaret): string {
  return isClosed || resolver !== undefined ? '' : '}';
}
