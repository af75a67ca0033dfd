/**
 * Makes a trace of any size, the same for the same options:
 *
 *   node test/tools/traces/makeTrace.ts FILE [--episodes 10000] [--calls 10] [--repeat 8] [--tokens 60 | --megabytes 2000]
 *     [--longest 1000000] [--agents 3] [--tools 6] [--training 1] [--failing 0.03] [--seed 1] [--unended]
 *
 * `--calls` and `--tokens` (of a message) are averages; `--longest` has the first episode have one timeline of so many
 * tokens; with `--unended` the run has not ended, as if its process had died.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import { generateTrace, runOf, smallTrace, tokensFor, type TraceSize } from './generateTrace.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...Object.fromEntries(
      [...Object.keys(smallTrace), 'megabytes'].map((name) => [name, { type: 'string' }] as const),
    ),
    unended: { type: 'boolean' },
  },
});

function numberOf(name: string, otherwise: number): number {
  const text: unknown = Reflect.get(values, name);
  if (typeof text !== 'string') return otherwise;
  const value = Number(text);
  if (text !== '' && value >= 0) return value;
  throw new Error(`--${name} must be a number from 0, but is ${text}.`);
}

function sizeOf(): TraceSize {
  const names = Object.keys(smallTrace) as (keyof TraceSize)[];
  const entries = names.map((name) => [name, numberOf(name, smallTrace[name])] as const);
  const size = Object.fromEntries(entries) as unknown as TraceSize;
  const megabytes = numberOf('megabytes', 0);
  return megabytes === 0 ? size : { ...size, tokens: tokensFor(megabytes * 1_000_000, size) };
}

function make(file: string): void {
  const size = sizeOf();
  const begun = performance.now();
  const writer = openTraceWriter(path.resolve(file), runOf(size));
  generateTrace(writer, size);
  if (values['unended'] !== true) {
    writer.runEnded({ status: 'completed', error: null, endedAt: runOf(size).startedAt + 3_600_000 });
  }
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  const megabytes = (statSync(writer.file).size / 1_000_000).toFixed(1);
  process.stdout.write(`${writer.file}: ${size.episodes} episodes, ${megabytes} MB in ${seconds} s\n`);
}

const [file] = positionals;
if (file === undefined) {
  process.stderr.write('Name the file to make, e.g. /tmp/large.ajtrace.\n');
  process.exitCode = 2;
} else {
  make(file);
}
