/** Renders a trace as one HTML file without scripts. It loads nothing, and all contents of the trace are text. */
import type { EpisodeRow } from '../protocol/traceLists.ts';
import type { DamageView, RunView } from '../protocol/runRpc.ts';
import { trainingText } from '../trainingTexts.ts';
import { count, duration, percent, reward as number } from '../../../base/core/format.ts';
import { escapedText, facts, findingsHtml, isolatedHtml } from './htmlText.ts';
import { damageTexts, missingNames } from '../missingTexts.ts';
import { hasValues } from './episode.ts';
import { runState, runStatus } from '../runStatus.ts';
import type { Redaction, Redactor } from './redact.ts';

/** The only style of an exported page; its policy names it by its hash. */
export const htmlStyle = `
:root {
  color-scheme: light dark;
  --line: light-dark(#d0d4da, #41454d);
  --soft: light-dark(#f5f6f8, #24272c);
  --dim: light-dark(#5a616b, #a5acb7);
  --own: light-dark(#0b62b0, #6cb6ff);
  --loss: light-dark(#dcecfb, #17395c);
  --bad: light-dark(#fff1d6, #4a3708);
}
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem; font: 14px/1.5 system-ui, sans-serif; color: light-dark(#1c2024, #e6e8eb); background: light-dark(#fff, #191b1f); }
h1, h2, h3, h4 { font-size: 1em; margin: 0; display: inline; overflow-wrap: anywhere; }
h1 { font-size: 1.6em; display: block; }
header h2 { display: block; margin-top: 1rem; }
h4 { display: block; font-weight: 600; color: var(--dim); }
.facts { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; margin: 0.75rem 0; }
.facts > div { min-width: 0; max-width: 100%; }
dt { color: var(--dim); font-size: 0.85em; overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; max-height: 20rem; overflow: auto; }
.note, .outcome { color: var(--dim); }
.warning { background: var(--bad); border-left: 4px solid #c98a00; padding: 0.5rem 0.75rem; }
.findings { margin: 0.25rem 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { text-align: right; padding: 0.15rem 0.5rem; border-bottom: 1px solid var(--line); font-weight: 400; vertical-align: top; }
thead th { color: var(--dim); white-space: nowrap; }
td.text, thead th:nth-child(2) { text-align: left; overflow-wrap: anywhere; min-width: 8rem; }
a { color: var(--own); }
pre { margin: 0.25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; overflow: hidden; font: 13px/1.5 ui-monospace, monospace; }
details { margin: 0.4rem 0; }
details details { margin-left: 0.75rem; }
summary { cursor: pointer; padding: 0.2rem 0; overflow-wrap: anywhere; }
.episode > div { scroll-margin-top: 3rem; }
.episode { border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-height: auto 2.5rem; }
.message { border-left: 3px solid var(--line); margin: 0.5rem 0; padding: 0.25rem 0.75rem; background: var(--soft); overflow: hidden; }
.message.own { border-left-color: var(--own); }
.calls { border-left: 1px dashed var(--line); padding-left: 0.5rem; }
.tokens span, .tokens ins { border-right: 1px solid var(--line); }
ins { text-decoration: underline; text-underline-offset: 3px; font-weight: 600; background: var(--loss); }
bdi { unicode-bidi: isolate; }
i { font-style: normal; font-size: 0.8em; border: 1px solid var(--line); border-radius: 3px; padding: 0 2px; color: var(--dim); }
figure { margin: 0.75rem 0; }
.axis { display: grid; grid-template-columns: minmax(4rem, 14rem) 1fr; gap: 2px 0.75rem; margin: 0.25rem 0; align-items: center; }
.axis dt { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.axis dd { background: var(--soft); line-height: 0; }
svg { width: 100%; height: 14px; }
rect { fill: light-dark(#8c959f, #6e7681); stroke: light-dark(#fff, #191b1f); stroke-width: 0.5; }
rect.episode { fill: light-dark(#c8ced6, #3a3f47); }
rect.llm { fill: light-dark(#1f7ad1, #4a9eed); }
rect.tool { fill: light-dark(#b35a00, #e09b4d); }
rect.judge { fill: light-dark(#8250df, #b58cf5); }
@media print { .episode { content-visibility: visible; } }
`;

/** The hash of the style for the Content Security Policy. */
export const htmlStyleHash = 'sha256-VLwQWeQgdg/e8evJwCaFqOOT1LD1SZ4jJ4AvSFhuki8=';

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
<title>${escapedText(title)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<header>
<h1>${isolatedHtml(title)}</h1>
${runFacts(run)}
${damageHtml(run.damage)}${reportHtml(run)}<p class="note">${legend}${
    redaction.texts
      ? ' Texts, and the tokens that would reveal them, were removed from this page.'
      : ' Keys and access tokens of known services were removed from this page.'
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
  const { totals, imported } = run;
  const training = hasValues(run, 'lossMask')
    ? `, of which ${count(totals.trainableTokens)} count in the loss`
    : '';
  const lacks = imported?.lacks ?? [];
  return facts([
    ['episodes', `${count(totals.ended)} ended, ${count(totals.failed)} failed`],
    ['mean reward', number(totals.meanReward)],
    ['success', hasValues(run, 'successes') && totals.successRate !== null && percent(totals.successRate)],
    ['tokens', hasValues(run, 'tokens') ? `${count(totals.tokens)}${training}` : 'unknown'],
    ['tokenizer', !run.tokenizer.exact && 'a stand-in: counts and ids are not those of training'],
    ['config', run.config !== '' && run.config],
    ['model', run.model !== '' && run.model],
    ['training run', run.training !== undefined && trainingText(run.training)],
    ['started', run.startedAt !== 0 && new Date(run.startedAt).toISOString()],
    ['run', runStatus(runState(run), totals).word],
    ['made from', imported !== undefined && `${imported.source} (${imported.format})`],
    ['not in it, so unknown', lacks.length > 0 && missingNames(lacks)],
  ]);
}

function damageHtml(damage: DamageView | undefined): string {
  if (damage === undefined) return '';
  return `<p class="warning" role="note">The trace is damaged. This page shows its readable part. ${damageTexts(damage).join(' ')}</p>\n`;
}

function reportHtml({ report: { findings } }: RunView): string {
  return findings.length === 0
    ? ''
    : `<section><h2>Training report</h2>${findingsHtml(findings)}</section>\n`;
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

/** Yields a table of all episodes with links to them. */
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
  // The browser opens the details element that contains the target.
  return `<tr><th scope="row"><a href="#episode-${episode}">${episode}</a></th><td class="text">${isolatedHtml(redactor.text(taskId))}</td>${cells.join('')}</tr>\n`;
}
