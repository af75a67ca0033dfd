import { isRecord } from '../../base/core/isRecord.ts';
import { parseJson } from './shallowJson.ts';
import { clip } from './clip.ts';

const longestName = 200;

/** @param toolCalls JSON of a message; anything but a list of function calls has no names */
export function toolNames(toolCalls: string): readonly string[] {
  const calls = parseJson(toolCalls);
  const names = (Array.isArray(calls) ? calls : []).flatMap((call: unknown) => {
    const name = isRecord(call) && isRecord(call['function']) ? call['function']['name'] : undefined;
    return typeof name === 'string' ? [clip(name, longestName)] : [];
  });
  return [...new Set(names)];
}
