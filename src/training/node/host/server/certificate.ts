import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { generate } from 'selfsigned';
import { CodedError, messageOf } from '../../../../base/core/errors.ts';
import { writeFileAtomicSync } from '../../../../base/node/atomicFile.ts';

/** The certificate of a host and its key, in PEM. */
export interface HostCertificate {
  readonly cert: string;
  readonly key: string;
  /** SHA-256 of the certificate in hex without colons, which clients pin. */
  readonly fingerprint: string;
  /** True if it is self-signed, so that clients must pin its fingerprint. */
  readonly selfSigned: boolean;
}

/** Ten years. Clients pin the certificate, and each must pair again with a new one. */
const days = 3_650;

/** Returns the self-signed certificate in the data folder. Creates it first if it is missing. */
export async function ownCertificate(dataFolder: string): Promise<HostCertificate> {
  const files = {
    cert: path.join(dataFolder, 'tls', 'cert.pem'),
    key: path.join(dataFolder, 'tls', 'key.pem'),
  };
  if (!existsSync(files.cert) || !existsSync(files.key)) {
    const notAfterDate = new Date(Date.now() + days * 86_400_000);
    const made = await generate([{ name: 'commonName', value: hostname() }], {
      keyType: 'ec',
      algorithm: 'sha256',
      notAfterDate,
    });
    mkdirSync(path.dirname(files.key), { recursive: true, mode: 0o700 });
    writeFileAtomicSync(files.key, made.private);
    writeFileAtomicSync(files.cert, made.cert);
  }
  return { ...certificateOf(files.cert, files.key), selfSigned: true };
}

/** Reads the certificate of the owner. Throws a CodedError if the files are not a certificate and its key. */
export function certificateOf(certFile: string, keyFile: string): HostCertificate {
  const cert = attempt(certFile, () => readFileSync(certFile, 'utf8'));
  const key = attempt(keyFile, () => readFileSync(keyFile, 'utf8'));
  const parsed = attempt(certFile, () => new X509Certificate(cert), 'it is not a PEM certificate');
  const noKey = 'it is not a PEM private key, or it has a passphrase';
  const parsedKey = attempt(keyFile, () => createPrivateKey(key), noKey);
  // Otherwise each connection would fail without a reason.
  if (!parsed.checkPrivateKey(parsedKey))
    throw unusable(keyFile, `it is not the key of the certificate ${certFile}`);
  const fingerprint = parsed.fingerprint256.replaceAll(':', '').toLowerCase();
  return { cert, key, fingerprint, selfSigned: parsed.issuer === parsed.subject };
}

/** @param why the reason of a failure, by default that of the error */
function attempt<T>(file: string, work: () => T, why?: string): T {
  try {
    return work();
  } catch (cause) {
    throw unusable(file, why ?? messageOf(cause), cause);
  }
}

function unusable(file: string, why: string, cause?: unknown): CodedError {
  return new CodedError({
    code: 'host/certificate',
    message: `Cannot use the TLS certificate: ${why}.`,
    location: { file },
    hint: 'Name PEM files with `--tls-cert` and `--tls-key`, or use `--tls` for a self-signed certificate.',
    cause,
  });
}
