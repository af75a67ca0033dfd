import * as l10n from '@vscode/l10n';

/** Returns the description of a field for the list of completions. */
export function fieldText(field: string): string {
  const texts: Readonly<Record<string, string>> = {
    reward: l10n.t('the episode’s reward'),
    advantage: l10n.t('the advantage within its group'),
    tokens: l10n.t('in all timelines'),
    trainable: l10n.t('tokens that count in the loss'),
    mask: l10n.t('share of such tokens, e.g. mask<5%'),
    time: l10n.t('e.g. time>30s'),
    calls: l10n.t('LLM calls'),
    failures: l10n.t('LLM calls that failed'),
    timelines: l10n.t('number of LLM calls'),
    repeat: l10n.t('its number in its group'),
    episode: l10n.t('its number'),
    group: l10n.t('its group’s number'),
    mean: l10n.t('mean reward of its group'),
    spread: l10n.t('deviation of the rewards of its group'),
    best: l10n.t('best reward of its group'),
    worst: l10n.t('worst reward of its group'),
    solved: l10n.t('share of successes in its group'),
    'task:': l10n.t('part of the task’s id'),
    'agent:': l10n.t('an agent that made calls'),
    'tool:': l10n.t('a tool that was called'),
    'source:': l10n.t('a line of code that made calls, e.g. source:agent.ts:12'),
    'finding:': l10n.t('a finding of the training report'),
    'error:': l10n.t('part of its error'),
    'trains:': l10n.t('whether it would train'),
    'success:': l10n.t('whether it succeeded'),
    'state:': l10n.t('running, ended or lost'),
    error: l10n.t('it ended with an error'),
  };
  return Object.hasOwn(texts, field) ? (texts[field] ?? '') : '';
}
