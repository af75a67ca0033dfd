import path from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { CodedError, messageOf, hasCode } from '../../base/core/errors.ts';
import { redactSecrets } from '../../base/core/secrets/texts.ts';
import type { RunFolder } from '../core/launcher/launch.ts';
import { openTraceWriter } from '../../traces/node/store/openWriter.ts';

/** The copy of the config in a run's folder, by upstream's name. */
export const configCopy = 'yaml_backup.yaml';

/** Creates the run's folder, with a number if the name is taken. (Upstream overwrites it, after a warning.) */
export async function openRunFolder(wanted: string, configText: string): Promise<RunFolder> {
  try {
    const folder = await makeFolder(wanted);
    await writeFile(path.join(folder, configCopy), configText);
    return {
      path: folder,
      openTrace: (run) =>
        openTraceWriter(path.join(folder, `${run.experiment}.ajtrace`), {
          ...run,
          configText: redactSecrets(configText),
        }),
    };
  } catch (error) {
    throw cannotWrite(wanted, error);
  }
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
