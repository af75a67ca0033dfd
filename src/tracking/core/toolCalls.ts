import { isRecord } from '../../base/core/isRecord.ts';

/** Arguments of functions as objects; those that are no JSON stay the text they are. */
export function parsedToolCalls(calls: readonly unknown[]): readonly unknown[] {
  return calls.map((call) => {
    if (!isRecord(call) || !isRecord(call['function'])) return call;
    const text = call['function']['arguments'];
    if (typeof text !== 'string') return call;
    return { ...call, function: { ...call['function'], arguments: parsedOrText(text) } };
  });
}

/** Each function with its parameters last, which is where upstream moves them; undefined: no tools. */
export function preparedTools(tools: readonly unknown[] | null): readonly unknown[] | undefined {
  if (tools === null || tools.length === 0) return undefined;
  return tools.map((tool) => {
    if (!isRecord(tool) || !isRecord(tool['function']) || !('parameters' in tool['function'])) return tool;
    const { parameters, ...rest } = tool['function'];
    return { ...tool, function: { ...rest, parameters } };
  });
}

/** Returns true if all tools have `function.parameters`, which upstream requires. */
export function haveParameters(tools: readonly unknown[]): boolean {
  return tools.every(
    (tool) => isRecord(tool) && isRecord(tool['function']) && 'parameters' in tool['function'],
  );
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // what is no JSON reaches the template as it is, as it does upstream
  }
}
