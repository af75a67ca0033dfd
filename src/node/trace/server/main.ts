/**
 * The trace server, a program of its own: reading is synchronous and may take its time, which neither the editor nor
 * a held run may feel. `--stdio` serves the program that started it; `--http` serves one trace to a browser. Either
 * way it ends when its standard input does, which is when whoever started it has ended.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { formatReport } from '../../../base/errors.ts';
import { systemClock } from '../../clock.ts';
import { reportOf, type HttpGreeting } from '../errors.ts';
import { openTraceReader } from '../store/openReader.ts';
import { serverErrors } from './errors.ts';
import { serveOverHttp } from './httpDoor.ts';
import { TraceService } from './service.ts';
import { serveOverStreams } from './stdioDoor.ts';

const usage = 'Usage: traceServer --stdio | --http --trace FILE [--port N]';

type Door =
  { readonly kind: 'stdio' } | { readonly kind: 'http'; readonly trace: string; readonly port: number };

function readArguments(): Door {
  const { values } = parseArgs({
    options: {
      stdio: { type: 'boolean' },
      http: { type: 'boolean' },
      trace: { type: 'string' },
      port: { type: 'string' },
    },
  });
  if (values.stdio === true && values.http !== true) return { kind: 'stdio' };
  if (values.http !== true || values.trace === undefined) throw serverErrors.wrongUse(`${usage}.`);
  const { port = '0' } = values;
  if (!/^\d+$/.test(port) || Number(port) > 65_535) {
    throw serverErrors.wrongUse(`--port must be 0 to 65535, but is ${port}.`);
  }
  const trace = path.resolve(values.trace);
  if (stampOf(trace) === missing) throw serverErrors.noSuchTrace(trace);
  return { kind: 'http', trace, port: Number(port) };
}

const missing = 'missing';

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? missing : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

async function serve(door: Door): Promise<void> {
  const service = new TraceService({ open: openTraceReader, stampOf }, systemClock);
  if (door.kind === 'stdio') {
    await serveOverStreams(service, process.stdin, process.stdout);
  } else {
    const webFolder = path.join(import.meta.dirname, 'webview');
    const { url } = await serveOverHttp(service, { ...door, webFolder });
    tell({ url });
    await new Promise((resolve) => process.stdin.once('close', resolve).once('error', resolve).resume());
  }
  service.dispose();
}

/** What `--http` says first and last, on a line: where it serves, or why it does not. */
function tell(greeting: HttpGreeting): void {
  process.stdout.write(`${JSON.stringify(greeting)}\n`);
}

try {
  await serve(readArguments());
  process.exit(0);
} catch (error) {
  if (process.argv.includes('--http')) tell({ error: reportOf(error) });
  process.stderr.write(`${formatReport(reportOf(error))}\n`);
  process.exitCode = 2;
}
