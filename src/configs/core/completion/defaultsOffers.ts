import type { Dialect } from '../dialect.ts';
import { readSearchPath } from '../compose/searchPath.ts';
import type { LinedText } from '../text.ts';
import type { ValueCaret } from './caretTypes.ts';
import { sortKey, type Completion, type CompletionRequest } from './completion.ts';
import { valueCompletion } from './tableOffers.ts';

type DefaultsRequest = Required<CompletionRequest>;

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'value';
  readonly detail: string;
}

/** Entries that a `defaults` list does not have yet: files along the search path, what is bundled, and `_self_`. */
export async function defaultsOffers(
  document: LinedText,
  caret: ValueCaret,
  request: DefaultsRequest,
): Promise<Completion[]> {
  const group = groupOf(caret);
  if (group === undefined) return [];
  const files = await filesOf(group, request);
  const own = group === '' ? ownEntries(request.dialect) : [];
  const names = new Map([...own, ...files].map((entry) => [entry.name, entry]));
  return [...names.values()]
    .filter(({ name }) => !caret.present.has(name))
    .map(({ name, kind, detail }, index) => ({
      ...valueCompletion(document, caret, name, true),
      kind,
      detail,
      documentation: name === '_self_' ? selfText : '',
      sortText: sortKey(0, index),
    }));
}

const selfText =
  'This file. It overwrites the entries before it in the list. The entries after it overwrite this file.';

/** A plain entry is in no group; behind `group:` a file of that folder is chosen. */
function groupOf({ path }: ValueCaret): string | undefined {
  if (path.length === 2) return '';
  const written = path.length === 3 ? String(path[2]) : undefined;
  return written?.replace(/^(?:(?:optional|override)\s+)*\/?/, '').replace(/@.*$/, '');
}

function ownEntries({ bundled }: Dialect): Entry[] {
  const entries = bundled.map((name): Entry => ({ name, kind: 'value', detail: 'bundled' }));
  return [...entries, { name: '_self_', kind: 'value', detail: 'this file' }];
}

async function filesOf(group: string, { configEnvironment, composition }: DefaultsRequest): Promise<Entry[]> {
  const { files, paths } = configEnvironment;
  const list = composition.config.at('hydra.searchpath');
  const searched = list === undefined ? [] : (await readSearchPath(list, configEnvironment)).folders;
  const found = searched.flatMap(({ folder }) => folder ?? []);
  const folders = [...found, ...(group === '' ? [] : [paths.dirname(configEnvironment.file)])];
  const listed = folders.map(async (folder): Promise<Entry[]> => {
    const names = await files.list(paths.resolve(folder, group));
    return names
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => ({ name: name.slice(0, -'.yaml'.length), kind: 'file', detail: folder }));
  });
  return (await Promise.all(listed)).flat();
}
