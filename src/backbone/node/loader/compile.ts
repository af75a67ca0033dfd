/** Compiles a TypeScript or JSX file of the user for Node.js, with breakpoints in the file itself. */
import * as nodeModule from 'node:module';
import process from 'node:process';
import { parseScript, type ParsedText } from '../../../configs/core/code/syntaxTree.ts';
import { loaderErrors } from './errors.ts';
import { runEsbuild } from './esbuild.ts';
import { dropUnusedImports, moduleSyntaxOf, type ModuleSyntax } from './moduleSyntax.ts';
import type { CompilerOptions, ModuleScope } from './project.ts';
import { headLocation } from './stack.ts';
import { isJsx, isTypeScript } from './userFiles.ts';

export interface CompileInput {
  readonly file: string;
  readonly url: string;
  readonly source: string;
  readonly scope: ModuleScope;
  readonly options: CompilerOptions;
}

export type Compiled =
  /** Node.js runs the file unchanged. The format is set if Node.js would choose another one. */
  | { readonly how: 'native'; readonly format: 'module-typescript' | undefined }
  | { readonly how: 'replaced'; readonly format: 'module' | 'commonjs'; readonly source: string };

/**
 * The kind of a module. `esm-as-cjs` is written with `import` but needs names of CommonJS, so TypeScript compiles it
 * to `require`.
 */
type ModuleKind = 'esm' | 'cjs' | 'esm-as-cjs' | 'undecided';

/**
 * Compiles a file in the fastest way that works. First: Node.js strips the types (no source map, positions stay).
 * Second: Node.js transforms the file, with a source map. Last: esbuild, with a source map.
 */
export function compileTypeScript(input: CompileInput, esbuild: string): Compiled {
  const stripped = isJsx(input.file) ? undefined : nodeTypes(input, { mode: 'strip' });
  if (stripped !== undefined) {
    const parsed = parseScript(stripped);
    const syntax = moduleSyntaxOf(parsed);
    const kind = kindOf(input.scope, syntax);
    if (!syntax.hasDecorators && kind !== 'esm-as-cjs') return compileStripped(input, parsed, kind);
  }
  return compileTransformed(input, esbuild);
}

function compileStripped(input: CompileInput, stripped: ParsedText, kind: ModuleKind): Compiled {
  const dropped = withoutUnusedImports(input, stripped);
  if (dropped === undefined && process.features.typescript !== false) {
    const overrides = kind === 'esm' && input.scope === 'commonjs';
    return { how: 'native', format: overrides ? 'module-typescript' : undefined };
  }
  // Without the comment a breakpoint would stop in a read-only copy of the file.
  const source = `${dropped ?? stripped.text}\n//# sourceURL=${input.url}`;
  return { how: 'replaced', format: kind === 'esm' ? 'module' : 'commonjs', source };
}

function compileTransformed(input: CompileInput, esbuild: string): Compiled {
  const syntax = moduleSyntaxOf(parseScript(input.source));
  const kind = kindOf(input.scope, syntax);
  const format = kind === 'esm' ? 'module' : 'commonjs';
  const nodeCan =
    isTypeScript(input.file) &&
    !isJsx(input.file) &&
    !syntax.hasDecorators &&
    kind !== 'esm-as-cjs' &&
    input.options.useDefineForClassFields !== false;
  const transformed = nodeCan ? nodeTypes(input, { mode: 'transform', sourceMap: true }) : undefined;
  if (transformed !== undefined) {
    const dropped = withoutUnusedImports(input, parseScript(transformed));
    return { how: 'replaced', format, source: dropped ?? transformed };
  }
  const source = runEsbuild(esbuild, { ...input, format: kind === 'esm' ? 'esm' : 'cjs' });
  return { how: 'replaced', format, source };
}

function kindOf(scope: ModuleScope, { isModule, needsCommonJs }: ModuleSyntax): ModuleKind {
  if (scope === 'module') return 'esm';
  if (isModule) return needsCommonJs ? 'esm-as-cjs' : 'esm';
  return scope === 'undecided' ? 'undecided' : 'cjs';
}

function withoutUnusedImports({ options }: CompileInput, parsed: ParsedText): string | undefined {
  return options.verbatimModuleSyntax === true ? undefined : dropUnusedImports(parsed);
}

type StripOptions = NonNullable<Parameters<typeof nodeModule.stripTypeScriptTypes>[1]>;

/**
 * Lets Node.js strip or transform types. Returns undefined if the file or this version of Node.js does not allow it.
 * Throws `loader/syntax-error`.
 */
function nodeTypes(input: CompileInput, options: StripOptions): string | undefined {
  if (typeof nodeModule.stripTypeScriptTypes !== 'function') return undefined;
  const sourceUrl = options.mode === 'transform' ? { sourceUrl: input.url } : {};
  try {
    return nodeModule.stripTypeScriptTypes(input.source, { ...options, ...sourceUrl });
  } catch (error) {
    if (!isInvalidSyntax(error)) return undefined; // not for stripping, or a Node that was built without it
    const place = headLocation(error);
    throw loaderErrors.syntax({ ...place, file: input.file }, error.message);
  }
}

function isInvalidSyntax(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_TYPESCRIPT_SYNTAX';
}
