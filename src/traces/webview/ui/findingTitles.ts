import * as l10n from '@vscode/l10n';
import type { FindingCode } from '../../../tracking/core/findings.ts';

/** Returns the title of a finding; undefined for an id that this version does not know. */
export function titleOf(code: string): string | undefined {
  const titles = findingTitles();
  return Object.hasOwn(titles, code) ? titles[code as FindingCode] : undefined;
}

function findingTitles(): Readonly<Record<FindingCode, string>> {
  return {
    'episode-error': l10n.t('The episode ended with an error'),
    'injected-fault': l10n.t('Faults were injected into its calls'),
    'lost-to-injected-fault': l10n.t('An injected fault ended the episode'),
    'not-tracked': l10n.t('The calls of the episode were not tracked'),
    'episode-lost': l10n.t('The process ended before the episode'),
    'no-call': l10n.t('No call through the tuner'),
    'bypassed-tuner': l10n.t('LLM calls that bypass the tuner'),
    'all-calls-untrained': l10n.t('All calls went to debug models'),
    'untrained-target-trained': l10n.t('A target is trained although `trainableTargets` excludes it'),
    'nothing-trainable': l10n.t('No token counts in the loss'),
    'reward-range': l10n.t('The reward is outside the usual range'),
    'success-mismatch': l10n.t('Reward and success disagree'),
    'success-missing': l10n.t('A reward without isSuccess'),
    'reward-unused': l10n.t('The judge’s reward replaces the workflow’s'),
    'trinity-rewards': l10n.t('Experiences of one run with different rewards'),
    'trinity-untrained-replies': l10n.t('Replies that no experience contains'),
    'trinity-foreign-replies': l10n.t('Experiences with replies that are not the model’s'),
    'trinity-repeats': l10n.t('Repeats that training runs together'),
    'missing-system-message': l10n.t('The first message is not a system message'),
    'system-message-not-first': l10n.t('A system message that is not the first message'),
    'tool-result-dropped': l10n.t('A tool result is dropped'),
    'role-dropped': l10n.t('A message with an unknown role'),
    'content-dropped': l10n.t('A message is dropped because of its content'),
    'non-text-content-dropped': l10n.t('Text before a non-text part is dropped'),
    'tool-part-rejected': l10n.t('A message part of a rejected type'),
    'template-failed': l10n.t('The chat template fails on a request'),
    'foreign-template': l10n.t('A chat template that is not ChatML'),
    'reply-repeats-header': l10n.t('A reply that starts with a reply header'),
    'tool-without-parameters': l10n.t('A tool without parameters'),
    'sample-refused': l10n.t('A timeline that gives no sample'),
    'end-token-inside-reply': l10n.t('An end token inside a reply'),
    'logprobs-dropped': l10n.t('Log probabilities that do not belong to the reply'),
    'cut-reply-end-trained': l10n.t('The end of a truncated reply is trained'),
    'approximate-tokenizer': l10n.t('The tokenizer is not the model’s'),
    'duplicate-task-id': l10n.t('Different tasks have the same id'),
    'judge-unused': l10n.t('The judge was never called'),
    'equal-rewards': l10n.t('All rewards of a task are equal'),
    'single-episode': l10n.t('Group with a single episode'),
    'context-overflow': l10n.t('The prompt leaves no room for a reply'),
    'reply-exceeds-turn-limit': l10n.t('A reply exceeds the limit of a turn'),
    'timeline-exceeds-model-len': l10n.t('A conversation exceeds the model length'),
    'prompt-too-long': l10n.t('A prompt exceeds the prompt length of a sample'),
    'response-cut': l10n.t('A response is truncated'),
    'near-limit': l10n.t('A length near its limit, with an approximate count'),
    'not-merged': l10n.t('Calls of one agent that do not merge'),
    'retokenization-drift': l10n.t('A reply that returns as other tokens'),
    'prompt-drift': l10n.t('The endpoint used another prompt'),
    'timeline-snap': l10n.t('The history was rewritten between calls'),
    'degenerate-reply': l10n.t('A degenerate reply'),
    'after-degenerate-reply': l10n.t('A call after a degenerate reply'),
    'externally-interrupted': l10n.t('A call after the request to stop'),
    'task-mutated': l10n.t('The workflow changes its task'),
    'not-selected': l10n.t('More episodes than training uses'),
  };
}
