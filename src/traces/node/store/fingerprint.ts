import { readFileSync } from 'node:fs';
import { contentFingerprint } from '../../../base/node/contentFingerprint.ts';

/** Returns a value that changes with the file's content; null: it cannot be read. */
export function fingerprintOf(file: string): string | null {
  try {
    return contentFingerprint(readFileSync(file));
  } catch {
    return null; // gone, or not to be read: the trace does without
  }
}
