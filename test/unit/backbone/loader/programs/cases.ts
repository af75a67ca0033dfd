import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import type { ErrorReport, Location } from '../../../../../src/base/core/errors.ts';
import type { ExportKind } from '../../../../../src/backbone/node/loader/loader.ts';
import { quietArguments } from '../../../../../src/backbone/node/process/backboneChannel.ts';

export interface Case {
  readonly file: string;
  readonly name?: string;
  readonly kind?: ExportKind;
  readonly folders?: readonly string[];
}

export interface Outcome {
  readonly file?: string;
  readonly reward?: number;
  readonly error?: ErrorReport;
  readonly frame?: Location | undefined;
}

export const fixtures = path.resolve(import.meta.dirname, '../../../../fixtures/loader');

export function startCases(cases: readonly Case[], nodeArguments: readonly string[] = []): ChildProcess {
  const program = path.join(import.meta.dirname, 'run.ts');
  const args = [...quietArguments, ...nodeArguments, program, JSON.stringify(cases)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The outcomes in order, and all that was written to stderr. */
export async function runCases(
  cases: readonly Case[],
  nodeArguments: readonly string[] = [],
): Promise<{ outcomes: readonly Outcome[]; stderr: string }> {
  const child = startCases(cases, nodeArguments);
  if (child.stdout === null || child.stderr === null) throw new Error('The child has no pipes.');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stdout === '') throw new Error(stderr);
  return { outcomes: JSON.parse(stdout) as Outcome[], stderr };
}
