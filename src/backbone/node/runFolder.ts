import path from 'node:path';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { CodedError, messageOf, hasCode } from '../../base/core/errors.ts';
import { redactConfigText } from '../../configs/core/effective/secrets.ts';
import type { RunFolder } from '../core/launcher/launch.ts';
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
    const mode = (await stat(config)).mode & 0o666;
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
