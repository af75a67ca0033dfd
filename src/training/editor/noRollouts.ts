import * as l10n from '@vscode/l10n';
import { CodedError } from '../../base/core/errors.ts';
import type { RunRecord } from '../core/protocol/runs.ts';

/** Returns the error for a run without rollouts. Files in verl's `rollout_data_dir` have no tokens and cannot become a trace. */
export function noRolloutsError({ name, backbone }: Pick<RunRecord, 'name' | 'backbone'>): CodedError {
  return new CodedError({
    code: 'hosts/no-rollouts',
    message: l10n.t('The training run {0} has no rollouts yet.', name),
    hint:
      backbone === 'trinity'
        ? l10n.t('Trinity-RFT saves them if `data_processor.experience_pipeline.save_input` is set.')
        : l10n.t(
            'AgentJet logs each completed episode below `saved_experiments` in its working folder. On a Ray cluster, that folder is on another machine. With a Ray that was already running, it is the folder in which Ray was started.',
          ),
  });
}
