import type { ChatRequest } from '../../model.ts';
import type { Override } from '../../sampling.ts';
import type { ApiMemory } from '../api.ts';
import {
  fieldsAt,
  invalid,
  isGiven,
  listAt,
  textAt,
  unsupported,
  type Fields,
  givenFields,
} from '../reading.ts';
import { readInput } from './readInput.ts';

export interface ReadRequest {
  /** Not yet checked as chat completions are. */
  readonly request: unknown;
  /** The conversation that a later request can continue. Instructions apply to one request only. */
  readonly conversation: ChatRequest['messages'];
  readonly notes: readonly Override[];
}

/** Reads a request of OpenAI's Responses API. Throws a {@link RequestError}. */
export function readResponsesRequest(body: unknown, memory: ApiMemory): ReadRequest {
  const asked = fieldsAt(body, 'body');
  refuseOptions(asked);
  const earlier = readPrevious(asked['previous_response_id'], memory);
  const conversation = [...earlier, ...readInput(asked['input'])] as ChatRequest['messages'];
  const { instructions, tools, tool_choice } = asked;
  const system = isGiven(instructions)
    ? [{ role: 'system', content: textAt(instructions, 'instructions') }]
    : [];
  const wantsLogprobs = includes(asked).includes('message.output_text.logprobs');
  const request = {
    ...Object.fromEntries(
      Object.entries(asked).filter(([option, value]) => !understood.has(option) && value !== anyway[option]),
    ),
    model: asked['model'],
    messages: [...system, ...conversation],
    ...(isGiven(tools) && { tools: readTools(tools) }),
    ...(isGiven(tool_choice) && { tool_choice: readToolChoice(tool_choice) }),
    ...readResponseFormat(asked['text']),
    ...(isGiven(asked['max_output_tokens']) && { max_completion_tokens: asked['max_output_tokens'] }),
    ...(wantsLogprobs && { logprobs: true, top_logprobs: asked['top_logprobs'] ?? 0 }),
    ...(asked['stream'] === true && { stream: true, stream_options: { include_usage: true } }),
  };
  const notes = isGiven(asked['previous_response_id']) ? [apiNote, previousNote] : [apiNote];
  return { request, conversation, notes };
}

/** Fields that this module converts, or that do not affect the answer. Other fields are passed on. */
const understood: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'text',
  'max_output_tokens',
  'previous_response_id',
  'include',
  'top_logprobs',
  'stream',
  'stream_options',
  'background',
  'conversation',
  'prompt',
  'max_tool_calls', // counts calls of built-in tools
  'prompt_cache_options',
  'prompt_cache_retention',
]);

/** Values that ask for what happens anyway. */
const anyway: Fields = { truncation: 'disabled' };

function refuseOptions(asked: Fields): void {
  if (asked['background'] === true) {
    throw unsupported('background', 'is not supported. Remove it and wait for the response');
  }
  if (isGiven(asked['conversation'])) {
    throw unsupported(
      'conversation',
      'is a reference, but this server stores no conversations. Send its items, or previous_response_id',
    );
  }
  if (isGiven(asked['prompt'])) {
    throw unsupported(
      'prompt',
      'is a reference, but this server stores no prompts. Send the prompt as input',
    );
  }
}

function includes(asked: Fields): readonly unknown[] {
  return isGiven(asked['include']) ? listAt(asked['include'], 'include') : [];
}

function readPrevious(id: unknown, memory: ApiMemory): ChatRequest['messages'] {
  if (!isGiven(id)) return [];
  const conversation = memory.conversation(textAt(id, 'previous_response_id'));
  if (conversation !== undefined) return conversation;
  throw invalid('previous_response_id', 'is not the id of a stored response of this episode');
}

const apiNote: Override = {
  option: 'api responses',
  message:
    'uses the Responses API, which AgentJet supports in training only since August 2026, and only in part; all versions support chat completions',
};

const previousNote: Override = {
  option: 'previous_response_id',
  message:
    "uses previous_response_id, which works in debug runs only: AgentJet's training does not read it. Send the earlier items instead",
};

/** Tools as chat completions have them; built-in ones are refused. */
function readTools(value: unknown): readonly Fields[] {
  return listAt(value, 'tools').map((tool, index) =>
    readTool(fieldsAt(tool, `tools[${index}]`), `tools[${index}]`),
  );
}

function readTool(tool: Fields, param: string): Fields {
  const { type, name, description, parameters, strict, format } = tool;
  switch (type) {
    case 'function':
      return { type, function: givenFields({ name, description, parameters, strict }) };
    case 'custom':
      return {
        type,
        custom: givenFields({ name, description, format: isGiven(format) ? readFormat(format) : undefined }),
      };
    default:
      throw unsupported(
        param,
        `is the built-in tool ${JSON.stringify(type ?? null)}, which only OpenAI's own servers have. Offer an equivalent function instead`,
      );
  }
}

/** A grammar is one level deeper in chat completions. */
function readFormat(value: unknown): Fields {
  const { type, syntax, definition } = fieldsAt(value, 'format');
  return type === 'grammar' ? { type, grammar: { syntax, definition } } : { type };
}

function readToolChoice(value: unknown): unknown {
  if (typeof value === 'string') return value;
  const choice = fieldsAt(value, 'tool_choice');
  const { type, mode } = choice;
  switch (type) {
    case 'function':
    case 'custom':
      return named(choice, 'tool_choice');
    case 'allowed_tools': {
      const tools = listAt(choice['tools'], 'tool_choice.tools').map((tool, index) => {
        const param = `tool_choice.tools[${index}]`;
        return named(fieldsAt(tool, param), param);
      });
      return { type, allowed_tools: { mode, tools } };
    }
    default:
      throw unsupported(
        'tool_choice',
        `chooses the built-in tool ${JSON.stringify(type ?? null)}, which only OpenAI's own servers have. Choose a function instead`,
      );
  }
}

function named(choice: Fields, param: string): Fields {
  const { type } = choice;
  if (type !== 'function' && type !== 'custom') {
    throw unsupported(param, `is not a function but ${JSON.stringify(type ?? null)}. Name functions only`);
  }
  return { type, [type]: { name: textAt(choice['name'], `${param}.name`) } };
}

/** @param value the request's `text` */
function readResponseFormat(value: unknown): Fields {
  if (!isGiven(value)) return {};
  const { format, verbosity } = fieldsAt(value, 'text');
  return {
    ...(isGiven(format) && { response_format: readSchema(format) }),
    ...(isGiven(verbosity) && { verbosity }),
  };
}

function readSchema(value: unknown): Fields {
  const { type, name, description, schema, strict } = fieldsAt(value, 'text.format');
  return type === 'json_schema'
    ? { type, json_schema: givenFields({ name, description, schema, strict }) }
    : { type };
}
