import * as l10n from '@vscode/l10n';
import { CodedError } from '../../base/core/errors.ts';
import type { RunRecord } from '../core/protocol/runs.ts';

/** A run has none that a trace can be made of. What verl's own `rollout_data_dir` keeps tells no tokens. */
export function noRolloutsError({ name, backbone }: Pick<RunRecord, 'name' | 'backbone'>): CodedError {
  return new CodedError({
    code: 'hosts/no-rollouts',
    message: l10n.t('The training {0} has kept no rollouts until now.', name),
    hint:
      backbone === 'trinity'
        ? l10n.t('Trinity-RFT keeps them with `data_processor.experience_pipeline.save_input`.')
        : l10n.t(
            'AgentJet logs each episode once it has ended, below `saved_experiments` where it runs: on a Ray cluster that is another machine, and with a Ray that already ran before, the folder in which Ray was started.',
          ),
  });
}
