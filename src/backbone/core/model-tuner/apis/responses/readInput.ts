import {
  fieldsAt,
  invalid,
  isGiven,
  listAt,
  simplifyParts,
  textAt,
  unsupported,
  type Fields,
} from '../reading.ts';

interface AssistantMessage {
  role: 'assistant';
  content: unknown;
  refusal?: string;
  reasoning_content?: string;
  tool_calls?: Fields[];
}

/** The messages that input items stand for. Throws a {@link RequestError}. */
export function readInput(input: unknown): readonly unknown[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const turns = new Turns();
  for (const [index, item] of listAt(input, 'input').entries()) turns.add(item, `input[${index}]`);
  return turns.messages;
}

/** Joins consecutive items to one message of the model: reasoning, text and tool calls. */
class Turns {
  readonly messages: unknown[] = [];
  /** The model's message, while items may still belong to it. */
  #open: AssistantMessage | undefined;

  add(value: unknown, param: string): void {
    const item = fieldsAt(value, param);
    const { type = 'message' } = item;
    switch (type) {
      case 'message':
        this.#addMessage(item, param);
        return;
      case 'reasoning':
        this.#addReasoning(item, param);
        return;
      case 'function_call':
      case 'custom_tool_call':
        this.#addCall(item, type, param);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#addOutput(item, param);
        return;
      case 'item_reference':
        throw unsupported(
          param,
          'is only a reference to an item. Send the item itself, or previous_response_id',
        );
      default:
        throw unsupported(
          param,
          `is an item of type ${JSON.stringify(type)}, which chat completions do not support. Send messages, function calls and their outputs`,
        );
    }
  }

  #addMessage(item: Fields, param: string): void {
    const role = textAt(item['role'], `${param}.role`);
    if (!['user', 'assistant', 'system', 'developer'].includes(role)) {
      throw invalid(`${param}.role`, 'must be one of "user", "assistant", "system", "developer"');
    }
    const parts = readContent(item['content'], `${param}.content`);
    if (role === 'assistant') {
      this.#addAnswer(parts);
    } else {
      this.#open = undefined;
      // AgentJet's own reading of this API does the same: its tracker knows no developer.
      this.messages.push({ role: role === 'developer' ? 'system' : role, content: contentOf(parts) });
    }
  }

  #addAnswer(parts: string | readonly Fields[]): void {
    const refusal = typeof parts === 'string' ? undefined : refusalOf(parts);
    const content = refusal === undefined ? contentOf(parts) : null;
    const isNew = this.#open === undefined || this.#open.content !== null || this.#open.refusal !== undefined;
    const message = this.#assistant(isNew);
    message.content = content;
    if (refusal !== undefined) message.refusal = refusal;
  }

  /** Only the format of this gateway: reasoning as text. */
  #addReasoning(item: Fields, param: string): void {
    const texts = isGiven(item['content']) ? listAt(item['content'], `${param}.content`) : [];
    const text = texts.map((part, index) => {
      const at = `${param}.content[${index}]`;
      return textAt(fieldsAt(part, at)['text'], `${at}.text`);
    });
    const message = this.#assistant(true);
    if (text.length > 0) message.reasoning_content = text.join('');
  }

  #addCall(item: Fields, type: string, param: string): void {
    const id = textAt(item['call_id'], `${param}.call_id`);
    const name = textAt(item['name'], `${param}.name`);
    const call =
      type === 'function_call'
        ? {
            id,
            type: 'function',
            function: { name, arguments: textAt(item['arguments'], `${param}.arguments`) },
          }
        : { id, type: 'custom', custom: { name, input: textAt(item['input'], `${param}.input`) } };
    const message = this.#assistant(false);
    message.tool_calls = [...(message.tool_calls ?? []), call];
  }

  #addOutput(item: Fields, param: string): void {
    this.#open = undefined;
    const tool_call_id = textAt(item['call_id'], `${param}.call_id`);
    const parts = readContent(item['output'], `${param}.output`);
    if (typeof parts !== 'string' && parts.some(({ type }) => type !== 'text')) {
      throw unsupported(
        `${param}.output`,
        'is not only text, but a tool message of chat completions can only contain text. Send the rest in a user message',
      );
    }
    this.messages.push({ role: 'tool', tool_call_id, content: contentOf(parts) });
  }

  #assistant(isNew: boolean): AssistantMessage {
    if (this.#open !== undefined && !isNew) return this.#open;
    this.#open = { role: 'assistant', content: null };
    this.messages.push(this.#open);
    return this.#open;
  }
}

function contentOf(parts: string | readonly Fields[]): unknown {
  return typeof parts === 'string' ? parts : simplifyParts(parts);
}

function refusalOf(parts: readonly Fields[]): string | undefined {
  const texts = parts.map(({ type, refusal }) => (type === 'refusal' ? refusal : undefined));
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}

function readContent(content: unknown, param: string): string | readonly Fields[] {
  if (typeof content === 'string') return content;
  return listAt(content, param).map((part, index) => readPart(part, `${param}[${index}]`));
}

function readPart(value: unknown, param: string): Fields {
  const part = fieldsAt(value, param);
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: textAt(part['text'], `${param}.text`) };
    case 'refusal':
      return { type: 'refusal', refusal: textAt(part['refusal'], `${param}.refusal`) };
    case 'input_image': {
      if (!isGiven(part['image_url'])) throw uploaded(param, 'image_url');
      const { image_url: url, detail } = part;
      return { type: 'image_url', image_url: { url, ...(isGiven(detail) && { detail }) } };
    }
    case 'input_file': {
      if (!isGiven(part['file_data'])) throw uploaded(param, 'file_data');
      const { file_data, filename } = part;
      return { type: 'file', file: { file_data, ...(isGiven(filename) && { filename }) } };
    }
    case 'input_audio':
      return { type: 'input_audio', input_audio: part['input_audio'] };
    default:
      throw unsupported(
        param,
        `is a part of type ${JSON.stringify(part['type'] ?? null)}, which chat completions do not support. Send input_text, input_image, input_file or input_audio`,
      );
  }
}

function uploaded(param: string, field: string): ReturnType<typeof unsupported> {
  return unsupported(param, `must contain ${field}, because this server neither stores nor downloads files`);
}
