import { createRequire } from 'node:module';
import type * as TypeScript from 'typescript';
import { loaderErrors } from './errors.ts';
import type { CompilerOptions } from './project.ts';
import { isJsx } from './userFiles.ts';

export interface TranspileInput {
  readonly file: string;
  readonly url: string;
  readonly source: string;
  readonly format: 'module' | 'commonjs';
  readonly options: CompilerOptions;
}

/** The options of a tsconfig that change the code. */
const relevantOptions = [
  'emitDecoratorMetadata',
  'experimentalDecorators',
  'jsx',
  'jsxFactory',
  'jsxFragmentFactory',
  'jsxImportSource',
  'target',
  'useDefineForClassFields',
  'verbatimModuleSyntax',
] as const;

/**
 * Compiles one file with the TypeScript compiler, for what Node.js cannot. Module hooks are synchronous, so the compiler is
 * loaded with `require`, which takes about a quarter of a second. The only source of the inline source map is the URL of the
 * file, so breakpoints bind in the real file. Throws `loader/syntax-error`.
 *
 * @param compiler the absolute path of the TypeScript package or of its bundle
 */
export function transpile(compiler: string, input: TranspileInput): string {
  const { file, url, source } = input;
  const ts = createRequire(import.meta.url)(compiler) as typeof TypeScript;
  const compilerOptions = optionsFor(ts, input);
  const { outputText, sourceMapText, diagnostics } = ts.transpileModule(source, {
    ...{ fileName: file, reportDiagnostics: true, compilerOptions },
  });
  for (const { file: place, start = 0, messageText } of diagnostics ?? []) {
    if (place === undefined) continue; // about an option, not about the code
    const { line, character } = place.getLineAndCharacterOfPosition(start);
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    throw loaderErrors.syntax({ file, line: line + 1, column: character + 1 }, message);
  }
  const map = { ...(JSON.parse(sourceMapText ?? '{}') as object), file: undefined, sources: [url] };
  const inline = Buffer.from(JSON.stringify(map)).toString('base64');
  const code = outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, '');
  return `${code}//# sourceMappingURL=data:application/json;base64,${inline}\n`;
}

function optionsFor(
  ts: typeof TypeScript,
  { file, format, options }: TranspileInput,
): TypeScript.CompilerOptions {
  const chosen = Object.fromEntries(relevantOptions.map((key) => [key, options[key]]));
  const { options: own } = ts.convertCompilerOptionsFromJson(chosen, '.');
  const { target = ts.ScriptTarget.ESNext, jsx = ts.JsxEmit.React } = own;
  const isLeft = jsx === ts.JsxEmit.Preserve || jsx === ts.JsxEmit.ReactNative;
  return {
    useDefineForClassFields: target >= ts.ScriptTarget.ES2022,
    ...own,
    // JSX that is left would need another tool, and there is none.
    ...(isJsx(file) && { jsx: isLeft ? ts.JsxEmit.ReactJSX : jsx }),
    target: ts.ScriptTarget.ES2024,
    // Node20 keeps dynamic imports in CommonJS.
    module: format === 'module' ? ts.ModuleKind.ESNext : ts.ModuleKind.Node20,
    ...(format === 'commonjs' && { verbatimModuleSyntax: false }),
    sourceMap: true,
    inlineSources: true,
    allowJs: true,
  };
}
