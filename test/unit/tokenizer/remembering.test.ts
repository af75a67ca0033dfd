/** An episode's conversations come out of the rendering that remembers as they come out of the one that does not. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Interpreter } from '@huggingface/jinja';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ChatTemplate, ModelText, RenderPieces } from '../../../src/tracking/tokenizer.ts';
import { createChatTemplate } from '../../../src/tracking/tokenizer/chatTemplate.ts';
import { TemplateTokens } from '../../../src/tracking/templateTokens.ts';
import { fuzz } from '../fuzz.ts';
import { conversations } from './conversations.ts';
import { fixtures, loadFixture, noon } from './fixtures.ts';
import { oddTemplates, rememberedTemplates } from './oddTemplates.ts';

const specialTokens = { bos_token: '<|endoftext|>', eos_token: '<|im_end|>' };
const real = Object.fromEntries(
  ['chatml', 'llama', 'merging', 'think', 'tools'].map((name) => [
    name,
    readFileSync(path.join(fixtures, 'templates', `${name}.jinja`), 'utf8'),
  ]),
);

function open(source: string): ChatTemplate {
  return createChatTemplate(source, { name: 'org/model', file: null, specialTokens, now: noon });
}

function remembering(template: ChatTemplate): RenderPieces {
  const render = template.remembering?.();
  if (render === undefined) throw new Error('The template does not remember.');
  return render;
}

/** What it makes, or what it refuses it with. */
function outcome<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : String(error)}`;
  }
}

describe.each(Object.entries({ ...real, ...oddTemplates }))('the template that reads %s', (_name, source) => {
  it('renders conversation after conversation as each alone', () => {
    const template = open(source);
    fc.assert(
      fc.property(conversations, (list) => {
        const render = remembering(template);
        for (const { messages, ...options } of list) {
          expect(outcome(() => render(messages, options).join(''))).toBe(
            outcome(() => template.render(messages, options)),
          );
        }
      }),
      fuzz(61, 1_000),
    );
  });
});

/** How many parts of a template are evaluated for a conversation that grows by a question and an answer. */
function evaluations(source: string, turns: number): number {
  const render = remembering(open(source));
  const messages = [{ role: 'system', content: 'be kind' }];
  const evaluate = vi.spyOn(Interpreter.prototype, 'evaluate');
  try {
    for (let turn = 0; turn < turns; turn++) {
      messages.push({ role: 'user', content: `question ${turn}` });
      render(messages, { addGenerationPrompt: true });
      messages.push({ role: 'assistant', content: `answer ${turn}` });
      render(messages, { addGenerationPrompt: false });
    }
    return evaluate.mock.calls.length;
  } finally {
    evaluate.mockRestore();
  }
}

const cheap = { chatml: real['chatml'] ?? '', llama: real['llama'] ?? '', ...rememberedTemplates };

describe.each(Object.entries(cheap))('the template that reads %s', (_name, source) => {
  it('evaluates each message of a growing conversation a few times, however long it gets', () => {
    const [few, many] = [evaluations(source, 20), evaluations(source, 80)];
    expect(few).toBeGreaterThan(0);
    expect(many / few).toBeLessThan(4.4);
  });
});

const opened = {
  'qwen2.5': () => loadFixture('qwen2.5'),
  'byte-level': () => loadFixture('byte-level'),
  'sentence-pieces': () => loadFixture('sentence-pieces'),
};

describe.each(Object.entries(opened))('with the tokenizer %s', (_name, load) => {
  it.each(Object.entries({ ...real, ...oddTemplates }))(
    '%s: tokens are those of the whole',
    async (_template, source) => {
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
            else
              expect(added.value).toEqual(tokenizer.encode(answered).slice(prompt.value.conversationTokens));
          }
        }),
        fuzz(62, 150),
      );
    },
  );
});
