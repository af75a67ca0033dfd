/**
 * A page of its own that needs no program to be read: one file without a script, which loads nothing. All that a trace
 * says stands in it as text.
 */
import type { EpisodeRow } from '../protocol/traceLists.ts';
import type { DamageView, RunView } from '../protocol/runRpc.ts';
import { htmlStyle, htmlStyleHash } from './htmlStyle.ts';
import { count, duration, shown, facts, isolated, number } from './htmlText.ts';
import { knows } from './knows.ts';
import type { Redaction, Redactor } from './redact.ts';

const policy = `default-src 'none'; style-src '${htmlStyleHash}'; base-uri 'none'; form-action 'none'`;

export function htmlBegin(run: RunView, redaction: Redaction): string {
  const title = run.experiment === '' ? 'AgentJet trace' : run.experiment;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${shown(title)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<header>
<h1>${isolated(title)}</h1>
${runFacts(run)}
${damageHtml(run.damage)}${findingsHtml(run)}<p class="note">${legend}${
    redaction.texts
      ? ' Texts were taken out of this page, and so were the tokens that would tell them.'
      : ' Keys and access tokens of known services were taken out of this page.'
  }</p>
</header>
<main>
`;
}

const legend =
  'Tokens that <ins>count in the loss</ins> are underlined; others are not trained. Point at a token for its id and log probability.';

export function htmlEnd({ damage }: RunView): string {
  return `</main>\n${damageHtml(damage)}</body>\n</html>\n`;
}

function runFacts(run: RunView): string {
  const { totals, imported, end } = run;
  const training = knows(run, 'lossMask')
    ? `, of which ${count(totals.trainableTokens)} count in the loss`
    : '';
  return facts([
    ['episodes', `${count(totals.ended)} ended, ${count(totals.failed)} failed`],
    ['mean reward', number(totals.meanReward)],
    ...(knows(run, 'successes') && totals.successRate !== null
      ? [['success', `${(100 * totals.successRate).toFixed(1)} %`] as const]
      : []),
    ['tokens', knows(run, 'tokens') ? `${count(totals.tokens)}${training}` : 'unknown'],
    ...(run.tokenizer.exact
      ? []
      : [['tokenizer', 'a stand-in: counts and ids are not those of training'] as const]),
    ...(run.config === '' ? [] : [['config', run.config] as const]),
    ...(run.model === '' ? [] : [['model', run.model] as const]),
    ...(run.startedAt === 0 ? [] : [['started', new Date(run.startedAt).toISOString()] as const]),
    ...(end === null ? [] : [['run', end.status] as const]),
    ...(imported === undefined ? [] : [['made from', `${imported.source} (${imported.format})`] as const]),
    ...(imported === undefined || imported.lacks.length === 0
      ? []
      : [['not in it, so unknown', imported.lacks.join(', ')] as const]),
  ]);
}

function damageHtml(damage: DamageView | undefined): string {
  if (damage === undefined) return '';
  const { run, tokens, lost, incomplete } = damage;
  const what = [
    ...(run ? ['what it told of its run is lost'] : []),
    ...(tokens ? ['texts of tokens are lost'] : []),
    `episodes lost: ${count(lost)}`,
    `episodes that may lack a part: ${count(incomplete)}`,
  ];
  return `<p class="warning" role="note">The trace is damaged, and this page has what can be read of it: ${what.join('; ')}.</p>\n`;
}

function findingsHtml({ report }: RunView): string {
  if (report.findings.length === 0) return '';
  const items = report.findings.map(
    ({ severity, message, code, count: times }) =>
      `<li><b>${severity}</b>: ${isolated(message)} <code>${isolated(code)}</code>${times === 0 ? '' : `, ${count(times)} episodes`}</li>`,
  );
  return `<section><h2>What training would say</h2><ul class="findings">${items.join('')}</ul></section>\n`;
}

const columns = [
  'episode',
  'task',
  'repeat',
  'reward',
  'advantage',
  'calls',
  'tokens',
  'in the loss',
  'time',
];

/** All episodes on a line each, which leads to the episode. */
export function* htmlTable(
  listed: Iterable<{ readonly row: EpisodeRow }>,
  redactor: Redactor,
): Generator<string> {
  const head = columns.map((name) => `<th scope="col">${name}</th>`).join('');
  yield `<div class="scroll"><table><caption>Episodes</caption><thead><tr>${head}</tr></thead><tbody>\n`;
  for (const { row } of listed) yield rowHtml(row, redactor);
  yield '</tbody></table></div>\n';
}

function rowHtml(row: EpisodeRow, redactor: Redactor): string {
  const { episode, taskId, repeat, reward, isSuccess, advantage, error, state, seconds } = row;
  const outcome = error !== null ? 'failed' : state === 'ended' ? number(reward) : state;
  const cells = [
    `<td>${repeat}</td>`,
    `<td>${outcome}${isSuccess ? ' ✓' : ''}</td>`,
    `<td>${number(advantage)}</td>`,
    ...[row.calls, row.tokens, row.trainableTokens].map((one) => `<td>${count(one)}</td>`),
    `<td>${seconds === null ? '' : duration(seconds)}</td>`,
  ];
  // The browser opens what it leads into.
  return `<tr><th scope="row"><a href="#episode-${episode}">${episode}</a></th><td class="text">${isolated(redactor.text(taskId))}</td>${cells.join('')}</tr>\n`;
}
