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
    'lost-to-injected-fault': l10n.t('The episode was lost to an injected fault'),
    'not-tracked': l10n.t('The calls of the episode were not tracked'),
    'episode-lost': l10n.t('The process ended before the episode did'),
    'no-call': l10n.t('No call through the tuner'),
    'bypassed-tuner': l10n.t('LLM calls around the tuner'),
    'routed-away': l10n.t('Every call went to a debug model'),
    'trained-anyway': l10n.t('A target that is trained though it is not to be'),
    'nothing-trainable': l10n.t('No token counts in the loss'),
    'reward-range': l10n.t('A reward outside its usual range'),
    'success-mismatch': l10n.t('Reward and success disagree'),
    'success-missing': l10n.t('A reward without isSuccess'),
    'reward-unused': l10n.t('A reward that the judge’s replaces'),
    'trinity-rewards': l10n.t('Experiences of one run with different rewards'),
    'trinity-lost-answers': l10n.t('Answers of the model that no experience has'),
    'trinity-foreign-replies': l10n.t('Experiences with replies that are not the model’s'),
    'trinity-repeats': l10n.t('Repeats that training runs together'),
    'first-not-system': l10n.t('A request without a system message first'),
    'later-system': l10n.t('A system message that is not the first'),
    'tool-result-dropped': l10n.t('A tool result that is left out'),
    'role-dropped': l10n.t('A message whose role is not known'),
    'content-dropped': l10n.t('A message that is left out for its content'),
    'text-lost': l10n.t('Text that is lost between parts'),
    'part-refused': l10n.t('A part of a kind that is refused'),
    'template-failed': l10n.t('The chat template fails on a request'),
    'foreign-template': l10n.t('A chat template that is not ChatML'),
    'reply-repeats-header': l10n.t('A reply that begins with the header of a reply'),
    'tool-without-parameters': l10n.t('A tool without parameters'),
    'sample-refused': l10n.t('A timeline that makes no sample'),
    'end-inside-reply': l10n.t('An end token inside a reply'),
    'cut-end-trained': l10n.t('The end of a cut reply is trained'),
    'approximate-tokenizer': l10n.t('Another tokenizer than the model’s counts'),
    'colliding-ids': l10n.t('Different tasks have the same id'),
    'judge-unused': l10n.t('The judge was never asked'),
    'equal-rewards': l10n.t('All rewards of a task are equal'),
    'single-episode': l10n.t('Nothing to compare an episode with'),
    overlong: l10n.t('A prompt that is too long'),
    'reply-over-turn': l10n.t('A reply longer than a turn may be'),
    'timeline-over-model': l10n.t('A conversation longer than the model takes'),
    'prompt-over': l10n.t('A prompt longer than a sample’s'),
    'response-cut': l10n.t('A response that is truncated'),
    'near-limit': l10n.t('A length near its limit, by an approximate count'),
    'not-merged': l10n.t('Calls of one agent that do not merge'),
    'retokenization-drift': l10n.t('A reply that comes back in other tokens'),
    'prompt-drift': l10n.t('Another prompt than the engine was given'),
    'timeline-snap': l10n.t('A history that was rewritten between calls'),
    'degenerate-reply': l10n.t('A degenerate reply'),
    'after-degenerate-reply': l10n.t('A call after a degenerate reply'),
    'externally-interrupted': l10n.t('A call after the episode was told to stop'),
    'task-mutated': l10n.t('The workflow changes its task'),
    'not-selected': l10n.t('More episodes than train'),
  };
}
