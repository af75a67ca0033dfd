import { readFileSync } from 'node:fs';
import { contentFingerprint } from '../../../base/node/contentFingerprint.ts';

/** Differs once a file's content has changed; null: it cannot be read. */
export function fingerprintOf(file: string): string | null {
  try {
    return contentFingerprint(readFileSync(file));
  } catch {
    return null; // gone, or not to be read: the trace does without
  }
}
