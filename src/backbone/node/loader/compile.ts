/** How one TypeScript (or JSX) file of the user's becomes something that Node runs, with breakpoints in the file itself. */
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
  /** Node runs the file as it is; with a format where Node would choose another one. */
  | { readonly how: 'native'; readonly format: 'module-typescript' | undefined }
  | { readonly how: 'replaced'; readonly format: 'module' | 'commonjs'; readonly source: string };

/** `esm-as-cjs`: written with `import`, but relying on what only CommonJS has; TypeScript compiles it to `require`. */
type ModuleKind = 'esm' | 'cjs' | 'esm-as-cjs' | 'undecided';

/**
 * In order of preference, which is that of speed and of debugging: the file itself, stripped of types by Node (no
 * source map, nothing moves); Node's own transformation, with a source map; esbuild, with a source map.
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

/** Node's own work on types; undefined where it cannot, because of the file or of the Node. Throws `loader/syntax-error`. */
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
