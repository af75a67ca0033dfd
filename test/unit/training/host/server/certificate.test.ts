import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certificateOf, ownCertificate } from '../../../../../src/training/node/host/server/certificate.ts';

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-certificate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function pair(folder: string, name: string, keyType: 'ec' | 'rsa') {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType,
    algorithm: 'sha256',
  });
  const files = { cert: path.join(folder, `${name}.crt`), key: path.join(folder, `${name}.key`) };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  return files;
}

describe('the certificate of a host', () => {
  it('is taken with its own key, and with no other', async () => {
    const folder = newFolder();
    const one = await pair(folder, 'one', 'ec');
    const other = await pair(folder, 'other', 'ec');
    const third = await pair(folder, 'third', 'rsa');
    for (const { cert, key } of [one, other, third]) {
      expect(certificateOf(cert, key)).toMatchObject({ key: readFileSync(key, 'utf8'), selfSigned: true });
    }
    for (const { key } of [other, third]) {
      expect(() => certificateOf(one.cert, key)).toThrow(
        expect.objectContaining({
          code: 'host/certificate',
          message: `Cannot use the TLS certificate: it is not the key of the certificate ${one.cert}.`,
          location: { file: key },
        }),
      );
    }
  });

  it('is refused at the file that is to blame', async () => {
    const folder = newFolder();
    const { cert, key } = await pair(folder, 'one', 'ec');
    const locked = path.join(folder, 'locked.key');
    const privateKeyEncoding = {
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    } as const;
    const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
    const made = generateKeyPairSync('ec', { namedCurve: 'P-256', privateKeyEncoding, publicKeyEncoding });
    writeFileSync(locked, made.privateKey);
    const none = path.join(folder, 'none');
    for (const [certFile, keyFile, file, why] of [
      [key, key, key, 'it is not a PEM certificate.'],
      [cert, cert, cert, 'it is not a PEM private key, or it has a passphrase.'],
      [cert, locked, locked, 'it is not a PEM private key, or it has a passphrase.'],
      [none, key, none, 'ENOENT'],
      [cert, none, none, 'ENOENT'],
    ] as const) {
      expect(() => certificateOf(certFile, keyFile)).toThrow(
        expect.objectContaining({
          code: 'host/certificate',
          message: expect.stringContaining(why) as string,
          location: { file },
        }),
      );
    }
  });

  it('of its own has the key that belongs to it', async () => {
    const folder = newFolder();
    const own = await ownCertificate(folder);
    const files = [path.join(folder, 'tls/cert.pem'), path.join(folder, 'tls/key.pem')] as const;
    expect(own).toEqual({ ...certificateOf(...files), selfSigned: true });
  });
});
