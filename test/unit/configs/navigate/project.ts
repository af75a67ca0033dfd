import type { ConfigContext } from '../../../../src/configs/core/context.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { readContext } from '../../../../src/configs/core/readContext.ts';
import { atCaret } from '../caret.ts';
import { projectClasses } from '../code/memoryCode.ts';
import { memoryFiles, posix } from '../memoryFiles.ts';

export const configFile = '/project/conf/exp.yaml';

/** A text as `/project/conf/exp.yaml`, started from `/project`, with other files of the workspace. */
export async function contextOf(text: string, files: Record<string, string> = {}): Promise<ConfigContext> {
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('not a config');
  const inFolder = (folder: string): string[] =>
    Object.keys(files)
      .filter((file) => posix.dirname(file) === folder)
      .map((file) => posix.basename(file));
  return readContext(parseConfig(text), dialect, {
    file: configFile,
    cwd: '/project',
    files: { ...memoryFiles(files), list: (folder) => Promise.resolve(inFolder(folder)) },
    paths: posix,
    environment: () => undefined,
    classes: projectClasses(files),
    rows: () => Promise.resolve(7),
  });
}

/** The context of a text with one `|` in it, and where that was. */
export async function contextAt(
  marked: string,
  files?: Record<string, string>,
): Promise<{ context: ConfigContext; offset: number }> {
  const { text, offset } = atCaret(marked);
  return { context: await contextOf(text, files), offset };
}
