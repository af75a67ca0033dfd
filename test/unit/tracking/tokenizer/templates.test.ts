/** Conversations come out as the Python package transformers renders them, to the letter. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../src/base/core/errors.ts';
import type { TemplateMessage } from '../../../../src/tracking/core/tokenizer.ts';
import { createChatTemplate } from '../../../../src/tracking/core/tokenizer/chatTemplate.ts';
import { builtInConfig } from '../../../../src/backbone/node/tokenizer/builtIn.ts';
import { fixtures, noon } from './fixtures.ts';

interface Case {
  readonly messages: readonly TemplateMessage[];
  readonly tools: readonly unknown[] | null;
  readonly addGenerationPrompt: boolean;
}

interface Rendered {
  readonly cases: readonly Case[];
  readonly rendered: Readonly<Record<string, readonly (string | { readonly error: string })[]>>;
}

const folder = path.join(fixtures, 'templates');
const { cases, rendered } = JSON.parse(readFileSync(path.join(folder, 'rendered.json'), 'utf8')) as Rendered;
const specialTokens = { bos_token: '<|endoftext|>', eos_token: '<|im_end|>' };

const builtIn = builtInConfig().chat_template;

describe.each(Object.keys(rendered))('the template %s', (name) => {
  const file = path.join(folder, `${name}.jinja`);
  const context = { name: 'org/model', file, specialTokens, now: noon };
  const text = name === 'qwen2.5' ? builtIn : readFileSync(file, 'utf8');
  const template = createChatTemplate(text, context);

  it.each(cases.map((each, place) => ({ place, ...each })))(
    'renders conversation $place',
    ({ place, messages, tools, addGenerationPrompt }) => {
      const expected = rendered[name]?.[place];
      const render = (): string =>
        template.render(messages, { ...(tools && { tools }), addGenerationPrompt });
      if (typeof expected === 'string') {
        expect(render()).toBe(expected);
        return;
      }
      expect(expected).toBeDefined();
      expect(render).toThrow(CodedError);
      expect(render).toThrow((expected?.error ?? '').replace(/\.$/, ''));
    },
  );
});

it('covers templates enough, with failures among them', () => {
  expect(Object.keys(rendered).length).toBeGreaterThanOrEqual(5);
  expect(cases.length).toBeGreaterThanOrEqual(40);
  const errors = Object.values(rendered).flatMap((each) => each.filter((text) => typeof text !== 'string'));
  expect(errors.length).toBeGreaterThan(5);
});
