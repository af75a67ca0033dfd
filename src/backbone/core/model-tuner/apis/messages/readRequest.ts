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
} from '../reading.ts';
import { MessageReader } from './readMessages.ts';

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
