import * as l10n from '@vscode/l10n';
import {
  count,
  countedCalls,
  countedEpisodes,
  countedTokens,
  duration,
  reward as rewardText,
} from '../../base/core/format.ts';
import type { CodeNumber } from './codeNumbers.ts';

/** e.g. `4 calls · 1,234 tokens/call · 2.1 s/call · reward 0.5 (3 episodes)`. */
export function lensTitle(number: CodeNumber): string {
  return `$(pulse) ${parts(number).join(' · ')}`;
}

function parts(number: CodeNumber): readonly string[] {
  switch (number.kind) {
    case 'call':
      return [...callParts(number), inEpisodes(number)];
    case 'tool':
      return [l10n.t('tool {0}', number.tool), inEpisodes(number)];
    case 'execute':
    case 'judge':
      return [...secondsPart(number), ...failedPart(number.failed), inEpisodes(number)];
  }
}

function callParts(number: Extract<CodeNumber, { kind: 'call' }>): readonly string[] {
  const { calls, failed, promptTokens, replyTokens, seconds } = number;
  const one = calls === 1;
  const tokens =
    promptTokens === null || replyTokens === null ? null : Math.round(promptTokens + replyTokens);
  const time = seconds === null ? null : duration(seconds);
  return [
    countedCalls(calls),
    ...failedPart(failed),
    ...(tokens === null ? [] : [one ? countedTokens(tokens) : l10n.t('{0} tokens/call', count(tokens))]),
    ...(time === null ? [] : [one ? time : l10n.t('{0}/call', time)]),
  ];
}

function failedPart(failed: number): readonly string[] {
  return failed === 0 ? [] : [l10n.t('{0} failed', count(failed))];
}

function secondsPart({ seconds, episodes }: { seconds: number | null; episodes: number }): readonly string[] {
  if (seconds === null) return [];
  const time = duration(seconds);
  return [episodes === 1 ? time : l10n.t('{0}/episode', time)];
}

function inEpisodes({ reward, episodes }: Pick<CodeNumber, 'reward' | 'episodes'>): string {
  const number = countedEpisodes(episodes);
  return reward === null ? number : l10n.t('reward {0} ({1})', rewardText(reward), number);
}

export function lensTooltip({ kind }: CodeNumber): string {
  const tooltips: Readonly<Record<CodeNumber['kind'], string>> = {
    call: l10n.t(
      'Calls from this line in the last run. Tokens (prompt and reply) and seconds are means over the answered calls. The reward is the mean of the episodes. Click to show them in the trace.',
    ),
    tool: l10n.t(
      'Episodes of the last run in which a model called this tool, and their mean reward. Click to show them in the trace.',
    ),
    execute: l10n.t(
      'The workflow in the last run: mean seconds and mean reward. Click to show the run in the trace.',
    ),
    judge: l10n.t(
      'The judge in the last run: mean seconds and mean reward. Click to show the run in the trace.',
    ),
  };
  return tooltips[kind];
}
