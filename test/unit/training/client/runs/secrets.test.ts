import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSecretName } from '../../../../../src/base/core/secrets/names.ts';
import { Random } from '../../../../../src/base/core/random.ts';
import {
  LogRedactor,
  marksOf,
  secretsIn,
  type Digest,
} from '../../../../../src/training/core/runs/secrets.ts';

const digest: Digest = (salt, text) => createHmac('sha256', salt).update(text).digest('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const marked = (env: Record<string, string>, salt = 'salt'): ReturnType<typeof marksOf> =>
  marksOf(secretsIn(env), salt, digest, base64);
const redactor = (env: Record<string, string>): LogRedactor => new LogRedactor(marked(env), digest);

describe('secrets in a log', () => {
  test('are the values of variables whose names say so', () => {
    for (const name of [
      'WANDB_API_KEY',
      'HF_TOKEN',
      'password',
      'DB_PASS',
      'MY_APIKEY',
      'AWS_SECRET_ACCESS_KEY',
    ])
      expect(isSecretName(name), name).toBe(true);
    for (const name of ['TOKENIZERS_PARALLELISM', 'PWD', 'PATH', 'KEYBOARD', 'SSH_KEY_PATH', 'HOME', 'MODEL'])
      expect(isSecretName(name), name).toBe(false);
  });

  test('are taken out however they are written, and nothing else is', () => {
    const secret = `p'a"ss\\wörd/42`;
    const one = redactor({ APP_PASSWORD: secret, MODEL: 'qwen-large', MAX_TOKENS: '4096000' });
    for (const form of [secret, JSON.stringify(secret), encodeURIComponent(secret), base64(secret)])
      expect(one.line(`before ${form} after ${form}`)).toMatch(
        /^before "?\[redacted\]"? after "?\[redacted\]"?$/,
      );
    expect(one.line('model qwen-large with 4096000')).toBe('model qwen-large with 4096000');
    expect(one.line(secret)).toBe('[redacted]');
    expect(one.line(secret.slice(0, -1))).toBe(secret.slice(0, -1));
  });

  test('of several lines are known by each of them, and the longest counts', () => {
    const one = redactor({ A_KEY: 'first line of it\nsecond line of it', B_KEY: 'first line' });
    expect(one.line('x first line of it')).toBe('x [redacted]');
    expect(one.line('x first line, y')).toBe('x [redacted], y');
    expect(one.line('second line of it')).toBe('[redacted]');
  });

  test('of known services are found without knowing them', () => {
    const none = redactor({});
    const key = `sk-${'a1'.repeat(12)}`;
    expect(none.line(`{'api_key': 'abcdefgh', 'x': '${key}'}`)).toBe(
      `{'api_key': '[redacted]', 'x': '[redacted]'}`,
    );
    for (const written of ["'openai_api_key': '", 'DASHSCOPE_API_KEY=', '"client_secret": "', 'hf_token: ']) {
      expect(none.line(`x ${written}d1b6cc0a'"`)).toBe(`x ${written}[redacted]'"`);
    }
    expect(none.line('a token of text, a key, a path://x')).toBe('a token of text, a key, a path://x');
  });

  test('are not in what is kept to know them by', () => {
    const kept = JSON.stringify(marked({ A_KEY: 'very-secret-value' }));
    expect(kept).not.toContain('very-secret');
    expect(marked({ A_KEY: 'very-secret-value' }, 'other').digests).not.toEqual(
      marked({ A_KEY: 'very-secret-value' }).digests,
    );
  });

  test('are found wherever they begin, and never where they are not', () => {
    const random = new Random('secrets 1');
    const letters = 'abcdef -:';
    const text = (length: number): string =>
      Array.from({ length }, () => letters.charAt(random.below(letters.length))).join('');
    for (let round = 0; round < 300; round++) {
      const secrets = Array.from({ length: 1 + random.below(3) }, () =>
        text(6 + random.below(8)).replaceAll(' ', 'x'),
      );
      const env = Object.fromEntries(secrets.map((secret, at) => [`K${at}_KEY`, secret]));
      const line = [text(random.below(60)), random.pick(secrets), text(random.below(60))].join('');
      const found = redactor(env).line(line);
      for (const secret of secrets) expect(found.includes(secret)).toBe(false);
      const plain = text(80);
      if (!secrets.some((secret) => plain.includes(secret))) expect(redactor(env).line(plain)).toBe(plain);
    }
  });
});
