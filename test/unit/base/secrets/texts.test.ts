import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import gitleaks from '../../../../src/base/core/secrets/data/gitleaks.json' with { type: 'json' };
import { redactField, redactSecrets } from '../../../../src/base/core/secrets/texts.ts';
import { configFiles } from '../../configs/configFiles.ts';
import { importFixture } from '../../traces/import.ts';
import { cpuTime } from '../../cpuTime.ts';

function foundIn(text: string): string[] {
  const found: string[] = [];
  redactSecrets(text, (_, secret) => found.push(secret));
  return found;
}

describe('a secret in a text', () => {
  test.each([
    ['api_key=os.environ["KEY"], model="m"', []],
    ['The password: please choose one. Authorization: required', ['please']],
    ['a token of text, a key, a path://x', []],
    ['{"token": "function", "logprob": -0.25}', []],
    ['prompt_token_ids=[151644, 872, 198, 100000]', []],
    ['tokens: 123456789, num_keys=123456', []],
    ['tool said: DB_DSN=d1b6cc0a77f1', ['d1b6cc0a77f1']],
    ['x?access_token=d1b6cc0a&size=12345678', ['d1b6cc0a']],
    [String.raw`{\"api_key\": \"d1b6cc0a77\"}`, ['d1b6cc0a77\\']],
    ['serve --api-key=d1b6cc0a --port=8000', ['d1b6cc0a']],
    ['Authorization: Basic d1b6cc0a77', ['d1b6cc0a77']],
    ['git clone https://d1b6cc0a77f1d1b6cc@example.org/x', ['d1b6cc0a77f1d1b6cc']],
    ['AKIAXXXXXXXXXXXXXXXX', ['AKIAXXXXXXXXXXXXXXXX']],
    ['shpat_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', []],
    ['at commit b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b, md5 0f9a8b7c6d5e4f3a0f9a8b7c6d5e4f3a', []],
  ])('%s', (text, secrets) => {
    expect(foundIn(text)).toEqual(secrets);
  });

  test('is hidden once, and a text without secrets does not change', () => {
    const once = redactSecrets(
      'DB_DSN=d1b6cc0a77f1, {"api_key": "d1b6cc0a77f1"}, sk-d1b6cc0a77f1d1b6cc0a77f1',
    );
    expect(once).toBe('DB_DSN=[redacted], {"api_key": "[redacted]"}, [redacted]');
    expect(redactSecrets(once)).toBe(once);
  });

  test('is also known by the name of its field', () => {
    expect(redactField('apiKey', 'd1b6cc0a77f1')).toBe('[redacted]');
    expect(redactField('token', 'function')).toBe('function');
    expect(redactField('content', 'NAME=d1b6cc0a77f1')).toBe('NAME=d1b6cc0a77f1');
  });

  test('is nothing in real configs', () => {
    const found = configFiles().flatMap(({ name, text }) =>
      foundIn(text).map((secret) => `${name}: ${secret}`),
    );
    expect(found).toEqual([]);
  });

  test('is nothing in logs that are imported as traces', () => {
    const names = readdirSync(importFixture('')).filter((name) => /\.(?:jsonl?|log)$/.test(name));
    expect(names.length).toBeGreaterThan(3);
    const found = names.flatMap((name) => foundIn(readFileSync(importFixture(name), 'utf8')));
    expect(found).toEqual([]);
  });
});

describe('hostile texts', () => {
  const length = 16 * 1024;
  const pieces = new Set([
    ...[
      'a',
      '0',
      ' ',
      '-',
      '.',
      '://',
      'a://',
      'a:b@',
      'key',
      'key=',
      'token=a(',
      '"token": "',
      'password: ',
      'token=',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN ',
      'Bearer ',
      'eyJaaaaaaaa.',
      'eyAAAAAAAAAAAAAAAAAA.',
      'key=${',
      '\\"',
    ],
    ...gitleaks.formats.flatMap(({ keywords }) => keywords),
    ...gitleaks.formats.map(({ keywords: [keyword = ''] }) => `${keyword}${'aB3'.repeat(20)}`),
    ...gitleaks.formats.map(({ keywords: [keyword = ''] }) => `${keyword.toUpperCase()}${'0'.repeat(30)}-`),
    ...gitleaks.formats.map(({ pattern }) => pattern.replaceAll(/\[[^\]]*\]\{?[^{}]*\}?|[\\()?:|+*]/g, 'x')),
  ]);

  /** Every keyword, so that every expression runs, before one piece over and over. */
  const keywords = gitleaks.formats.flatMap((one) => one.keywords).join(' ');

  test('take time in proportion to their length', () => {
    const slow = [...pieces].filter((piece) => {
      const start = cpuTime();
      redactSecrets(`${keywords} ${piece.repeat(length / piece.length)}`);
      // An expression that takes quadratic time needs many seconds.
      return cpuTime() - start > 1_000;
    });
    expect(slow).toEqual([]);
  });
});
