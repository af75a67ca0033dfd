import type { PathRules } from '../../../base/core/ports.ts';
import { writtenNames } from '../code/writtenLocators.ts';
import { dialectOf } from '../dialect.ts';
import { parseConfig } from '../parse.ts';

export interface NamedFile {
  readonly file: string;
  /** Names that the file exports, and those that it registers with Trinity-RFT. */
  readonly names: readonly string[];
  /** The absolute folders for relative locators, in search order. */
  readonly roots: readonly string[];
}

/**
 * Returns true if a config names something in a file by its path, or as a Python module. Reads no code, so that a
 * launch does not wait; a `ClassFinder` follows imports.
 */
export function namesFile(config: string, { file, names, roots }: NamedFile, paths: PathRules): boolean {
  const dialect = names.some((name) => config.includes(name)) ? dialectOf(config) : undefined;
  if (dialect === undefined) return false;
  return writtenNames(parseConfig(config), dialect).some(({ locator, text }) => {
    if (locator === undefined) return names.includes(text);
    if (!names.includes(locator.name)) return false;
    const where = locator.kind === 'file' ? locator.where : `${locator.where.replaceAll('.', '/')}.py`;
    return roots.some((root) => paths.relative(paths.resolve(root, where), file) === '');
  });
}
