import type { FileReader, PathRules } from '../../../base/core/ports.ts';
import type { RunRequest } from '../protocol/run.ts';

export interface ResolvePorts {
  readonly files: Pick<FileReader, 'exists'>;
  readonly paths: PathRules;
}

/**
 * A path of the config, absolute: relative to the working directory, as upstream has it, unless only the folder of
 * the config has it. Where neither does, the path in the config's folder, which is where one would look first.
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

/** The file of a dotted Python module in the working directory or the config's folder; undefined: it lies elsewhere. */
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
