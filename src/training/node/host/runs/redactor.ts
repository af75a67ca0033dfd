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
 * Returns marks of the secrets, from which the secrets cannot be read.
 *
 * @param env the environment of the run, including the variables of the host
 * @param others secrets that are not in variables
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
