import type { FileReader, PathRules } from '../../../base/core/ports.ts';
import type { ConfigDocument } from '../parse.ts';
import type { LocatedProblem } from '../finding.ts';
import type { SearchFolder } from './searchPath.ts';
import { type MappingValue, type Value, fromNode, isSettled, locationOf, withoutKey } from '../value.ts';
import { type DefaultEntry, readDefaults, type Report } from './defaultsList.ts';
import { isFailure, parseText } from '../interpolation/grammar.ts';
import { resolvePlain } from '../scalar.ts';
import type { Location } from '../../../base/core/errors.ts';

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
    const { value: whole, problems } = readLayer(file, document, true);
    problems.forEach(problem);
    const { header, wrong } = readHeader(document.text);
    if (wrong !== undefined) {
      const location = { file, line: wrong.line };
      const hint = 'Write `# @package a.b`, or `# @package _global_`.';
      problem({ code: 'config/defaults', severity: 'error', message: wrong.message, location, hint });
    }
    return loadedFile(file, whole, header, report);
  }
}

/** A list that a file holds has no `defaults` to follow. The problems of `defaults` are reported once. */
export function loadedFile(
  file: string,
  whole: Value,
  header: string | undefined,
  report: Report,
): LoadedFile {
  const isMapping = whole.kind === 'mapping';
  const defaults = isMapping ? whole.entries.get('defaults') : undefined;
  readDefaults(defaults, report);
  const value = isMapping ? withoutKey(whole, 'defaults') : whole;
  return { file, value, header, entries: () => readDefaults(defaults, () => undefined) };
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

/**
 * A file read as far as it goes: what is in it, and what is wrong with it. A file without a value is an empty mapping.
 *
 * @param strict true if a duplicate key is an error. It is in every file except for one that a launcher has rewritten.
 */
export function readLayer(
  file: string,
  document: ConfigDocument,
  strict: boolean,
): { value: Value; problems: LocatedProblem[] } {
  const problems = document.problems.map(({ rule, severity, message, span }): LocatedProblem => {
    const refused = severity === 'error' || (strict && rule === 'duplicate-key');
    return {
      code: `config/${rule}`,
      severity: refused ? 'error' : severity,
      message,
      location: document.lines.location(file, span.start),
      hint: rule === 'duplicate-key' ? 'Remove one of the two.' : 'Correct this place.',
    };
  });
  const placeholders: Location[] = [];
  const { root, lines, text } = document;
  const value = root && fromNode(root, { file, lines, text }, (location) => placeholders.push(location));
  if (!problems.some((problem) => problem.severity === 'error')) {
    problems.push(...placeholders.map(placeholderProblem));
  }
  if (value !== undefined) collectBroken(value, problems);
  const origin = { kind: 'file', location: { file } } as const;
  return { value: value ?? { kind: 'mapping', entries: new Map(), origin }, problems };
}

/** Loading refuses what is no whole interpolation, and a key that is null, wherever they stand. */
function collectBroken(value: Value, problems: LocatedProblem[]): void {
  if (isSettled(value)) return;
  if (value.kind === 'mapping') {
    for (const child of value.entries.values()) collectBroken(child, problems);
    for (const key of value.otherKeys ?? [])
      if (resolvePlain(key).type === 'null') problems.push(nullKey(value, key));
  }
  if (value.kind === 'sequence') for (const item of value.items) collectBroken(item, problems);
  if (value.kind !== 'scalar' || typeof value.value !== 'string' || !value.value.includes('${')) return;
  const parsed = parseText(value.value);
  if (isFailure(parsed)) problems.push(brokenProblem(value, value.value, parsed.at));
}

function nullKey(section: MappingValue, key: string): LocatedProblem {
  const child = section.entries.get(key);
  const location = locationOf(child ?? section);
  return {
    code: 'config/key',
    severity: 'error',
    message: 'A key cannot be null.',
    hint: key === '' ? 'Write the key.' : `Quote it: \`'${key}'\`.`,
    ...(location && { location }),
  };
}

function brokenProblem({ origin }: Value, text: string, at: number): LocatedProblem {
  const start = Math.max(0, text.lastIndexOf('${', at));
  const open = !text.slice(start).includes('}');
  const shown = text.length > 60 ? `${text.slice(start, start + 60)}…` : text;
  return {
    code: 'config/interpolation',
    severity: 'error',
    message: open
      ? `The closing \`}\` of \`\${\` in \`${shown}\` is missing.`
      : `The interpolation in \`${shown}\` is not valid.`,
    hint: open
      ? 'Add the closing `}`, or write `\\${` for the characters themselves.'
      : 'Write `${section.key}`, or `\\${` for the characters themselves.',
    ...(origin.kind === 'file' && { location: origin.location }),
    inside: { start, end: text.length },
  };
}

function placeholderProblem(location: Location): LocatedProblem {
  return {
    code: 'config/placeholder',
    severity: 'error',
    message: 'The value is a placeholder of a template.',
    location,
    hint: 'Replace `{{…}}` with a value.',
  };
}
