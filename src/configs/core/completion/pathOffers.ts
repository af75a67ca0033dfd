import type { ConfigEnvironment } from '../context.ts';
import type { LinedText } from '../text.ts';
import { unquoted } from './caret.ts';
import type { ValueCaret } from './caretTypes.ts';
import { sortKey, type Completion } from './completion.ts';
import { valueCompletion } from './tableOffers.ts';

export interface PathRequest {
  readonly holds: 'file' | 'folder' | 'path';
  readonly configEnvironment: ConfigEnvironment;
}

/**
 * Offers the content of the folder that a partly written path names, relative to the folder that training starts in.
 */
export async function pathOffers(
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
