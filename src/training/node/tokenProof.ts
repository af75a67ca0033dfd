/**
 * Login without TLS, like SCRAM (RFC 5802): both sides prove that they know a token, and the token is not sent. Another
 * user of the machine may have taken the port of the host. The host keeps only the SHA-256 of the token.
 */
import { createHash, hkdfSync } from 'node:crypto';

/** The scheme in the `Authorization` and `WWW-Authenticate` headers. */
export const proofScheme = 'AgentJet';

export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Returns the id by which a client names its token. */
export function tokenId(hash: Uint8Array): string {
  return createHash('sha256').update(hash).digest('hex');
}

/** @param nonces the random numbers of both sides */
export function hostProof(hash: Uint8Array, nonces: string): string {
  return Buffer.from(hkdfSync('sha256', hash, nonces, 'host', 32)).toString('hex');
}

/** Encrypts or decrypts a token for a host that knows its hash. */
export function maskToken(token: Uint8Array, hash: Uint8Array, nonces: string): Buffer {
  const mask = new Uint8Array(hkdfSync('sha256', hash, nonces, 'client', token.length));
  return Buffer.from(token.map((byte, at) => byte ^ (mask[at] ?? 0)));
}
