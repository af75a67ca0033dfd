import { compose, type Composition } from '../compose.ts';
import type { ConfigEnvironment } from '../context.ts';
import type { Dialect } from '../dialect.ts';
import type { LinedText } from '../text.ts';
import { caretAt, unquoted } from './caret.ts';
import type { Caret, ValueCaret } from './caretTypes.ts';
import { type Completion, sortKey } from './completion.ts';
import { defaultsOffers } from './defaultsOffers.ts';
import { locatorOffers } from './locatorOffers.ts';
import { referenceOffers } from './referenceOffers.ts';
import { offersOfTable, valueCompletion } from './tableOffers.ts';

export interface CompletionRequest {
  readonly dialect: Dialect;
  readonly configEnvironment: ConfigEnvironment;
  /** The last composition of the config. If it is absent, the config is composed when it is needed. */
  readonly composition?: Composition;
}

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
  const around = await Promise.all(carets.map((caret) => offersAt(document, caret, request)));
  return [...around.flat(), ...withoutSame(known, around.flat())];
}

function withoutSame(known: readonly Completion[], others: readonly Completion[]): Completion[] {
  const labels = new Set(others.map(({ label }) => label));
  return known.filter(({ label }) => !labels.has(label));
}

async function offersAt(
  document: LinedText,
  caret: Caret,
  request: CompletionRequest,
): Promise<Completion[]> {
  if (caret.kind === 'key') return [];
  if (caret.kind === 'reference') {
    const composition = request.composition ?? (await composed(document, request));
    return referenceOffers(caret, composition.config);
  }
  return valueOffers(document, caret, request);
}

function composed(
  { text }: LinedText,
  { dialect, configEnvironment }: CompletionRequest,
): Promise<Composition> {
  return compose({ ...configEnvironment, text, dialect });
}

async function valueOffers(
  document: LinedText,
  caret: ValueCaret,
  request: CompletionRequest,
): Promise<Completion[]> {
  const { dialect, configEnvironment } = request;
  if (dialect.composition === 'hydra' && caret.path[0] === 'defaults') {
    return defaultsOffers(document, caret, {
      dialect,
      configEnvironment,
      composition: request.composition ?? (await composed(document, request)),
    });
  }
  const table = dialect.keys();
  const isItem = caret.path.at(-1) === 0;
  const key = table.find(isItem ? caret.path.slice(0, -1) : caret.path);
  switch (key?.info?.holds) {
    case 'workflow':
    case 'judge':
      return locatorOffers(document, caret, {
        holds: key.info.holds,
        dialect,
        configEnvironment,
      });
    case 'file':
    case 'folder':
    case 'path':
      return pathOffers(document, caret, { holds: key.info.holds, configEnvironment });
    default:
      return [];
  }
}

interface PathRequest {
  readonly holds: 'file' | 'folder' | 'path';
  readonly configEnvironment: ConfigEnvironment;
}

/**
 * Offers the content of the folder that a partly written path names, relative to the folder that training starts in.
 */
async function pathOffers(
  document: LinedText,
  caret: ValueCaret,
  { holds, configEnvironment }: PathRequest,
): Promise<Completion[]> {
  const { files, paths, cwd } = configEnvironment;
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
  return [
    ...names
      .filter(shown)
      .sort()
      .map((name, index) => offer(name, false, index)),
    ...[...folders]
      .filter(shown)
      .sort()
      .map((name, index) => offer(name, true, index)),
  ];
}
