import type { FileReader } from '../../../../base/core/ports.ts';
import type { DataSetListing } from './dataSetPorts.ts';

/** The files below a folder but for hidden folders; none where it is a file or not there. */
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
