import path from 'node:path';
import type { ExportNote, FoundSecrets } from '../../trace/export/exportTrace.ts';
import { exportFormats } from '../../trace/export/formats.ts';
import type { Redaction } from '../../trace/export/redact.ts';
import { exportTrace, secretsOf } from '../trace/export/exportFile.ts';
import { filterOf } from '../trace/export/filterOf.ts';
import type { CommandIo } from './commandIo.ts';
import { oneOf, wrongUse } from './commandLine.ts';
import { cancelledByInterrupt } from './interrupts.ts';
import { exitCodes } from './terminalView.ts';

export interface ExportValues {
  readonly out?: string | undefined;
  readonly redact?: readonly string[] | undefined;
  readonly 'redact-texts'?: boolean | undefined;
  readonly filter?: string | undefined;
  readonly preview?: boolean | undefined;
}

/** `agentjet trace FILE --export`: writes a trace in another format; Ctrl-C leaves nothing of it. */
export async function exportCommand(
  trace: string,
  wanted: string,
  values: ExportValues,
  io: CommandIo,
): Promise<number> {
  const format = oneOf('--export', wanted, exportFormats);
  const filter = filterOf(values.filter);
  if (values.out === undefined && values.preview !== true)
    throw wrongUse('--export needs a file.', 'Name it: --out FILE');
  const redaction: Redaction = {
    texts: values['redact-texts'] === true,
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
  return ['Taken out of an export:', ...lines, ''].join('\n');
}

function damageText({ incomplete, damage }: ExportNote): string {
  if (damage === null && incomplete === 0) return '';
  const lost = damage === null ? 0 : damage.lost;
  return `The trace is damaged: the export has what can be read of it. Episodes lost: ${lost}, exported without a part: ${incomplete}.\n`;
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'gu');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrongUse(
      `--redact ${text} is no regular expression: ${why}.`,
      'Write for example --redact "user-\\d+".',
    );
  }
}
