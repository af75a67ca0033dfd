import path from 'node:path';
import { agentjetHome } from '../../base/node/agentjetHome.ts';
import { traceOf } from '../node/import/importTrace.ts';
import { openTraceReader } from '../node/store/openReader.ts';
import { type CommandIo, exitCodes } from '../../base/node/terminal/commandIo.ts';
import { usageError, type CommandContext } from '../../base/node/terminal/commandLine.ts';
import { cancelledByInterrupt } from '../../base/node/terminal/interrupts.ts';
import { LogView, untilInterrupted, type LogViewOptions } from './logView.ts';
import type { TraceValues } from './options.ts';
import { inTraceNode, readsTraces } from './traceNode.ts';
import { printQuery } from './traceQuery.ts';
import { summaryDocument, summaryText } from './traceSummary.ts';
import { messageOf } from '../../base/core/errors.ts';
import { escapeControlCharacters } from '../../base/core/visibleText.ts';
import type { ExportNote, FoundSecrets } from '../core/export/exportTrace.ts';
import type { exportFormats } from '../core/export/formats.ts';
import type { Redaction } from '../core/export/redact.ts';
import type { PrintedOutput } from '../../tracking/core/records/trace.ts';
import { cutText } from '../core/outcome.ts';
import { exportTrace, secretsOf, filterOf } from '../node/export/exportFile.ts';

export async function runTrace(
  values: TraceValues,
  [file = '', ...others]: readonly string[],
  { io, distFolder, argv }: CommandContext,
): Promise<number> {
  const { port, runtime } = values;
  if (port !== undefined && port > 65_535)
    throw usageError(`--port ${port} is not a port.`, 'Choose 1 to 65535, or 0 for any free port.');
  const trace = path.resolve(io.cwd, file);
  const { summary, query, printed } = values;
  const prints = summary === true || query !== undefined || printed !== undefined;
  const shows = !prints && values.export === undefined;
  const [other] = others;
  if (!shows && other !== undefined)
    throw usageError(`Unexpected argument "${other}".`, 'Print and export each trace with its own command.');
  const showing = { port, runtime, distFolder, stderr: io.stderr };
  // A separate process shows traces, whatever Node.js this process runs in.
  if (shows && [file, ...others].every(isTraceName)) {
    return show([trace, ...others.map((one) => path.resolve(io.cwd, one))], showing);
  }
  if (!readsTraces()) return inTraceNode(argv, distFolder, limitOf(values));
  const imported = await withProgress(trace, io);
  if (shows) {
    const traces = [imported];
    for (const one of others) traces.push(await withProgress(path.resolve(io.cwd, one), io));
    return show(traces, showing);
  }
  if (values.export !== undefined) return exportCommand(imported, values.export, values, io);
  return print(imported, values, io);
}

function isTraceName(file: string): boolean {
  return /\.ajtrace$/i.test(file);
}

/** Returns the milliseconds after which a query or a summary ends with its process. */
function limitOf({ query, printed, summary = false, timeout = 30 }: TraceValues): number | undefined {
  return query === undefined && printed === undefined && !summary ? undefined : timeout * 1_000;
}

async function show([trace = '', ...others]: readonly string[], options: LogViewOptions): Promise<number> {
  // Listens before the address is printed, because its reader may interrupt at once.
  const interrupts = cancelledByInterrupt();
  try {
    const viewer = await new LogView(options).open(trace, others);
    await untilInterrupted(viewer, interrupts, options.stderr);
  } finally {
    interrupts.dispose();
  }
  return exitCodes.ok;
}

function print(
  trace: string,
  { query, printed, limit = 1_000, json = false }: TraceValues,
  io: CommandIo,
): number {
  if (query !== undefined) {
    printQuery(trace, query, { limit, json, stdout: io.stdout, stderr: io.stderr });
    return exitCodes.ok;
  }
  const reader = openTraceReader(trace);
  try {
    if (printed !== undefined) {
      const output = reader.read((views) => views.printed(printed)) ?? { cut: 0, parts: [] };
      io.stdout.write(json ? `${JSON.stringify(output)}\n` : printedText(output));
      return exitCodes.ok;
    }
    const [run, summary] = reader.read((views) => [views.run(), views.summary()] as const);
    io.stdout.write(
      json ? `${JSON.stringify(summaryDocument(run, summary), undefined, 2)}\n` : summaryText(run, summary),
    );
  } finally {
    reader.close();
  }
  return exitCodes.ok;
}

function printedText({ cut, parts }: PrintedOutput): string {
  const lines = parts.map(({ text }) => text.split('\n').map(escapeControlCharacters).join('\n')).join('');
  return `${cut === 0 ? '' : `${cutText(cut)}\n`}${lines}`;
}

export async function withProgress(file: string, io: CommandIo): Promise<string> {
  const interrupts = cancelledByInterrupt();
  let shown = 0;
  try {
    return await traceOf(file, {
      cacheFolder: path.join(agentjetHome(io.env), 'imports'),
      cancellation: interrupts.source.token,
      onProgress: (share) => {
        if (!io.stderr.colour || Math.floor(share * 100) === shown) return;
        shown = Math.floor(share * 100);
        io.stderr.write(`\rreading ${escapeControlCharacters(path.basename(file))}: ${shown} %`, true);
      },
    });
  } finally {
    if (shown > 0) io.stderr.write('\r\u001b[K', true);
    interrupts.dispose();
  }
}

/** Writes a trace in another format. Ctrl-C removes the incomplete file. */
async function exportCommand(
  trace: string,
  format: (typeof exportFormats)[number],
  values: TraceValues,
  io: CommandIo,
): Promise<number> {
  const filter = filterOf(values.filter);
  if (values.out === undefined && values.preview !== true)
    throw usageError('--export needs a file.', 'Add --out FILE.');
  const redaction: Redaction = {
    texts: values.redactTexts === true,
    patterns: (values.redact ?? []).map(patternOf),
  };
  const interrupts = cancelledByInterrupt();
  try {
    const job = { cancellation: interrupts.source.token };
    if (values.out === undefined || values.preview === true) {
      io.stdout.write(secretsText(await secretsOf(trace, filter, job)));
      return exitCodes.ok;
    }
    const out = path.resolve(io.cwd, values.out);
    const note = await exportTrace(trace, out, { ...job, format, redaction, filter });
    io.stderr.write(`${damageText(note)}exported: ${out}\n`);
  } finally {
    interrupts.dispose();
  }
  return exitCodes.ok;
}

function secretsText(found: readonly FoundSecrets[]): string {
  if (found.length === 0) return 'Nothing that looks like a key or an access token was found.\n';
  const lines = found.map(
    ({ kind, count, episodes }) => `${kind}: ${count}, first in episodes ${episodes.join(', ')}`,
  );
  return ['An export removes:', ...lines, ''].join('\n');
}

function damageText({ incomplete, damage }: ExportNote): string {
  if (damage === null && incomplete === 0) return '';
  const lost = damage === null ? 0 : damage.lost;
  return `The trace is damaged. The export has the readable part. Episodes lost: ${lost}, exported without a part: ${incomplete}.\n`;
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'gu');
  } catch (error) {
    throw usageError(
      `--redact ${text} is not a regular expression: ${messageOf(error)}.`,
      'Write for example --redact "user-\\d+".',
    );
  }
}
