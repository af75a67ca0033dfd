import path from 'node:path';
import type { FileReader, PathRules } from '../../../src/base/core/ports.ts';
import { compose, type Composition } from '../../../src/configs/core/compose.ts';
import type { Dialect } from '../../../src/configs/core/dialect.ts';
import type { Environment } from '../../../src/configs/core/interpolation/host.ts';

export const posix: PathRules = path.posix;

/** Files by absolute path; the folders they are in exist too. */
export function memoryFiles(files: Readonly<Record<string, string>>): FileReader {
  const names = Object.keys(files);
  return {
    readText: (file) => Promise.resolve(files[file]),
    exists: (file) => Promise.resolve(names.some((name) => name === file || name.startsWith(`${file}/`))),
    lines: () => {
      throw new Error('a config is not read line by line');
    },
    list: (folder) => Promise.resolve(namesIn(folder, names, false)),
    folders: (folder) => Promise.resolve(namesIn(folder, names, true)),
  };
}

function namesIn(folder: string, files: readonly string[], folders: boolean): string[] {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  const inside = files.filter((file) => file.startsWith(prefix)).map((file) => file.slice(prefix.length));
  const wanted = inside.filter((path) => path.includes('/') === folders);
  return [...new Set(wanted.map((path) => path.split('/')[0] ?? ''))];
}

export interface Composing {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Environment;
  readonly dialect?: Dialect;
}

/** Composes a text as `/project/conf/exp.yaml`, started from `/project`. */
export function composeText(
  text: string,
  { files = {}, environment = () => undefined, dialect }: Composing = {},
): Promise<Composition> {
  return compose({
    file: '/project/conf/exp.yaml',
    text,
    ...(dialect && { dialect }),
    cwd: '/project',
    files: memoryFiles(files),
    paths: posix,
    environment,
  });
}
