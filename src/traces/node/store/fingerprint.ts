import { contentFingerprint } from '../../../base/node/contentFingerprint.ts';
import { readRegularSync } from '../../../base/node/regularFile.ts';

/** The maximum size of a source file, in bytes. */
const largest = 8 * 2 ** 20;

/** Reads a source file that a trace names; undefined: it is gone, too large, or not a file. */
export function readSource(file: string): Buffer | undefined {
  try {
    return readRegularSync(file, { maxBytes: largest });
  } catch {
    return undefined;
  }
}

/** Returns a value that changes with the file's content; null: it cannot be read. */
export function fingerprintOf(file: string): string | null {
  const content = readSource(file);
  return content === undefined ? null : contentFingerprint(content);
}
