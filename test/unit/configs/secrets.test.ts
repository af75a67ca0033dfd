import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../src/configs/core/effective/secrets.ts';
import { composeText } from './memoryFiles.ts';

const variables: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'sk-one',
  HF_TOKEN: 'hf-two',
  db_password: 'three',
  TOKENIZER_PATH: '/models/tokenizer.json',
  MAX_TOKENS: '4096',
  EMPTY_KEY: '',
};
const masked = maskSecrets((name) => variables[name]);

describe('environment variables that are shown', () => {
  it('keep the values of secrets to themselves', async () => {
    const names = Object.keys(variables);
    const text = `ajet:\n${names.map((name) => `  ${name}: x \${oc.env:${name}}\n`).join('')}`;
    const { config } = await composeText(text, { environment: masked });
    expect(names.map((name) => config.get(`ajet.${name}`)?.value)).toEqual([
      'x ***',
      'x ***',
      'x ***',
      'x /models/tokenizer.json',
      'x 4096',
      'x ',
    ]);
  });

  it('are still unset where they are, and blocked where they are', () => {
    expect(typeof masked === 'function' && masked('OTHER_KEY')).toBeUndefined();
    expect(maskSecrets('blocked')).toBe('blocked');
  });
});
