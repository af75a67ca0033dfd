import type { MissingData, ImportInfo } from '../../tracking/core/records/tracedRun.ts';
import type { DamageView, RunView, TraceSummary } from '../core/protocol/runRpc.ts';
import { escapeControlCharacters } from '../../base/node/terminal/visibleText.ts';

/** The document that `--summary --json` prints. */
export function summaryDocument(run: RunView, { state, size, trace }: TraceSummary): object {
  return { trace, size, state, ...run };
}

/** Returns a summary of a trace that fits on one screen. */
export function summaryText(run: RunView, { state, trace }: TraceSummary): string {
  const { totals, report, imported } = run;
  const knows = (what: MissingData): boolean => imported?.lacks.includes(what) !== true;
  const rows: readonly (readonly [string, string])[] = [
    ['trace', trace],
    ['run', `${run.experiment === '' ? 'unnamed' : run.experiment}, ${state}`],
    ...(imported === undefined ? [] : importRows(imported)),
    ...(run.config === '' ? [] : [['config', run.config] as const]),
    ...(run.model === '' ? [] : [['model', run.model] as const]),
    ...(knows('times') ? [['started', new Date(run.startedAt).toISOString()] as const] : []),
    ['episodes', `${totals.ended} of ${run.episodes} ended, ${totals.failed} failed; ${run.tasks} tasks`],
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
  const lines = rows.map(([name, text]) => `${`${name}:`.padEnd(11)}${escapeControlCharacters(text)}`);
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

function importRows({ format, source, lacks }: ImportInfo): readonly (readonly [string, string])[] {
  return [
    ['made from', `${source} (${format})`],
    ...(lacks.length === 0 ? [] : [['not in it', lacks.map((one) => lackNames[one]).join(', ')] as const]),
  ];
}

const lackNames: Readonly<Record<MissingData, string>> = {
  calls: 'LLM calls',
  rewards: 'rewards',
  successes: 'successes',
  times: 'times',
  tokens: 'token ids',
  tokenTexts: 'texts of tokens',
  lossMask: 'loss mask',
  logprobs: 'log probabilities',
  tokenCounts: 'token counts of calls',
};

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

/** Returns the lines about damage, with the facts that the viewer shows. */
function damageLines(damage: DamageView | undefined): readonly string[] {
  if (damage === undefined) return [];
  const { run, tokens, lost, incomplete, episodes } = damage;
  const named = episodes.slice(0, mostNamed).join(', ');
  const more = incomplete > mostNamed ? ', the first of them' : '';
  return [
    'the file is damaged; this summary covers its readable part:',
    ...(run ? ['  facts about the run are lost'] : []),
    ...(tokens ? ['  texts of tokens are lost; only their ids are left'] : []),
    ...(lost > 0 ? [`  episodes that are lost: ${lost}`] : []),
    ...(incomplete > 0 ? [`  episodes that may be incomplete: ${incomplete}${more}: ${named}`] : []),
  ];
}

const mostNamed = 20;

function number(value: number | null): string {
  return value === null ? 'unknown' : String(Number(value.toFixed(4)));
}

function percent(share: number | null): string {
  return share === null ? 'unknown' : `${(100 * share).toFixed(1)} %`;
}
