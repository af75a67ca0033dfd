import type { FileReader } from '../../../../base/core/ports.ts';
import type { DataSetListing } from './dataSetPorts.ts';

/** Returns the files below a folder, except in hidden folders. Empty if it is a file or does not exist. */
export async function listFolder(
  folder: string,
  files: Pick<FileReader, 'list' | 'folders' | 'readText'>,
): Promise<DataSetListing> {
  const paths: string[] = [];
  const open = [''];
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    const place = below === '' ? folder : `${folder}/${below.slice(0, -1)}`;
    paths.push(...(await files.list(place)).map((name) => `${below}${name}`));
    const inside = (await files.folders?.(place)) ?? [];
    open.push(...inside.filter((name) => !name.startsWith('.')).map((name) => `${below}${name}/`));
  }
  const readme = paths.includes('README.md') ? await files.readText(`${folder}/README.md`) : undefined;
  return { paths, readme };
}
