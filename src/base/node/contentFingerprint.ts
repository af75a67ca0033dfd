import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a file as base64url. Traces use it to detect changes. */
export function contentFingerprint(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('base64url');
}
