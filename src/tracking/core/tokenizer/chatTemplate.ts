import { Environment, parse, tokenize } from '@huggingface/jinja';
import { CodedError, type Location } from '../../../base/core/errors.ts';
import type { ChatTemplate, RenderOptions } from '../tokenizer.ts';
import { PythonInterpreter } from './pythonJinja.ts';
import { strftime } from '../../../base/core/strftime.ts';

/** One Jinja text, or several by name, of which `tool_use` is taken for requests with tools and `default` otherwise. */
export type TemplateSource = string | ReadonlyMap<string, string>;

export interface TemplateContext {
  /** The model's name, for messages. */
  readonly name: string;
  /** The file of the template, for messages. */
  readonly file: string | null;
  /** `bos_token`, `eos_token` and the like, which templates name as variables. */
  readonly specialTokens: Readonly<Record<string, unknown>>;
  /** For `strftime_now`. */
  readonly now: () => Date;
}

/**
 * A chat template as transformers' `apply_chat_template` renders it: the same variables and functions, blocks trimmed.
 *
 * @throws CodedError `tokenizer/broken-template` if the text is not a template
 */
export function createChatTemplate(source: TemplateSource, context: TemplateContext): ChatTemplate {
  const sources = typeof source === 'string' ? new Map([['default', source]]) : source;
  const programs = new Map([...sources].map(([name, text]) => [name, compile(text, context)]));
  const programFor = (tools: RenderOptions['tools']): Program => {
    const program = (tools && programs.get('tool_use')) ?? programs.get('default');
    if (program === undefined) throw failed('it has no variant named "default"', context);
    return program;
  };
  return {
    render: (messages, { tools, addGenerationPrompt }) => {
      const variables = { messages, tools: tools ?? null, add_generation_prompt: addGenerationPrompt };
      const program = programFor(tools);
      try {
        return new PythonInterpreter(environmentOf(context, variables)).run(program).toString();
      } catch (error) {
        throw failed(reason(error), context, error);
      }
    },
  };
}

type Program = ReturnType<typeof parse>;

function compile(text: string, context: TemplateContext): Program {
  try {
    return parse(tokenize(text, { lstrip_blocks: true, trim_blocks: true }));
  } catch (error) {
    throw new CodedError(
      {
        code: 'tokenizer/broken-template',
        message: `The chat template of ${context.name} cannot be read: ${reason(error)}.`,
        ...location(context),
        hint: 'Fix the template or fetch the tokenizer again ("AgentJet: Fetch Tokenizer").',
      },
      { cause: error },
    );
  }
}

function environmentOf(context: TemplateContext, variables: Record<string, unknown>): Environment {
  const environment = new Environment();
  const all = { ...globals, ...functions(context), ...context.specialTokens, documents: null, ...variables };
  for (const [name, value] of Object.entries(all)) environment.set(name, value);
  return environment;
}

const globals = { true: true, false: false, none: null, True: true, False: false, None: null, range };

function functions({ now }: TemplateContext): Record<string, unknown> {
  return {
    strftime_now: (format: string) => strftime(now(), format),
    raise_exception: (message: string) => {
      throw new Error(message);
    },
  };
}

/** Python's `range`. */
function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  return Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, at) => start + at * step);
}

function failed(why: string, context: TemplateContext, cause?: unknown): CodedError {
  return new CodedError(
    {
      code: 'tracking/template',
      message: `The chat template of ${context.name} rejects this conversation: ${why}.`,
      ...location(context),
      hint: 'Training uses this template, too. Change the messages so that the template accepts them.',
    },
    { cause },
  );
}

function location({ file }: TemplateContext): { location?: Location } {
  return file === null ? {} : { location: { file } };
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().replace(/\.$/, '');
}
