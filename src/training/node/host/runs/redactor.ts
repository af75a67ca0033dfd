import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import {
  LogRedactor,
  marksOf,
  secretsIn,
  type Digest,
  type SecretMarks,
} from '../../../core/runs/secrets.ts';

const digest: Digest = (salt, text) => createHmac('sha256', salt).update(text).digest('hex');

/**
 * @param env of the run's process, the host's own variables included
 * @param others secrets that no variable has
 */
export function marksOfSecrets(
  env: Readonly<Record<string, string | undefined>>,
  others: readonly string[] = [],
): SecretMarks {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return marksOf([...secretsIn(env), ...others], randomBytes(16).toString('hex'), digest, base64);
}

export function redactorOf(marks: SecretMarks | null): LogRedactor {
  return new LogRedactor(marks ?? { salt: '', starts: [], digests: [] }, digest);
}
