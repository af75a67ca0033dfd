import { fieldsAt, givenFields, isGiven, listAt, textAt, unsupported, type Fields } from '../reading.ts';

/** Tools as chat completions have them; built-in ones are refused. */
export function readTools(value: unknown): readonly Fields[] {
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

export function readToolChoice(value: unknown): unknown {
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
export function readResponseFormat(value: unknown): Fields {
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
