import { compose, type Composition } from '../compose.ts';
import type { ConfigEnvironment } from '../context.ts';
import type { LinedText } from '../text.ts';
import { caretAt, unquoted } from './caret.ts';
import type { Caret, ValueCaret } from './caretTypes.ts';
import { type Completion, type CompletionRequest, sortKey } from './completion.ts';
import { defaultsOffers } from './defaultsOffers.ts';
import { locatorOffers } from './locatorOffers.ts';
import { referenceOffers } from './referenceOffers.ts';
import { offersOfTable, valueCompletion } from './tableOffers.ts';

/**
 * Everything that can stand at an offset: what `complete` gives, and paths and resolvers within `${…}`, entries of
 * `defaults`, files, and the workspace's classes. Rejects only when a file is there but cannot be read.
 */
export async function completeIn(
  document: LinedText,
  offset: number,
  request: CompletionRequest,
): Promise<Completion[]> {
  const carets = caretAt(document, offset);
  const known = offersOfTable(document, carets, request.dialect.keys());
  const around = (await Promise.all(carets.map((caret) => offersAt(document, caret, request)))).flat();
  const labels = new Set(around.map(({ label }) => label));
  return [...around, ...known.filter(({ label }) => !labels.has(label))];
}

async function offersAt(
  document: LinedText,
  caret: Caret,
  request: CompletionRequest,
): Promise<Completion[]> {
  if (caret.kind === 'key') return [];
  const { dialect, configEnvironment } = request;
  const composed = async (): Promise<Composition> =>
    request.composition ?? compose({ ...configEnvironment, text: document.text, dialect });
  if (caret.kind === 'reference') return referenceOffers(caret, (await composed()).config);
  if (dialect.composition === 'hydra' && caret.path[0] === 'defaults') {
    const composition = await composed();
    return defaultsOffers(document, caret, { dialect, configEnvironment, composition });
  }
  const isItem = caret.path.at(-1) === 0;
  const key = dialect.keys().find(isItem ? caret.path.slice(0, -1) : caret.path);
  const holds = key?.info?.holds;
  switch (holds) {
    case 'workflow':
    case 'judge':
      return locatorOffers(document, caret, holds, request);
    case 'file':
    case 'folder':
    case 'path':
      return pathOffers(document, caret, holds, configEnvironment);
    default:
      return [];
  }
}

/** Offers what the folder of a partly written path has. Paths are relative to the folder that training starts in. */
async function pathOffers(
  document: LinedText,
  caret: ValueCaret,
  holds: 'file' | 'folder' | 'path',
  { files, paths, cwd }: ConfigEnvironment,
): Promise<Completion[]> {
  const written = unquoted(document.text.slice(caret.span.start, caret.span.end)).replace(/^['"]/, '');
  const [, scheme = '', above = ''] = /^(file:\/\/)?(.*\/)?/.exec(written) ?? [];
  const folder = paths.resolve(cwd, above === '' ? '.' : above);
  const [names, folders] = await Promise.all([
    holds === 'folder' ? [] : files.list(folder),
    files.folders?.(folder) ?? [],
  ]);
  const offer = (name: string, isFolder: boolean, index: number): Completion => {
    const path = `${scheme}${above}${name}${isFolder ? '/' : ''}`;
    return {
      ...valueCompletion(document, caret, path, true),
      kind: isFolder ? 'folder' : 'file',
      detail: isFolder ? 'folder' : '',
      documentation: '',
      sortText: sortKey(isFolder ? 1 : 0, index),
      opensNext: isFolder,
    };
  };
  const shown = (name: string): boolean =>
    !name.startsWith('.') || written.slice(above.length).startsWith('.');
  const offers = (all: readonly string[], isFolder: boolean): Completion[] =>
    all
      .filter(shown)
      .sort()
      .map((name, index) => offer(name, isFolder, index));
  return [...offers(names, false), ...offers(folders, true)];
}
