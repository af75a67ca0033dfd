/**
 * Stands in for the critic, so that the example needs no second model: `--debug-model critic=critic.ts`. It calls the tool
 * that it is asked to call. A real one: `--debug-model critic=MODEL@http://127.0.0.1:8000/v1`.
 */
interface Request {
  readonly messages: readonly { readonly content?: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export default function respond({ messages, tools = [] }: Request) {
  const text = String(messages.at(-1)?.content);
  const explained = /\d\s*[-+*/=]|\b(?:so|because|which leaves|step)\b/i.test(text);
  const name = tools[0]?.function.name ?? '';
  const call = {
    id: 'call-1',
    type: 'function',
    function: { name, arguments: JSON.stringify({ explained }) },
  };
  return { role: 'assistant', content: null, tool_calls: [call] };
}
