import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { LogRedactor, marksOf, type Digest, type SecretMarks } from '../../../remote/runs/secrets.ts';

const digest: Digest = (salt, text) => createHmac('sha256', salt).update(text).digest('hex');

/** @param env of the run's process, the host's own variables included */
export function marksOfSecrets(env: Readonly<Record<string, string | undefined>>): SecretMarks {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return marksOf(env, randomBytes(16).toString('hex'), digest, base64);
}

export function redactorOf(marks: SecretMarks | null): LogRedactor {
  return new LogRedactor(marks ?? { salt: '', starts: [], digests: [] }, digest);
}
