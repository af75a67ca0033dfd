/** The folder of a training: its state, its metrics, and a trace for each step. */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { appendFile, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { writeFileAtomic } from '../../../base/node/atomicFile.ts';
import { readRegular } from '../../../base/node/regularFile.ts';
import { openTraceWriter } from '../../../traces/node/store/openWriter.ts';
import { currentWriter } from '../../../traces/node/store/writerProcess.ts';
import {
  type TrainingFolder,
  trainingFiles,
  trainingState,
  type TrainingState,
} from '../../core/trainer/trainerPorts.ts';

/** Traces of steps that were trained again after a crash. */
const abandoned = 'abandoned';

interface TrainingFolderOptions {
  /** Absolute. */
  readonly folder: string;
  /** The text of the config, without secrets. */
  readonly configText: string;
  readonly mode: number;
}

/** Opens the folder of a training that continues, or of one that begins. */
export async function openTrainingFolder(
  { folder, configText, mode }: TrainingFolderOptions,
  continues: boolean,
): Promise<TrainingFolder> {
  const state = continues ? await readTrainingState(folder) : undefined;
  const steps = path.join(folder, trainingFiles.traces);
  mkdirSync(steps, { recursive: true });
  const writer = currentWriter();
  return {
    path: folder,
    state,
    rewind: (step) => dropMetricsAfter(step, folder),
    openTrace: (name, run) => {
      const file = path.join(steps, `${name}.ajtrace`);
      keepAside(file);
      return openTraceWriter(file, { ...run, configText }, undefined, mode);
    },
    save: (next) => writeState(folder, { ...next, writer }),
    log: (line) => appendFile(path.join(folder, trainingFiles.metrics), `${JSON.stringify(line)}\n`),
  };
}

/** Reads what a training needs to continue. Rejects with `trainer/…`. */
export async function readTrainingState(folder: string): Promise<TrainingState> {
  const file = path.join(folder, trainingFiles.state);
  let text: string;
  try {
    text = (await readRegular(file)).toString();
  } catch (error) {
    throw noTraining(folder, error);
  }
  const state = trainingState.safeParse(parseJson(text));
  if (!state.success) throw damagedState(file);
  return state.data;
}

function writeState(folder: string, state: TrainingState): Promise<void> {
  return writeFileAtomic(path.join(folder, trainingFiles.state), `${JSON.stringify(state, null, 2)}\n`);
}

/** Removes the checkpoint of a step from the state of a training that has ended. */
export async function forgetCheckpoint(folder: string, step: number): Promise<void> {
  const state = await readTrainingState(folder);
  const { deleted = [], checkpoints } = state;
  const file = path.join(folder, trainingFiles.state);
  const { atime, mtime } = await stat(file);
  await writeState(folder, {
    ...state,
    checkpoints: checkpoints.filter((one) => one.step !== step),
    deleted: [...deleted, step],
  });
  // The time of the last change is the end of the training.
  await utimes(file, atime, mtime);
}

async function dropMetricsAfter(step: number, folder: string): Promise<void> {
  const file = path.join(folder, trainingFiles.metrics);
  const text = await readRegular(file).then(String, () => '');
  const kept = text.split('\n').filter((line) => {
    const value = parseJson(line) as { step?: unknown } | undefined;
    return typeof value?.step === 'number' && value.step <= step;
  });
  await writeFileAtomic(file, kept.map((line) => `${line}\n`).join(''));
}

/** Moves the trace of a step that is trained again out of the way. */
function keepAside(file: string): void {
  if (!existsSync(file)) return;
  const folder = path.join(path.dirname(file), abandoned);
  mkdirSync(folder, { recursive: true });
  for (let number = 1; ; number++) {
    const name = path.basename(file, '.ajtrace');
    const target = path.join(folder, `${name}-${number}.ajtrace`);
    if (existsSync(target)) continue;
    for (const end of ['', '-wal', '-shm']) if (existsSync(file + end)) renameSync(file + end, target + end);
    return;
  }
}

function noTraining(folder: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'trainer/no-training',
    message: `${folder} has no training to continue: ${messageOf(cause)}.`,
    hint: `Name the folder of a run with a ${trainingFiles.state}.`,
    cause,
  });
}

function damagedState(file: string): CodedError {
  return new CodedError({
    code: 'trainer/damaged-state',
    message: `${file} is damaged, so the training cannot continue from it.`,
    hint: 'Start a new training. Its checkpoints are still on the server.',
  });
}
