import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { CodedError } from '../../base/core/errors.ts';
import { sizeText } from '../../base/core/format.ts';
import type { FileEntry } from '../core/protocol/hostRpc.ts';
import type { RunRecord } from '../core/protocol/runs.ts';

/** The name of a log that was not rotated. */
export const currentLog = 'rollout.json.log';

/**
 * Returns one item per log, newest first. Parallel processes, such as Trinity-RFT's runners, each log to a separate folder
 * with the name of the machine, or of machine and process. Current logs are preselected, rotated logs are not.
 */
export function rolloutItems(logs: readonly FileEntry[], language: string) {
  const newestFirst = logs.toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  return newestFirst.map((file) => {
    const [name, folder] = [path.posix.basename(file.path), path.posix.dirname(file.path)];
    // The parent folder is the module, which is the same for all logs.
    const machine = path.posix.basename(path.posix.dirname(folder));
    return {
      label: `${machine}/${name}`,
      description: `${sizeText(file.bytes)}, ${new Date(file.modifiedAt).toLocaleString(language)}`,
      detail: folder,
      picked: name === currentLog,
      file,
    };
  });
}

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
