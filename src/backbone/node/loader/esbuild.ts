/**
 * Runs the WebAssembly build of esbuild (one package for every platform) for TypeScript that Node.js cannot compile.
 * Module hooks are synchronous, so it runs as a child process.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { loaderErrors } from './errors.ts';
import type { CompilerOptions } from './project.ts';
import { isJsx, isTypeScript } from './userFiles.ts';

export interface EsbuildInput {
  readonly file: string;
  readonly url: string;
  readonly source: string;
  readonly format: 'esm' | 'cjs';
  readonly options: CompilerOptions;
}

/** Options of a tsconfig that affect the code. esbuild gets them from here. */
const relevantOptions = [
  'alwaysStrict',
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
 * Returns JavaScript with an inline source map. Its only source is the URL of the file, so breakpoints bind in the
 * real file. Throws `loader/syntax-error`. Takes about a quarter of a second, mostly to start esbuild.
 */
export function runEsbuild(program: string, input: EsbuildInput): string {
  const result = spawnSync(process.execPath, [...nodeArguments, program, ...argumentsFor(input)], {
    input: input.source,
    env: { ...process.env, NODE_OPTIONS: '' },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    windowsHide: true,
  });
  if (result.status === 0) return result.stdout;
  throw syntaxError(result.stderr, input.file) ?? loaderErrors.esbuildFailed(input.file, failure(result));
}

/** Skips optimization of esbuild's 12 MB of WebAssembly, which takes three times as long as one small file. */
const nodeArguments = ['--liftoff-only'];

function argumentsFor({ file, url, format, options }: EsbuildInput): string[] {
  const chosen = Object.fromEntries(relevantOptions.map((key) => [key, options[key]]));
  // `preserve` would leave JSX to another tool, and there is none.
  if (/^(?:preserve|react-native)$/i.test(String(options.jsx))) chosen['jsx'] = 'react-jsx';
  return [
    `--loader=${loaderFor(file)}`,
    `--format=${format}`,
    '--target=node22',
    '--sourcemap=inline',
    `--sourcefile=${url}`,
    `--tsconfig-raw=${JSON.stringify({ compilerOptions: chosen })}`,
    '--log-level=error',
    '--log-limit=1',
    '--color=false',
  ];
}

function loaderFor(file: string): string {
  if (isJsx(file)) return isTypeScript(file) ? 'tsx' : 'jsx';
  return isTypeScript(file) ? 'ts' : 'js';
}

/** Parses an error of esbuild: `✘ [ERROR] what`, then `file:line:column:` with a column from 0. */
function syntaxError(stderr: string, file: string): Error | undefined {
  const match = /\[ERROR\] (.+)\n\s+(?:.+):(\d+):(\d+):/.exec(stderr);
  if (match === null) return undefined;
  const [, message = '', line, column] = match;
  return loaderErrors.syntax({ file, line: Number(line), column: Number(column) + 1 }, message);
}

function failure(result: { error?: Error; stderr: string; signal: string | null }): string {
  return result.error?.message ?? (result.stderr.trim() || `signal ${result.signal ?? 'unknown'}`);
}
