import type { FileReader, PathRules } from '../../../base/core/ports.ts';
import { readLayer } from './readLayer.ts';
import type { ConfigDocument } from '../parse.ts';
import type { LocatedProblem } from '../finding.ts';
import type { SearchFolder } from './searchPath.ts';
import type { MappingValue, Value } from '../value.ts';
import type { DefaultEntry } from './defaultEntry.ts';
import { readDefaults, type Report } from './defaultsList.ts';

/** A file that `defaults` names, or its substitute. */
export interface LoadedFile {
  /** Absolute; undefined for what comes with this program. */
  readonly file: string | undefined;
  /** Without the steering `defaults`. */
  readonly value: Value;
  readonly header: string | undefined;
  /** New ones each time, as composing changes them. */
  readonly entries: () => DefaultEntry[];
}

export interface RepositoryContext {
  readonly folders: readonly SearchFolder[];
  readonly files: FileReader;
  readonly paths: PathRules;
  readonly parse: (file: string, text: string) => ConfigDocument;
  /** The substitute for a file that no folder has. */
  readonly bundled: (path: string) => MappingValue | undefined;
  readonly problem: (problem: LocatedProblem) => void;
  readonly report: Report;
}

/** Finds and reads the files of a search path, each once. */
export class Repository {
  readonly #context: RepositoryContext;
  readonly #loaded = new Map<string, Promise<LoadedFile | undefined>>();

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  /** `path`: from the top of the search path, without `.yaml`. Undefined where no folder has it. */
  load(path: string): Promise<LoadedFile | undefined> {
    const known = this.#loaded.get(path);
    if (known !== undefined) return known;
    const loading = this.#find(path);
    this.#loaded.set(path, loading);
    return loading;
  }

  async #find(path: string): Promise<LoadedFile | undefined> {
    const { folders, files, paths, parse, bundled } = this.#context;
    const name = path.endsWith('.yaml') ? path : `${path}.yaml`;
    for (const { folder } of folders) {
      if (folder === undefined) continue;
      const file = paths.resolve(folder, name);
      const text = await files.readText(file);
      if (text !== undefined) return this.#read(file, parse(file, text));
    }
    const value = bundled(path);
    return value && { file: undefined, value, header: undefined, entries: () => [] };
  }

  #read(file: string, document: ConfigDocument): LoadedFile {
    const { problem, report } = this.#context;
    const { value: whole, problems } = readLayer(file, document, { strict: true });
    problems.forEach(problem);
    const { header, wrong } = readHeader(document.text);
    if (wrong !== undefined) {
      const location = { file, line: wrong.line };
      const hint = 'Write `# @package a.b`, or `# @package _global_`.';
      problem({ code: 'config/defaults', severity: 'error', message: wrong.message, location, hint });
    }
    const { defaults, value } = withoutDefaults(whole);
    readDefaults(defaults, report);
    return { file, value, header, entries: () => readDefaults(defaults, () => undefined) };
  }
}

/** A list that a file holds has no `defaults` to follow. */
export function withoutDefaults(value: Value): { value: Value; defaults: Value | undefined } {
  if (value.kind !== 'mapping' || !value.entries.has('defaults')) return { value, defaults: undefined };
  const entries = new Map(value.entries);
  entries.delete('defaults');
  return { value: { ...value, entries }, defaults: value.entries.get('defaults') };
}

/** Number of characters in which Hydra looks for `# @package`. */
const longestHeader = 512;

/**
 * Reads `# @package a.b` at the head of a file: the default package of its content. Only blank lines and lines of this
 * kind may precede it. `wrong` is a line that Hydra rejects.
 */
function readHeader(text: string): {
  readonly header: string | undefined;
  readonly wrong?: { readonly line: number; readonly message: string };
} {
  let header: string | undefined;
  for (const [index, line] of text
    .slice(0, longestHeader)
    .split(/\r\n|\n|\r/)
    .entries()) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    if (!/^#\s*@/.test(trimmed)) break;
    const words = trimmed.replace(/^#+/, '').trim().split(' ').filter(Boolean);
    const [key, value] = words;
    if (value === undefined || words.length > 2) {
      return {
        header,
        wrong: { line: index + 1, message: `\`${trimmed}\` is not a header that Hydra can read.` },
      };
    }
    if (key === '@package') header = value;
  }
  return { header };
}
