import { mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { traceOf } from '../trace/import/importTrace.ts';
import { openTraceReader } from '../trace/store/openReader.ts';
import { whole } from './argumentValues.ts';
import type { CommandIo } from './commandIo.ts';
import { parseOptions, wrongUse } from './commandLine.ts';
import { cancelledByInterrupt } from './interrupts.ts';
import { LogView, untilInterrupted } from './logView.ts';
import { exitCodes } from './terminalView.ts';
import { inTraceNode, readsTraces } from './traceNode.ts';
import { exportCommand } from './traceExport.ts';
import { printQuery } from './traceQuery.ts';
import { summaryDocument, summaryText } from './traceSummary.ts';

const options = {
  summary: { type: 'boolean' },
  query: { type: 'string' },
  export: { type: 'string' },
  out: { type: 'string' },
  'redact-texts': { type: 'boolean' },
  redact: { type: 'string', multiple: true },
  filter: { type: 'string' },
  preview: { type: 'boolean' },
  limit: { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  port: { type: 'string' },
  runtime: { type: 'string' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const traceUsage = `Usage: agentjet trace FILE [OTHER …] [--port N] [--runtime FILE]
       agentjet trace FILE --summary [--json]
       agentjet trace FILE --query SQL [--limit N] [--timeout S] [--json]
       agentjet trace FILE --export otlp|jsonl|chrome|html --out FILE [--filter TEXT] [--redact-texts]
                                              [--redact PATTERN] [--preview]

Shows a trace in a browser until Ctrl-C, on 127.0.0.1 only. BROWSER=none opens none; the address is printed all the same.
OTHER are runs over the same tasks, with whose episodes those of FILE may be compared.

FILE is a run's .ajtrace, or what another tool wrote, from which a trace is made (in a cache; FILE is only read):
Trinity-RFT's experiences.db, AgentJet's trajectory JSON and .json.log, verifiers' traces.jsonl, OTLP/JSON with GenAI
conventions, and logs of OpenAI requests as JSON. What is not in it stays unknown, and what could not be read is told.

  --summary              prints what ran and what came of it
  --query SQL            prints the rows of one SELECT, which may neither write nor open another file; the README has
                         the tables; int32s(blob) and float32s(blob) give arrays of numbers as JSON
  --limit N              rows that are printed, at most (default: 1000)
  --timeout S            seconds after which a query is given up (default: 30)
  --export FORMAT        writes the trace to --out FILE: otlp (OTLP/JSON with GenAI conventions, a line per episode, tokens
                         included), jsonl (all of it, a line per episode), chrome (trace events, for Perfetto) or html (a
                         page of its own, without scripts); keys and access tokens of known services are taken out
  --filter TEXT          only the episodes that the viewer's filter would show: group=3, episode=12, "reward<0 agent:a"
  --redact PATTERN       takes out what matches this regular expression, too; may be given several times
  --redact-texts         takes out all texts of messages and tokens, and their ids
  --preview              writes nothing, and tells which keys and access tokens would be taken out
  --json                 one JSON document
  --port N               of the viewer (default: any free one)
  --runtime FILE         the Node.js that serves the viewer

Exit code: 0, or 2 if the file cannot be read or the query is wrong.`;

interface TraceRequest {
  readonly file: string;
  readonly values: ReturnType<typeof parseOptions<typeof options>>['values'];
}

/** `agentjet trace`: the viewer in a browser, or what is printed of a trace. */
export async function runTrace(args: readonly string[], io: CommandIo, distFolder: string): Promise<number> {
  const { values, positionals } = parseOptions(args, options, 'agentjet trace');
  if (values.help === true) {
    io.stdout.write(`${traceUsage}\n`);
    return exitCodes.ok;
  }
  const [file, ...others] = positionals;
  if (file === undefined)
    throw wrongUse('agentjet trace needs a file.', 'Name one: agentjet trace FILE.ajtrace');
  const port = whole('--port', values.port, 0);
  if (port !== undefined && port > 65_535)
    throw wrongUse(`--port ${port} is no port.`, 'Choose 1 to 65535, or 0 for any free one.');
  const request = { file: path.resolve(io.cwd, file), values };
  const shows = values.summary !== true && values.query === undefined && values.export === undefined;
  const [other] = others;
  if (!shows && other !== undefined)
    throw wrongUse(
      `"${other}" is one file too many.`,
      'Print and export each trace by a command of its own.',
    );
  const showing = { port, runtime: values.runtime, distFolder };
  // Traces are shown by a process of their own, whichever Node this one is.
  if (shows && [file, ...others].every(isTraceName)) {
    return show([request.file, ...others.map((one) => path.resolve(io.cwd, one))], showing);
  }
  if (!readsTraces()) return inTraceNode(['trace', ...args], distFolder, limitOf(values));
  const trace = await withProgress(request.file, io);
  if (shows) {
    const traces = [trace];
    for (const one of others) traces.push(await withProgress(path.resolve(io.cwd, one), io));
    return show(traces, showing);
  }
  if (values.export !== undefined) return exportCommand(trace, values.export, values, io);
  return print(trace, request, io);
}

function isTraceName(file: string): boolean {
  return /\.ajtrace$/i.test(file);
}

/** A query that takes for ever can only be ended with its process. */
function limitOf({ query, timeout }: TraceRequest['values']): number | undefined {
  if (query === undefined) return undefined;
  return (whole('--timeout', timeout, 1) ?? defaultTimeout) * 1_000;
}

const defaultTimeout = 30;
const defaultLimit = 1_000;

interface Showing {
  readonly port: number | undefined;
  readonly runtime: string | undefined;
  readonly distFolder: string;
}

async function show(
  [trace = '', ...others]: readonly string[],
  { port, runtime, distFolder }: Showing,
): Promise<number> {
  // Before the address is told, as who reads it may be quick.
  const interrupts = cancelledByInterrupt();
  try {
    const viewer = await new LogView({ distFolder, runtime, port }).open(trace, others);
    await untilInterrupted(viewer, interrupts);
  } finally {
    interrupts.dispose();
  }
  return exitCodes.ok;
}

function print(trace: string, { values }: TraceRequest, io: CommandIo): number {
  const json = values.json === true;
  if (values.query !== undefined) {
    const limit = whole('--limit', values.limit, 1) ?? defaultLimit;
    printQuery(trace, values.query, { limit, json, stdout: io.stdout, stderr: io.stderr });
    return exitCodes.ok;
  }
  const reader = openTraceReader(trace);
  try {
    const [run, summary] = reader.read((views) => [views.run(), views.summary()] as const);
    io.stdout.write(
      json ? `${JSON.stringify(summaryDocument(run, summary), undefined, 2)}\n` : summaryText(run, summary),
    );
  } finally {
    reader.close();
  }
  return exitCodes.ok;
}

/** Imports take their time: a terminal is told how far they are. */
export async function withProgress(file: string, io: CommandIo): Promise<string> {
  const interrupts = cancelledByInterrupt();
  let told = 0;
  try {
    return await traceOf(file, {
      cacheFolder: importCache(),
      cancellation: interrupts.source.token,
      onProgress: (share) => {
        if (!io.stderr.colour || Math.floor(share * 100) === told) return;
        told = Math.floor(share * 100);
        io.stderr.write(`\rreading ${path.basename(file)}: ${told} %`);
      },
    });
  } finally {
    if (told > 0) io.stderr.write('\r\u001b[K');
    interrupts.dispose();
  }
}

/** Below the temporary folder, where the system tidies up, and nobody else's. */
function importCache(): string {
  const folder = path.join(tmpdir(), `agentjet-imports-${userInfo().username}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
