import type { FileReader, PathRules } from '../../../base/core/ports.ts';
import type { RunRequest } from '../protocol/run.ts';

export interface ResolvePorts {
  readonly files: Pick<FileReader, 'exists'>;
  readonly paths: PathRules;
}

/**
 * Returns the absolute path of a file that the config names. As in upstream, the path is relative to the working
 * directory. If the file does not exist there, the path is relative to the folder of the config.
 */
export async function resolveFile(
  file: string,
  request: Pick<RunRequest, 'cwd' | 'config'>,
  ports: ResolvePorts,
): Promise<string> {
  const inWorkingDirectory = ports.paths.resolve(request.cwd, file);
  if (await ports.files.exists(inWorkingDirectory)) return inWorkingDirectory;
  return ports.paths.resolve(ports.paths.dirname(request.config), file);
}

/** Returns the file of a dotted Python module in the working directory or the config's folder; else undefined. */
export async function findModule(
  module: string,
  request: Pick<RunRequest, 'cwd' | 'config'>,
  ports: ResolvePorts,
): Promise<string | undefined> {
  const { paths, files } = ports;
  const parts = module.split('.');
  for (const folder of [request.cwd, paths.dirname(request.config)]) {
    const stem = paths.resolve(folder, ...parts);
    for (const file of [`${stem}.py`, paths.resolve(stem, '__init__.py')]) {
      if (await files.exists(file)) return file;
    }
  }
  return undefined;
}
