import { CodedError } from '../../../base/core/errors.ts';
import { finalStates, type RunRecord } from '../protocol/runs.ts';

export function noRun(run: string): CodedError {
  return new CodedError({
    code: 'host/no-run',
    message: `This host has no run ${JSON.stringify(run)}.`,
    hint: 'List the runs: it was removed, or it is on another host.',
  });
}

/** Explains a missing config: the run has not started, never did, or was started by a host that kept none. */
export function noConfig({ id, state, startedAt }: RunRecord): CodedError {
  const [why, hint] =
    startedAt !== null
      ? [
          'was started by an earlier version of AgentJet, which did not keep what its config comes to',
          `Bring its code here, as it was sent, and look at the config there: \`agentjet remote rebuild ${id}\`.`,
        ]
      : finalStates.includes(state)
        ? ['was never started, so there is no config that it had', 'The list of runs tells why.']
        : ['was not started yet; what its config comes to is known then', 'Wait until it is running.'];
  return new CodedError({ code: 'host/no-config', message: `The run ${id} ${why}.`, hint });
}

export function noSnapshot(snapshot: string): CodedError {
  return new CodedError({
    code: 'host/no-snapshot',
    message: `The code of the run, snapshot ${snapshot.slice(0, 12)}, is not on this host.`,
    hint: 'Send it first, then start the run again.',
  });
}

export function runActive(run: string): CodedError {
  return new CodedError({
    code: 'host/run-active',
    message: `The run ${run} has not ended, so it cannot be removed.`,
    hint: 'Cancel it and wait until it has ended.',
  });
}

export function folderShared(run: string, other: string): CodedError {
  return new CodedError({
    code: 'host/folder-shared',
    message: `The checkpoints of ${run} are in the same folder as those of ${other}, which goes on with them.`,
    hint: `Remove ${other} first, or keep the checkpoints.`,
  });
}

export function folderInUse(other: string): CodedError {
  return new CodedError({
    code: 'host/folder-in-use',
    message: `The run ${other} has not ended, and its checkpoints are in the same folder: two trainings would write over each other's.`,
    hint: `Wait until ${other} has ended, or cancel it. A fork, or a config with another name, gets a folder of its own.`,
  });
}

export function runNeeded(run: string, other: string): CodedError {
  return new CodedError({
    code: 'host/run-needed',
    message: `The run ${other}, which has not started yet, goes on from ${run}.`,
    hint: `Wait until ${other} runs, or cancel it.`,
  });
}

export function unknownJobFolder(run: string): CodedError {
  return new CodedError({
    code: 'host/not-resumable',
    message: `The run cannot go on from ${run}: it is not known where that one keeps its checkpoints.`,
    hint: 'Choose a run that has written checkpoints.',
  });
}

/** The host ended during the preparation of the run, and does not store the values. */
export function variablesLost(names: readonly string[]): CodedError {
  return new CodedError({
    code: 'host/variables-lost',
    message: `The run was not started: the host does not have the values of its variables (${names.join(', ')}) any more.`,
    hint: 'Start it again.',
  });
}

/** A power failure can lose events that were not on disk yet. */
export function eventsLost(run: string, after: number, last: number): CodedError {
  return new CodedError({
    code: 'host/events-lost',
    message: `The host has lost events of the run ${run}: the last one that was told is ${after}, the last one it has ${last}.`,
    hint: 'Follow the run from its beginning.',
  });
}

/** @param why as the end of a sentence */
export function badJobFolder(folder: string, why: string): CodedError {
  return new CodedError({
    code: 'host/job-folder',
    message: `The run may not keep its checkpoints in ${folder}: ${why}.`,
    hint: 'Name a root for checkpoints inside the code that is sent, or a folder on the host that is for them alone.',
    location: { file: folder },
  });
}
