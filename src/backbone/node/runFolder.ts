import path from 'node:path';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { CodedError, messageOf, hasCode } from '../../base/core/errors.ts';
import { redactConfigText } from '../../configs/core/effective/secrets.ts';
import type { RunFolder } from '../core/launcher/batch.ts';
import type { TrainingFolder } from '../core/trainer/trainerPorts.ts';
import { openTrainingFolder } from './trainer/trainingFolder.ts';
import { openTraceWriter } from '../../traces/node/store/openWriter.ts';

/** The copy of the config in a run's folder, by upstream's name. */
export const configCopy = 'yaml_backup.yaml';

/**
 * Creates the run's folder, with a number if the name is taken. (Upstream overwrites it, after a warning.) The trace has the
 * name of the folder. The files keep the config without secrets, and can be read by those who can read the config.
 */
export async function openRunFolder(wanted: string, text: string, config: string): Promise<RunFolder> {
  const configText = redactConfigText(text);
  try {
    const folder = await makeFolder(wanted);
    const mode = await modeOf(config);
    await writeFile(path.join(folder, configCopy), configText, { mode });
    return {
      path: folder,
      openTrace: (run) =>
        openTraceWriter(
          path.join(folder, `${path.basename(folder)}.ajtrace`),
          { ...run, configText },
          undefined,
          mode,
        ),
    };
  } catch (error) {
    throw cannotWrite(wanted, error);
  }
}

/** Creates the folder of a training, or opens that of one to continue. */
export async function openFolderOfTraining(
  wanted: string,
  text: string,
  config: string,
  resume: string | undefined,
): Promise<TrainingFolder> {
  const configText = redactConfigText(text);
  if (resume !== undefined)
    return openTrainingFolder({ folder: resume, configText, mode: await modeOf(config) }, true);
  try {
    const folder = await makeFolder(wanted);
    const mode = await modeOf(config);
    await writeFile(path.join(folder, configCopy), configText, { mode });
    return await openTrainingFolder({ folder, configText, mode }, false);
  } catch (error) {
    throw cannotWrite(wanted, error);
  }
}

/** Those who can read the config can read its copies. */
async function modeOf(config: string): Promise<number> {
  return (await stat(config)).mode & 0o666;
}

async function makeFolder(wanted: string): Promise<string> {
  await makeParents(path.dirname(wanted));
  for (let number = 1; ; number++) {
    const folder = number === 1 ? wanted : `${wanted}_${number}`;
    try {
      await mkdir(folder);
      return folder;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

/** Not `recursive`: Node.js then retries forever on file systems without folders, such as `/proc`. */
export async function makeParents(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!hasCode(error, 'ENOENT') || path.dirname(folder) === folder) throw error;
    await makeParents(path.dirname(folder));
    await mkdir(folder);
  }
}

function cannotWrite(folder: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'launcher/run-folder',
    message: `The run's folder ${folder} cannot be written: ${messageOf(cause)}.`,
    hint: 'Choose another folder with --exp-dir (launch.json: expDir).',
    cause,
  });
}
