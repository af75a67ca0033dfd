import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';
import type { RecordedBatch } from '../core/protocol/runRpc.ts';
import { clipText } from '../core/trainingTexts.ts';
import type { TrainerTokens } from '../core/protocol/tokenRpc.ts';
import { isClipped } from '../../tracking/core/policyShift.ts';
import type { TimelineTraining, TracedMessage } from '../../tracking/core/records/trace.ts';
import type { BatchSample } from '../../tracking/core/batchSamples.ts';
import type { TrainingSample } from '../../tracking/core/samples.ts';

export interface PrintedSample {
  readonly place: BatchSample;
  readonly result: EpisodeResult;
  readonly messages: readonly TracedMessage[];
  readonly calls: readonly number[];
  /** The texts of all tokens of the timeline, including those that are cut off. */
  readonly texts: readonly string[];
  readonly sample: TrainingSample;
  /** Absent: no training used the timeline. */
  readonly training?: TimelineTraining & { readonly tokens: TrainerTokens };
}

/** Returns a sample as text: its name, its size and its tokens. Tokens that count in the loss are between ⟦ and ⟧. */
export function sampleText(printed: PrintedSample, { limits }: RecordedBatch): string {
  const { place, result, calls, sample, texts } = printed;
  const { promptTokens, inputIds, lossMask } = sample;
  const response = inputIds.length - promptTokens;
  const counted = lossMask.reduce((sum, counts) => sum + counts, 0);
  const lines = [
    `task ${result.taskId}, repeat ${result.repeat} (episode ${result.episode}): timeline ${place.timeline + 1} of ${place.timelines}, of ${plural(calls.length, 'call')} (${calls.join(', ')})`,
    `  tokens: prompt ${promptTokens} (at most ${limits.promptLength}), response ${response} (at most ${limits.responseLength}), ${counted} in the loss`,
    `  reward ${String(result.reward)}, step reward ${place.stepReward}; advantage ${advantages(place)}`,
    ...losses(printed).map((loss) => `  ${loss}`),
    ...(printed.training === undefined ? [] : [`  ${trainedText(printed.training)}`]),
    '  prompt:',
    ...indented(textOf(printed, 0, promptTokens)),
    '  response:',
    ...indented(textOf(printed, promptTokens, Math.min(inputIds.length, texts.length))),
    '',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

export function summaryText(
  samples: readonly BatchSample[],
  shown: number,
  { tokenizer, rules }: RecordedBatch,
): string {
  const episodes = new Set(samples.map(({ episode }) => episode)).size;
  const dropped = samples.filter((sample) => sample.dropped !== null).length;
  const notes = [
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
    ...(tokenizer.exact ? [] : ['counted by the built-in tokenizer, approximately']),
    ...(rules === null ? ['max_sample_per_task unknown, since an earlier version wrote the trace'] : []),
  ];
  const part = shown < samples.length ? `${shown} of ` : '';
  const counts = `${part}${plural(samples.length, 'sample')} of ${plural(episodes, 'episode')}`;
  return `${[counts, ...notes].join('; ')}\n`;
}

function advantages({ grpoAdvantage, referenceAdvantage, simpleAdvantage }: BatchSample): string {
  const grpo = grpoAdvantage === null ? 'none' : grpoAdvantage.toFixed(3);
  return `${grpo} (GRPO), reference ${referenceAdvantage.toFixed(3)}, simple ${simpleAdvantage.toFixed(3)}`;
}

function trainedText({ advantage, clip, tokens }: NonNullable<PrintedSample['training']>): string {
  const ratios = tokens.ratios.filter((ratio) => ratio !== null);
  if (ratios.length === 0) return `trained: advantage ${advantage.toFixed(3)}`;
  const least = ratios.reduce((low, ratio) => Math.min(low, ratio), Infinity).toFixed(3);
  const most = ratios.reduce((high, ratio) => Math.max(high, ratio), 0).toFixed(3);
  const clipped = clip && ratios.filter((ratio) => isClipped(ratio, clip)).length;
  const outside = clip === null ? '' : `, ${clipped} outside of the clip range ${clipText(clip)}`;
  return `trained: advantage ${advantage.toFixed(3)}, ratios ${least}–${most}${outside}`;
}

function losses({ place, sample }: PrintedSample): readonly string[] {
  const { cutTokens, cutTrainable, refusal } = sample;
  return [
    ...(place.dropped === null ? [] : [`dropped: ${droppedBecause[place.dropped]}`]),
    ...(refusal === null ? [] : [`refused: ${refusal}`]),
    ...(cutTokens === 0 ? [] : [`cut: the last ${cutTokens} tokens, ${cutTrainable} of them in the loss`]),
  ];
}

const droppedBecause: Readonly<Record<NonNullable<BatchSample['dropped']>, string>> = {
  max_sample_per_task:
    'the episode has more timelines than max_sample_per_task (drawn by the seed of the run)',
  world_size: 'the batch cannot be shared out evenly (drawn by the seed of the run)',
};

function textOf({ texts, sample: { lossMask } }: PrintedSample, from: number, to: number): string {
  let text = '';
  let isCounted = false;
  for (let at = from; at < to; at++) {
    const counts = lossMask[at] === 1;
    if (counts !== isCounted) text += counts ? '⟦' : '⟧';
    isCounted = counts;
    text += texts[at] ?? '';
  }
  return isCounted ? `${text}⟧` : text;
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `    ${line}`.trimEnd());
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
