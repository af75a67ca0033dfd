/** The actions on an earlier run that the command line and the editor share. Each caller supplies its own texts. */
import { randomUUID } from 'node:crypto';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { ClientConnection } from '../../core/wire/clientConnection.ts';
import { locateFindings, type LocatedFinding } from '../../core/dispatch/located.ts';
import { describeRestore, trainingOf } from '../../core/launch/resume.ts';
import { stageNamesOf } from '../../core/launch/resumeStages.ts';
import type { Checkpoint, RunRecord } from '../../core/protocol/runs.ts';
import { newestCheckpoint, type CheckpointId } from '../../core/sync/checkpoints.ts';
import { sentText } from './sync/rebuild.ts';

type From = NonNullable<RunRecord['from']>;

/** Returns the origin of a new run that continues from a checkpoint, and sentences on what the checkpoint restores. */
export function resumePlan(
  run: RunRecord,
  checkpoints: readonly Checkpoint[],
  { step, stage }: CheckpointId,
  as: From['as'],
): { readonly from: From; readonly restored: readonly string[] } {
  const ofStage = checkpoints.filter((one) => one.resumable && one.stage === stage);
  const isNewest = newestCheckpoint(ofStage)?.step === step;
  const from = { run: run.id, step, as, ...(stage !== undefined && { stage }) };
  return { from, restored: describeRestore(from, trainingOf(run).backbone, isNewest, stageNamesOf(run)) };
}

export interface ResumeOptions {
  readonly cancellation: CancellationToken;
  /** Decides whether the run starts. Gets the findings of the host, at the lines of the config as it was sent. */
  readonly confirm: (findings: readonly LocatedFinding[]) => Promise<boolean>;
}

/** Bytes of a config, at most, which is the limit of the protocol. */
const maxConfigBytes = 1024 * 1024;

/**
 * Resumes or forks an earlier run from a checkpoint with the code of that run, after a preflight on the host. No host keeps
 * the values of variables, so the caller passes them again. Resolves to undefined if `confirm` declines.
 */
export async function resumeRun(
  connection: ClientConnection,
  record: RunRecord,
  from: From,
  env: Readonly<Record<string, string>>,
  { cancellation, confirm }: ResumeOptions,
): Promise<RunRecord | undefined> {
  const missing = record.env.filter((name) => env[name] === undefined);
  if (missing.length > 0) throw missingVariables(missing);
  const { name, launcher, backbone, config, snapshot, flags, gpus } = trainingOf(record);
  const order = { name, launcher, backbone, config, snapshot, flags, gpus, env, from };
  const text = await sentText(connection, snapshot, config, { most: maxConfigBytes, cancellation });
  if (text === undefined) throw noConfig(config);
  const found = await connection.ask('preflight', { order, configText: text }, cancellation);
  // The caller has already shown what is restored.
  const findings = locateFindings(
    text,
    found.filter(({ id }) => id !== 'going-on'),
  );
  if (!(await confirm(findings))) return undefined;
  return connection.ask('run.start', { order, key: randomUUID() }, cancellation);
}

function noConfig(config: string): CodedError {
  return new CodedError({
    code: 'dispatch/no-config',
    message: `The config ${config} is not in the files of the earlier run, or is larger than 1 MiB.`,
    hint: 'Send the folder again, as a new run.',
  });
}

function missingVariables(names: readonly string[]): CodedError {
  const it = names.length === 1 ? 'it' : 'them';
  return new CodedError({
    code: 'dispatch/variables',
    message: `The earlier run used the variables ${names.join(', ')}. Hosts do not store their values.`,
    hint: `Set ${it} in this environment again.`,
  });
}
