import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/configs/core/check.ts';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';

const file = path.resolve(import.meta.dirname, '../../../media/snippets/yaml.json');
const snippets = JSON.parse(readFileSync(file, 'utf8')) as Record<
  string,
  { readonly body: readonly string[] }
>;

/** What is in the editor when every placeholder is left as it is. */
function inserted(body: readonly string[]): string {
  return body
    .join('\n')
    .replaceAll(/\$\{\d+:([^}]*)\}/g, '$1')
    .replaceAll(/\$\{\d+\|([^,|]*)[^}]*\|\}/g, '$1')
    .replaceAll(/\$\d+/g, '');
}

describe('snippets for whole configs', () => {
  it.each(Object.entries(snippets))('%s is a config without a finding', (_, { body }) => {
    const text = inserted(body);
    const dialect = dialectOf(text);
    expect(dialect?.id).toMatch(/ajet|trinity/);
    expect(text).not.toContain('$');
    expect(dialect && diagnose(parseConfig(text), dialect.keys())).toEqual([]);
  });
});
