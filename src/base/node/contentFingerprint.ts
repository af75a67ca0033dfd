import { createHash } from 'node:crypto';

/** By which traces tell whether a file is what it was. */
export function contentFingerprint(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('base64url');
}
