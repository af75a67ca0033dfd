import type { RunView } from '../protocol/runRpc.ts';
import {
  type ExportedCall,
  type ExportedEpisode,
  type ExportedMessage,
  type ExportedTimeline,
  hasValues,
} from './episode.ts';
import { count, countedTokens, duration, reward as number } from '../../../base/core/format.ts';
import { clipped, escapedText, facts, findingsHtml, isolatedHtml, longestText } from './htmlText.ts';
import type { PrintedOutput } from '../../../tracking/core/records/trace.ts';
import { clip } from '../clip.ts';
import { cutText } from '../outcome.ts';
import { placedSlices, slicesOf, type PlacedSlice } from './slices.ts';

/** The maximum number of slices and lanes that are drawn. */
const most = { slices: 2_000, lanes: 40 } as const;
/** The width of the drawing in its own units. It fills the page. */
const width = 1_000;

/** Renders an episode on its time axis: a bar with a tooltip for each call, tool and judge call, in lanes. */
function htmlAxis(episode: ExportedEpisode): string {
  const all = slicesOf(episode);
  const beginning = Math.min(...all.slice(0, most.slices).map(({ startedAt }) => startedAt));
  const { slices, lanes } = placedSlices(all.slice(0, most.slices), beginning);
  const end = slices.reduce((last, { start, length }) => Math.max(last, start + length), 0);
  if (end === 0) return '';
  const rows = lanes.slice(0, most.lanes).map((name, thread) => {
    const bars = slices.filter((slice) => slice.thread === thread).map((slice) => bar(slice, end));
    return `<dt>${isolatedHtml(clip(name, 60))}</dt><dd><svg viewBox="0 0 ${width} 16" preserveAspectRatio="none" role="img" aria-label="${bars.length} bars">${bars.join('')}</svg></dd>`;
  });
  const left = all.length - slices.length + Math.max(0, lanes.length - rows.length);
  const more =
    left === 0 ? '' : `<p class="note">More than can be drawn: ${count(left)} parts are left out.</p>`;
  return `<figure><figcaption>Time: ${duration(end / 1e6)} in all</figcaption><dl class="axis">${rows.join('')}</dl>${more}</figure>\n`;
}

function bar({ name, category, start, length }: PlacedSlice, end: number): string {
  const x = ((width * start) / end).toFixed(2);
  const wide = Math.max(1, (width * length) / end).toFixed(2);
  const known = ['episode', 'llm', 'tool', 'judge'].includes(category) ? category : 'other';
  const title = `${clip(name, 200)}: ${duration(length / 1e6)}, after ${duration(start / 1e6)}`;
  return `<rect class="${known}" x="${x}" y="0" width="${wide}" height="16"><title>${escapedText(title)}</title></rect>`;
}

export function htmlEpisode(exported: ExportedEpisode, run: RunView): string {
  const { row, calls, timelines, missing, printed } = exported;
  const { episode, taskId, repeat, reward, isSuccess, error } = row;
  const outcome = error === null ? `reward ${number(reward)}` : 'failed';
  const shownTimelines = new Set(timelines.map(({ row: { timeline } }) => timeline));
  return `<details class="episode">
<summary><h2>Episode ${episode}: ${isolatedHtml(taskId)} #${repeat}</h2> <span class="outcome">${outcome}${isSuccess ? ', success' : ''}</span></summary>
<div id="episode-${episode}">
${missing.length === 0 ? '' : `<p class="warning" role="note">The trace is damaged, and this is missing: ${escapedText(missing.join(', '))}.</p>\n`}${episodeFacts(exported, run)}
${findingsHtml(row.findings)}${printed === undefined ? '' : printedHtml(printed)}${hasValues(run, 'times') ? htmlAxis(exported) : ''}${timelines.map(timelineHtml).join('')}${calls
    .map((call) => callHtml(call, call.row.timeline !== null && shownTimelines.has(call.row.timeline)))
    .join('')}</div>
</details>
`;
}

function printedHtml({ cut, parts }: PrintedOutput): string {
  const sections = parts.map(
    ({ stream, text }) =>
      `<section class="message given"><h4>${stream}</h4><pre>${clipped(text)}</pre></section>`,
  );
  const before = cut === 0 ? '' : `<p class="note">${escapedText(cutText(cut))}</p>`;
  return `<details><summary><h3>Printed output</h3></summary>${before}${sections.join('')}</details>\n`;
}

function episodeFacts({ row, calls, rewards }: ExportedEpisode, run: RunView): string {
  const { query, advantage, trains, error, seconds, tokens, trainableTokens, noted } = row;
  const training = hasValues(run, 'lossMask') ? `, of which ${count(trainableTokens)} count in the loss` : '';
  return facts([
    ['query', query],
    ...rewards.map(([name, value]) => [name, number(value)] as const),
    ['advantage', number(advantage)],
    ['would train', trains !== null && (trains ? 'yes' : 'no')],
    ['LLM calls', hasValues(run, 'calls') && count(calls.length)],
    ['tokens', hasValues(run, 'tokens') ? `${count(tokens)}${training}` : 'unknown'],
    ['time', seconds !== null && hasValues(run, 'times') && duration(seconds)],
    ['tags', noted !== undefined && noted.tags.length > 0 && noted.tags.join(', ')],
    ['note', noted !== undefined && noted.note !== '' && noted.note],
    ['error', error !== null && `${error.message} (${error.code})`],
  ]);
}

function timelineHtml({ row, messages, tokenTexts, trainer }: ExportedTimeline): string {
  let first = 0;
  const parts = messages.map((message) => {
    const end = first + message.tokenIds.length;
    const ratios = trainer?.ratios.slice(first, end) ?? [];
    const tokens = tokensHtml(message, tokenTexts.slice(first, end), ratios);
    first = end;
    return messageHtml(message, tokens);
  });
  const calls = row.calls.length === 0 ? '' : ` of calls ${row.calls.join(', ')}`;
  const tokens =
    row.tokens === 0 ? '' : `: ${countedTokens(row.tokens)}, ${count(row.trainableTokens)} in the loss`;
  const training =
    row.training === undefined ? '' : `, trained with advantage ${number(row.training.advantage)}`;
  return `<details class="timeline"><summary><h3>Timeline ${row.timeline}</h3>${calls}${tokens}${training}</summary>
${parts.join('')}</details>
`;
}

/** @param isShown true if a timeline shows the call's messages, so that they need not be repeated */
function callHtml({ row, messages, reply, options, tools }: ExportedCall, isShown: boolean): string {
  const details = [row.agent, duration(row.seconds), row.finishReason ?? '', row.error ?? ''];
  const shown = isShown ? [] : [...messages, ...(reply === null ? [] : [reply])];
  const where = isShown ? `<p class="note">Its messages are in timeline ${row.timeline ?? ''}.</p>` : '';
  return `<details class="call"><summary><h3>Call ${row.call}</h3> ${isolatedHtml(details.filter((one) => one !== '').join(', '))}</summary>
${facts([
  ['status', String(row.status)],
  ['prompt', countedTokens(row.promptTokens)],
  ['reply', countedTokens(row.replyTokens)],
  ['options', options],
  ['tools', tools ?? false],
])}
${where}${shown.map((message) => messageHtml(message, '')).join('')}</details>
`;
}

function messageHtml(
  { role, author, text, toolCalls, toolCallId, tokenIds, lossMask }: ExportedMessage,
  tokens: string,
): string {
  const counted = lossMask.reduce<number>((sum, counts) => sum + counts, 0);
  const counts =
    tokenIds.length === 0 ? '' : ` · ${countedTokens(tokenIds.length)}, ${count(counted)} in the loss`;
  const id = toolCallId === null ? '' : ` · answers ${isolatedHtml(toolCallId)}`;
  const calls = toolCalls === null ? '' : `<pre class="calls"><code>${clipped(toolCalls)}</code></pre>`;
  const written = author === 'llm' ? 'by the model' : author === 'env' ? 'given' : author;
  return `<section class="message ${author === 'llm' ? 'own' : 'given'}"><h4>${isolatedHtml(role)} · ${escapedText(written)}${counts}${id}</h4><pre>${clipped(text)}</pre>${calls}${tokens}</section>
`;
}

/** Tokens of a message that a page shows: each is an element. */
const mostTokens = 20_000;

/** Underlined is what counts in the loss. */
function tokensHtml(
  { tokenIds, lossMask, logprobs }: ExportedMessage,
  texts: readonly string[],
  ratios: readonly (number | null)[],
): string {
  if (tokenIds.length === 0) return '';
  const tokens = tokenIds.slice(0, mostTokens).map((id, index) => {
    const [logprob = null, ratio = null] = [logprobs?.[index], ratios[index]];
    const numbers = `${logprob === null ? '' : `, logprob ${logprob.toFixed(3)}`}${ratio === null ? '' : `, ratio ${ratio.toFixed(3)}`}`;
    const title = `${id < 0 ? 'taken out' : id}${numbers}`;
    const name = lossMask[index] === 1 ? 'ins' : 'span';
    const text = (texts[index] ?? '').slice(0, longestText);
    return `<${name} title="${title}">${text === '' ? '·' : isolatedHtml(text.replaceAll('\n', '↵\n'))}</${name}>`;
  });
  const left = tokenIds.length - tokens.length;
  const more = left === 0 ? '' : `<p class="note">… ${count(left)} more tokens are in the trace.</p>`;
  return `<details class="tokens"><summary>Tokens</summary><pre>${tokens.join('')}</pre>${more}</details>`;
}
