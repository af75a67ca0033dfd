import type { CodeSite } from './classes.ts';
import { LineMap } from '../text.ts';
import { largestSource, type CodeFiles, type FileStamp } from './codeFiles.ts';
import type { Declaration, ModuleScan } from './moduleScan.ts';
import { scanPython } from './scanPython.ts';
import { scanTypeScript } from './scanTypeScript.ts';

export interface Module {
  readonly file: string;
  readonly language: CodeSite['language'];
  readonly scan: ModuleScan;
  /** The 1-based positions of the names of declarations. */
  readonly places: ReadonlyMap<Declaration, Pick<CodeSite, 'line' | 'column'>>;
}

const mostRemembered = 10_000;

/** Scans files when asked for, and again only when they have changed. */
export class Modules {
  readonly #files: CodeFiles;
  readonly #known = new Map<
    string,
    { readonly version: string; readonly module: Promise<Module | undefined> }
  >();

  constructor(files: CodeFiles) {
    this.#files = files;
  }

  /** Undefined where there is no such file, or none that can be read as text. */
  async get(file: string): Promise<Module | undefined> {
    const stamp = await this.stamp(file);
    if (stamp?.kind !== 'file' || stamp.size > largestSource) return undefined;
    const known = this.#known.get(file);
    if (known?.version === stamp.version) return known.module;
    if (this.#known.size >= mostRemembered) this.#known.clear();
    const module = this.#read(file);
    this.#known.set(file, { version: stamp.version, module });
    return module;
  }

  async stamp(path: string): Promise<FileStamp | undefined> {
    try {
      return await this.#files.stamp(path);
    } catch {
      return undefined; // not to be looked at is as good as not there: nothing is claimed about it
    }
  }

  async #read(file: string): Promise<Module | undefined> {
    try {
      const text = await this.#files.readText(file);
      return text === undefined ? undefined : scanModule(file, text);
    } catch {
      return undefined; // as above
    }
  }
}

function scanModule(file: string, text: string): Module {
  const language = file.endsWith('.py') ? 'python' : 'typescript';
  const scan = language === 'python' ? scanPython(text) : scanTypeScript(text);
  const lines = new LineMap(text);
  const declared = [...scan.names.values(), ...scan.hidden.values()].flatMap((binding) =>
    binding.kind === 'declared' ? [binding.declaration] : [],
  );
  const places = new Map(
    [...scan.declarations, ...declared].map((declaration) => {
      const { line, character } = lines.position(declaration.offset);
      return [declaration, { line: line + 1, column: character + 1 }] as const;
    }),
  );
  return { file, language, scan, places };
}
