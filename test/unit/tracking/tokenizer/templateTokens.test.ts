/** The tokens of an episode's conversations, made segment by segment, are those of the whole texts. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatTemplate, ModelText } from '../../../../src/tracking/core/tokenizer.ts';
import { createChatTemplate } from '../../../../src/tracking/core/tokenizer/chatTemplate.ts';
import { TemplateTokens } from '../../../../src/tracking/core/templateTokens.ts';
import { fuzz } from '../../fuzz.ts';
import { conversations } from './conversations.ts';
import { fixtures, loadFixture, noon } from './fixtures.ts';

const specialTokens = { bos_token: '<|endoftext|>', eos_token: '<|im_end|>' };
const real = Object.fromEntries(
  ['chatml', 'llama', 'merging', 'think', 'tools'].map((name) => [
    name,
    readFileSync(path.join(fixtures, 'templates', `${name}.jinja`), 'utf8'),
  ]),
);

const turn = "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}";
const templates: Readonly<Record<string, string>> = {
  ...real,
  'a header that splits the marker': `{% for message in messages %}{{ '<|im_' }}${turn}start|>x{% endfor %}`,
  'no header': `{% for message in messages %}${turn}{% endfor %}`,
  'a refusal': `{% for message in messages %}{% if message.role == 'tool' %}{{ raise_exception('no ' ~ loop.index) }}{% endif %}${turn}{% endfor %}`,
};

function open(source: string): ChatTemplate {
  return createChatTemplate(source, { name: 'org/model', file: null, specialTokens, now: noon });
}

/** Returns the result, or the message of the error. */
function outcome<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const opened = {
  'qwen2.5': () => loadFixture('qwen2.5'),
  'byte-level': () => loadFixture('byte-level'),
  'sentence-pieces': () => loadFixture('sentence-pieces'),
};

describe.each(Object.entries(opened))('with the tokenizer %s', (_name, load) => {
  it.each(Object.entries(templates))('%s: tokens are those of the whole', async (_template, source) => {
    const text: ModelText = { ...(await load()), template: open(source) };
    const { template, tokenizer } = text;
    const reply = { role: 'assistant', content: ' Four.\n' };
    fc.assert(
      fc.property(conversations, (list) => {
        const tokens = new TemplateTokens(text);
        for (const { messages, tools } of list) {
          const options = tools && { tools };
          const whole = outcome(() => template.render(messages, { ...options, addGenerationPrompt: true }));
          const prompt = tokens.prompt(messages, tools);
          if ('failure' in prompt) {
            expect(`refused: ${prompt.failure}`).toBe(whole);
            continue;
          }
          expect(prompt.value.tokens).toBe(tokenizer.encode(whole).length);
          const answered = outcome(() =>
            template.render([...messages, reply], { ...options, addGenerationPrompt: false }),
          );
          const added = tokens.reply(messages, prompt.value, reply, tools);
          if ('failure' in added) expect(`refused: ${added.failure}`).toBe(answered);
          else expect(added.value).toEqual(tokenizer.encode(answered).slice(prompt.value.conversationTokens));
        }
      }),
      fuzz(62, 150),
    );
  });
});
