import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { finalStates, type RunRecord } from '../protocol/runs.ts';

/** Returns whether an error is of the system, and not about the content of a file. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

export const runErrors = {
  noRun: (run: string) =>
    new CodedError({
      code: 'host/no-run',
      message: `This host has no run ${JSON.stringify(run)}.`,
      hint: 'List the runs. It was removed, or it is on another host.',
    }),
  /** Explains a missing config: the run has not started, never did, or was started by a host that kept none. */
  noConfig: ({ id, state, startedAt }: RunRecord) => {
    const [why, hint] =
      startedAt !== null
        ? [
            'was started by an earlier version of AgentJet, which did not store the effective config',
            `Download its code, which includes the config: \`agentjet remote rebuild ${id}\`.`,
          ]
        : finalStates.includes(state)
          ? ['was never started, so it has no effective config', 'The list of runs shows the reason.']
          : ['has not started yet, so it has no effective config', 'Wait until it is running.'];
    return new CodedError({ code: 'host/no-config', message: `The run ${id} ${why}.`, hint });
  },
  noSnapshot: (snapshot: string) =>
    new CodedError({
      code: 'host/no-snapshot',
      message: `The host does not have the code of the run (snapshot ${snapshot.slice(0, 12)}).`,
      hint: 'Send the code first, then start the run again.',
    }),
  runActive: (run: string) =>
    new CodedError({
      code: 'host/run-active',
      message: `Cannot remove the run ${run}: it has not ended.`,
      hint: 'Cancel it and wait until it has ended.',
    }),
  folderShared: (run: string, other: string) =>
    new CodedError({
      code: 'host/folder-shared',
      message: `Cannot remove the checkpoints of ${run}: the run ${other} uses the same folder.`,
      hint: `Remove ${other} first, or keep the checkpoints.`,
    }),
  folderInUse: (other: string) =>
    new CodedError({
      code: 'host/folder-in-use',
      message: `The run ${other} has not ended and writes its checkpoints to the same folder. The runs would overwrite each other's checkpoints.`,
      hint: `Wait until ${other} has ended, or cancel it. A fork, or a config with another name, uses another folder.`,
    }),
  runNeeded: (run: string, other: string) =>
    new CodedError({
      code: 'host/run-needed',
      message: `The run ${other}, which has not started yet, continues from ${run}.`,
      hint: `Wait until ${other} is running, or cancel it.`,
    }),
  unknownJobFolder: (run: string) =>
    new CodedError({
      code: 'host/not-resumable',
      message: `The run cannot continue from ${run}: the checkpoint folder of that run is unknown.`,
      hint: 'Choose a run that has written checkpoints.',
    }),
  /** The host ended during the preparation of the run, and does not store the values. */
  variablesLost: (names: readonly string[]) =>
    new CodedError({
      code: 'host/variables-lost',
      message: `The run was not started: the host no longer has the values of its variables (${names.join(', ')}).`,
      hint: 'Start the run again.',
    }),
  recordUnreadable: (file: string, cause: unknown) =>
    new CodedError({
      code: 'host/record-unreadable',
      message: `Cannot read the record of the run in ${file}: ${isOfSystem(cause) ? messageOf(cause) : 'it is damaged'}.`,
      hint: 'Repair the file or its permissions and restart the host, or remove the run.',
      cause,
    }),
  /** A power failure can lose events that were not on disk yet. */
  eventsLost: (run: string, after: number, last: number) =>
    new CodedError({
      code: 'host/events-lost',
      message: `The host has lost events of the run ${run}: the last event received is ${after}, the last event on the host is ${last}.`,
      hint: 'Follow the run from its first event.',
    }),
  /** @param why as the end of a sentence */
  badJobFolder: (folder: string, why: string) =>
    new CodedError({
      code: 'host/job-folder',
      message: `Checkpoints are not allowed in ${folder}: ${why}.`,
      hint: 'Use a checkpoint folder inside the code that is sent, or a folder on the host that is only for checkpoints.',
      location: { file: folder },
    }),
};
