import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../src/base/core/errors.ts';
import {
  createChatTemplate,
  type TemplateContext,
  type TemplateSource,
} from '../../../../src/tracking/core/tokenizer/chatTemplate.ts';
import { noon } from './fixtures.ts';

const context: TemplateContext = {
  name: 'org/model',
  file: '/models/m/chat_template.jinja',
  specialTokens: { bos_token: '<s>' },
  now: noon,
};
const hello = [{ role: 'user', content: 'Hello' }];

function render(source: TemplateSource, tools?: readonly unknown[]): string {
  return createChatTemplate(source, context).render(hello, {
    ...(tools && { tools }),
    addGenerationPrompt: false,
  });
}

function failure(work: () => unknown): CodedError {
  try {
    work();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

describe('a chat template', () => {
  it('is told the time as Python words it', () => {
    const formats = '%d %b %Y|%A %B %y|%a %H:%M:%S %I%p|%%|%q';
    expect(render(`{{ strftime_now('${formats}') }}`)).toBe(
      '01 Jan 2026|Thursday January 26|Thu 12:05:09 12PM|%|%q',
    );
  });

  it('has the special tokens by name, and nothing for those that the model lacks', () => {
    expect(render('{{ bos_token }}{{ eos_token }}{{ messages[0].content }}')).toBe('<s>Hello');
  });

  it('counts with range as Python does', () => {
    expect(render('{% for n in range(3) %}{{ n }}{% endfor %}')).toBe('012');
    expect(render('{% for n in range(4, 0, -2) %}{{ n }}{% endfor %}')).toBe('42');
  });

  it.each([
    ["{{ '\\n x \\n'.lstrip('\\n') }}|", ' x \n|'],
    ["{{ '\\n x \\n'.rstrip('\\n') }}|", '\n x |'],
    ["{{ '--x-'.strip('-') }}|", 'x|'],
    ["{{ ' \\u0085 x \\ufeff ' | trim }}|", null],
    ["{{ '..x.' | trim('.') }}|", 'x|'],
    ['{{ messages[0].content.strip() }}|', 'Hello|'],
  ])('strips as Python does: %s', (source, expected) => {
    const text = source.replace('\\u0085', '\u0085').replace('\\ufeff', '\ufeff');
    expect(render(text)).toBe(expected ?? 'x \ufeff|');
  });

  it('has a variant for requests with tools', () => {
    const variants = new Map([
      ['default', 'plain'],
      ['tool_use', 'tools: {{ tools | length }}'],
    ]);
    expect(render(variants)).toBe('plain');
    expect(render(variants, [{}, {}])).toBe('tools: 2');
    const only = failure(() => render(new Map([['rag', 'x']])));
    expect(only.code).toBe('tracking/template');
    expect(only.message).toContain('default');
  });

  it('names its own reason when it refuses a conversation', () => {
    const error = failure(() => render("{{ raise_exception('Roles must alternate!') }}"));
    expect(error.code).toBe('tracking/template');
    expect(error.message).toContain('org/model');
    expect(error.message).toContain('Roles must alternate!');
    expect(error.location).toEqual({ file: '/models/m/chat_template.jinja' });
    expect(error.hint).toBeDefined();
  });

  it('is refused when it is read, if it is no template', () => {
    const error = failure(() => createChatTemplate('{% for m in messages %}', context));
    expect(error.code).toBe('tokenizer/broken-template');
    expect(error.location).toEqual({ file: '/models/m/chat_template.jinja' });
  });
});
