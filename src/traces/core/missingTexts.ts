/** Texts about data that a trace does not have, for the viewer, the command line and the HTML export. */
import * as l10n from '@vscode/l10n';
import { count } from '../../base/core/format.ts';
import type { MissingData } from '../../tracking/core/records/tracedRun.ts';
import type { DamageView } from './protocol/runRpc.ts';

export function damageTexts({ run, tokens, lost, incomplete, episodes }: DamageView): readonly string[] {
  const texts: string[] = [];
  if (run) texts.push(l10n.t('Facts about the run are lost.'));
  if (tokens) texts.push(l10n.t('Texts of tokens are lost. These tokens only have their ids.'));
  if (lost === 1) texts.push(l10n.t('1 episode is lost.'));
  if (lost > 1) texts.push(l10n.t('{0} episodes are lost.', count(lost)));
  if (incomplete === 0) return texts;
  const named = episodes.slice(0, mostNamed).join(', ');
  if (incomplete === 1) texts.push(l10n.t('Episode {0} may be incomplete.', named));
  else if (incomplete <= mostNamed) texts.push(l10n.t('These episodes may be incomplete: {0}.', named));
  else
    texts.push(l10n.t('{0} episodes may be incomplete, the first of them: {1}.', count(incomplete), named));
  return texts;
}

const mostNamed = 20;

export function missingNames(missing: readonly MissingData[]): string {
  const names: Readonly<Record<MissingData, string>> = {
    calls: l10n.t('LLM calls'),
    rewards: l10n.t('rewards'),
    successes: l10n.t('successes'),
    times: l10n.t('times'),
    tokens: l10n.t('token ids'),
    tokenTexts: l10n.t('texts of tokens'),
    lossMask: l10n.t('loss mask'),
    logprobs: l10n.t('log probabilities'),
    tokenCounts: l10n.t('token counts of calls'),
  };
  return missing.map((one) => names[one]).join(', ');
}
