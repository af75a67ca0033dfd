import type { MissingData, ImportInfo } from '../../tracking/core/records/tracedRun.ts';
import { runStatus } from '../core/runStatus.ts';
import { damageTexts, missingNames } from '../core/missingTexts.ts';
import type { DamageView, RunView, TraceSummary } from '../core/protocol/runRpc.ts';
import { escapeControlCharacters } from '../../base/core/visibleText.ts';

/** The document that `--summary --json` prints. */
export function summaryDocument(run: RunView, { state, size, trace }: TraceSummary): object {
  return { trace, size, state, ...run };
}

export function summaryText(run: RunView, { state, trace }: TraceSummary): string {
  const { totals, report, imported } = run;
  const knows = (what: MissingData): boolean => imported?.lacks.includes(what) !== true;
  const rows: readonly (readonly [name: string, text: string | false])[] = [
    ['trace', trace],
    ['run', `${run.experiment === '' ? 'unnamed' : run.experiment}, ${runStatus(state, totals).word}`],
    ['made from', imported !== undefined && `${imported.source} (${imported.format})`],
    ['not in it', imported !== undefined && imported.lacks.length > 0 && missingNames(imported.lacks)],
    ['config', run.config !== '' && run.config],
    ['model', run.model !== '' && run.model],
    ['started', knows('times') && new Date(run.startedAt).toISOString()],
    ['episodes', `${totals.ended} of ${run.episodes} ended; ${run.tasks} tasks`],
    ['reward', knows('rewards') ? `mean ${number(totals.meanReward)}` : 'unknown'],
    ['success', knows('successes') ? percent(totals.successRate) : 'unknown'],
    ['calls', knows('calls') ? String(totals.calls) : 'unknown'],
    ['timelines', String(totals.timelines)],
    [
      'tokens',
      knows('tokens')
        ? `${totals.tokens}, of which ${trainable(totals.trainableTokens, knows('lossMask'))}`
        : 'unknown',
    ],
  ];
  const findings = report.findings.map(
    ({ severity, message, count }) => `  ${severity}: ${escapeControlCharacters(message)} (${count})`,
  );
  const lines = rows.flatMap(([name, text]) =>
    text === false ? [] : `${`${name}:`.padEnd(11)}${escapeControlCharacters(text)}`,
  );
  return [
    ...lines,
    ...(findings.length > 0 ? ['findings:', ...findings] : []),
    ...skipLines(imported),
    ...damageLines(run.damage),
    '',
  ].join('\n');
}

function trainable(tokens: number, isKnown: boolean): string {
  return isKnown ? `${tokens} count in the loss` : 'it is unknown which count in the loss';
}

function skipLines(imported: ImportInfo | undefined): readonly string[] {
  if (imported === undefined || imported.skipped === 0) return [];
  const { skipped, skips } = imported;
  const more = skipped - skips.length;
  return [
    `could not be read: ${skipped}`,
    ...skips.map(({ where, why }) => `  ${escapeControlCharacters(where)}: ${escapeControlCharacters(why)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function damageLines(damage: DamageView | undefined): readonly string[] {
  if (damage === undefined) return [];
  return [
    'the file is damaged; this summary covers its readable part:',
    ...damageTexts(damage).map((text) => `  ${text}`),
  ];
}

function number(value: number | null): string {
  return value === null ? 'unknown' : String(Number(value.toFixed(4)));
}

function percent(share: number | null): string {
  return share === null ? 'unknown' : `${(100 * share).toFixed(1)} %`;
}
