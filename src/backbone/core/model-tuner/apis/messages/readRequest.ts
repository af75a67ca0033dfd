import type { Override } from '../../sampling.ts';
import type { ApiMemory } from '../api.ts';
import {
  fieldsAt,
  givenFields,
  invalid,
  isGiven,
  listAt,
  textAt,
  unsupported,
  type Fields,
  simplifyParts,
} from '../reading.ts';

export interface ReadRequest {
  /** Not yet checked as chat completions are. */
  readonly request: unknown;
  readonly notes: readonly Override[];
}

/** Reads a request of Anthropic's Messages API. Throws a {@link RequestError}. */
export function readMessagesRequest(body: unknown, memory: ApiMemory): ReadRequest {
  const asked = fieldsAt(body, 'body');
  refuseOptions(asked);
  const reader = new MessageReader(memory);
  const { system, tools, tool_choice, stop_sequences, metadata } = asked;
  const request = {
    ...Object.fromEntries(Object.entries(asked).filter(([option]) => !understood.has(option))),
    model: asked['model'],
    messages: [
      ...(isGiven(system) ? [reader.system(system, 'system')] : []),
      ...listAt(asked['messages'], 'messages').flatMap((message, index) =>
        reader.read(message, `messages[${index}]`),
      ),
    ],
    ...(isGiven(tools) && { tools: readTools(tools) }),
    ...(isGiven(tool_choice) && readToolChoice(tool_choice)),
    ...(isGiven(stop_sequences) && { stop: stop_sequences }),
    ...(isGiven(metadata) && { metadata }),
    ...readOutputConfig(asked['output_config']),
    ...(asked['stream'] === true && { stream: true, stream_options: { include_usage: true } }),
  };
  return {
    request,
    notes: [apiNote, ...reader.notes, ...toolNotes(tools), ...thinkingNotes(asked['thinking'])],
  };
}

/** Fields that this module converts, or that do not affect the answer. Other fields are passed on. */
const understood: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stop_sequences',
  'metadata',
  'output_config',
  'stream',
  'thinking',
  'container',
  'mcp_servers',
  'cache_control',
  'diagnostics',
  'inference_geo',
  'speed',
  'user_profile_id',
  'workspace_id',
]);

function refuseOptions(asked: Fields): void {
  for (const option of ['container', 'mcp_servers']) {
    const value = asked[option];
    if (!isGiven(value) || (Array.isArray(value) && value.length === 0)) continue;
    throw unsupported(option, "needs Anthropic's own servers. Offer tools that the workflow runs instead");
  }
}

function readTools(value: unknown): readonly Fields[] {
  return listAt(value, 'tools').map((given, index) => {
    const param = `tools[${index}]`;
    const { type, name, description, input_schema, strict } = fieldsAt(given, param);
    if (isGiven(type) && type !== 'custom') {
      throw unsupported(
        param,
        `is the built-in tool ${JSON.stringify(type)}, which only Anthropic's own models know. Offer an equivalent tool with an input_schema instead`,
      );
    }
    const parameters = fieldsAt(input_schema, `${param}.input_schema`);
    return { type: 'function', function: givenFields({ name, description, parameters, strict }) };
  });
}

function readToolChoice(value: unknown): Fields {
  const { type, name, disable_parallel_tool_use } = fieldsAt(value, 'tool_choice');
  const parallel = disable_parallel_tool_use === true && { parallel_tool_calls: false };
  switch (type) {
    case 'auto':
    case 'none':
      return { tool_choice: type, ...parallel };
    case 'any':
      return { tool_choice: 'required', ...parallel };
    case 'tool':
      return {
        tool_choice: { type: 'function', function: { name: textAt(name, 'tool_choice.name') } },
        ...parallel,
      };
    default:
      throw invalid('tool_choice.type', 'must be one of "auto", "any", "tool", "none"');
  }
}

function readOutputConfig(value: unknown): Fields {
  if (!isGiven(value)) return {};
  const { effort, format } = fieldsAt(value, 'output_config');
  const schema = isGiven(format) ? fieldsAt(format, 'output_config.format')['schema'] : undefined;
  return {
    ...(isGiven(effort) && { reasoning_effort: effort }),
    ...(schema !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema } },
    }),
  };
}

const apiNote: Override = {
  option: 'api messages',
  message:
    "uses Anthropic's Messages API, which AgentJet supports in training only since August 2026, and only in part; all versions support chat completions",
};

function toolNotes(tools: unknown): Override[] {
  const withExamples = (Array.isArray(tools) ? tools : []).some((tool) =>
    isGiven((tool as Fields)['input_examples']),
  );
  if (!withExamples) return [];
  const message = 'has tools with input_examples, which chat completions do not support: they are removed';
  return [{ option: 'input_examples', message }];
}

function thinkingNotes(thinking: unknown): Override[] {
  if (!isGiven(thinking) || (thinking as Fields)['type'] === 'disabled') return [];
  const message = `asked for thinking ${JSON.stringify(thinking)}, which is removed: the chat template of the model decides`;
  return [{ option: 'thinking', message }];
}

interface Block {
  readonly fields: Fields;
  readonly param: string;
}

/** Makes chat messages of a request's. Throws a {@link RequestError}. */
class MessageReader {
  readonly notes: Override[] = [];
  readonly #memory: ApiMemory;

  constructor(memory: ApiMemory) {
    this.#memory = memory;
  }

  system(content: unknown, param: string): Fields {
    const blocks = blocksOf(content, param);
    if (typeof blocks === 'string') return { role: 'system', content: blocks };
    return { role: 'system', content: simplifyParts(blocks.map(textPart)) };
  }

  /** More than one where a message holds the results of tools. */
  read(value: unknown, param: string): Fields[] {
    const message = fieldsAt(value, param);
    const { role } = message;
    const at = `${param}.content`;
    switch (role) {
      case 'user':
        return this.#user(blocksOf(message['content'], at));
      case 'assistant':
        return [this.#assistant(blocksOf(message['content'], at))];
      case 'system':
        return [this.system(message['content'], at)];
      default:
        throw invalid(`${param}.role`, 'must be one of "user", "assistant", "system"');
    }
  }

  #user(blocks: string | readonly Block[]): Fields[] {
    if (typeof blocks === 'string') return [{ role: 'user', content: blocks }];
    const messages: Fields[] = [];
    let parts: Fields[] = [];
    const say = (): void => {
      if (parts.length > 0) messages.push({ role: 'user', content: simplifyParts(parts) });
      parts = [];
    };
    for (const block of blocks) {
      if (block.fields['type'] === 'tool_result') {
        say();
        messages.push(this.#toolResult(block));
      } else {
        parts.push(userPart(block));
      }
    }
    say();
    return messages.length > 0 ? messages : [{ role: 'user', content: '' }];
  }

  #toolResult({ fields, param }: Block): Fields {
    const tool_call_id = textAt(fields['tool_use_id'], `${param}.tool_use_id`);
    if (fields['is_error'] === true) this.notes.push(isErrorNote);
    const blocks = isGiven(fields['content']) ? blocksOf(fields['content'], `${param}.content`) : '';
    if (typeof blocks === 'string') return { role: 'tool', tool_call_id, content: blocks };
    const other = blocks.find((block) => block.fields['type'] !== 'text');
    if (other !== undefined) {
      throw unsupported(
        other.param,
        'is not text, but a tool message of chat completions can only contain text. Send the rest in a separate block next to the tool_result',
      );
    }
    return {
      role: 'tool',
      tool_call_id,
      content: blocks.length === 0 ? '' : simplifyParts(blocks.map(textPart)),
    };
  }

  #assistant(blocks: string | readonly Block[]): Fields {
    if (typeof blocks === 'string') return { role: 'assistant', content: blocks };
    const texts: Fields[] = [];
    const thoughts: string[] = [];
    const calls: Fields[] = [];
    for (const block of blocks) {
      const { fields, param } = block;
      if (fields['type'] === 'text') texts.push(textPart(block));
      else if (fields['type'] === 'thinking') thoughts.push(textAt(fields['thinking'], `${param}.thinking`));
      else if (fields['type'] === 'tool_use') calls.push(this.#call(block));
      else throw foreignBlock(block, 'text, thinking and tool_use');
    }
    return {
      role: 'assistant',
      content: texts.length === 0 ? null : simplifyParts(texts),
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  #call({ fields, param }: Block): Fields {
    const id = textAt(fields['id'], `${param}.id`);
    const name = textAt(fields['name'], `${param}.name`);
    const { input = {} } = fields;
    const written = this.#memory.argumentsOf(id, input) ?? JSON.stringify(input);
    return { id, type: 'function', function: { name, arguments: written } };
  }
}

function blocksOf(content: unknown, param: string): string | readonly Block[] {
  if (typeof content === 'string') return content;
  return listAt(content, param).map((block, index) => {
    const at = `${param}[${index}]`;
    return { fields: fieldsAt(block, at), param: at };
  });
}

function textPart(block: Block): Fields {
  const { fields, param } = block;
  if (fields['type'] !== 'text') throw foreignBlock(block, 'text');
  return { type: 'text', text: textAt(fields['text'], `${param}.text`) };
}

function userPart(block: Block): Fields {
  switch (block.fields['type']) {
    case 'text':
      return textPart(block);
    case 'image':
      return imagePart(block);
    default:
      throw foreignBlock(block, 'text, image and tool_result');
  }
}

function imagePart({ fields, param }: Block): Fields {
  const { type, media_type, data, url } = fieldsAt(fields['source'], `${param}.source`);
  switch (type) {
    case 'base64': {
      const bytes = textAt(data, `${param}.source.data`);
      return imageUrl(`data:${textAt(media_type, `${param}.source.media_type`)};base64,${bytes}`);
    }
    case 'url':
      return imageUrl(textAt(url, `${param}.source.url`));
    default:
      throw unsupported(
        `${param}.source`,
        'must contain the image or its URL, because this server stores no files',
      );
  }
}

function imageUrl(url: string): Fields {
  return { type: 'image_url', image_url: { url } };
}

function foreignBlock({ fields, param }: Block, known: string): ReturnType<typeof unsupported> {
  return unsupported(
    param,
    `is a block of type ${JSON.stringify(fields['type'] ?? null)}, which chat completions do not support. Send only ${known} here`,
  );
}

const isErrorNote: Override = {
  option: 'is_error',
  message:
    'marks tool results with is_error, which chat completions do not have: only their text is passed on',
};
