import path from 'node:path';
import type { ExportNote, FoundSecrets } from '../core/export/exportTrace.ts';
import type { exportFormats } from '../core/export/formats.ts';
import type { Redaction } from '../core/export/redact.ts';
import { exportTrace, secretsOf, filterOf } from '../node/export/exportFile.ts';
import { type CommandIo, exitCodes } from '../../base/node/terminal/commandIo.ts';
import { usageError } from '../../base/node/terminal/commandLine.ts';
import type { TraceValues } from './options.ts';
import { cancelledByInterrupt } from '../../base/node/terminal/interrupts.ts';

/** Writes a trace in another format. Ctrl-C removes the incomplete file. */
export async function exportCommand(
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
    const why = error instanceof Error ? error.message : String(error);
    throw usageError(
      `--redact ${text} is not a regular expression: ${why}.`,
      'Write for example --redact "user-\\d+".',
    );
  }
}
