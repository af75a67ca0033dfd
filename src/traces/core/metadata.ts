/** Values in the metadata of tasks and of what workflows returned, for columns of the episode table. */
import { isRecord } from '../../base/core/isRecord.ts';
import { clip } from './clip.ts';
import { textOf } from './outcome.ts';
import { outputRecord } from './records.ts';
import { parseJson } from './shallowJson.ts';
import type { TraceQueries } from './traceQueries.ts';

/** Names begin with the part that has the metadata, e.g. `task.difficulty`. */
type Values = Readonly<Record<string, unknown>>;

const columns = 'SELECT episode, task, output FROM outputs';

/** The number of episodes whose metadata is searched for names. */
const mostSearched = 100;
const mostNames = 100;
/** In characters. */
const longest = { name: 100, value: 200 } as const;

/** Returns the names in the first episodes. */
export function metadataNames(trace: TraceQueries): readonly string[] {
  const found = trace.rows.all(outputRecord, `${columns} ORDER BY episode LIMIT ${mostSearched}`, {});
  const names = new Set(found.flatMap((one) => Object.keys(valuesOf(one))));
  return [...names].filter((name) => name.length <= longest.name).slice(0, mostNames);
}

/** Returns the beginnings of the named values by episode and name. */
export function metadataOf(
  trace: TraceQueries,
  episodes: readonly number[],
  names: readonly string[],
): ReadonlyMap<number, Readonly<Record<string, string>>> {
  const statement = `${columns} WHERE episode IN (SELECT value FROM json_each(:episodes))`;
  const found = trace.rows.all(outputRecord, statement, { episodes: JSON.stringify(episodes) });
  return new Map(
    found.map((one) => {
      const values = valuesOf(one);
      const named = names.filter((name) => Object.hasOwn(values, name));
      return [
        one.episode,
        Object.fromEntries(named.map((name) => [name, clip(textOf(values[name]), longest.value)])),
      ];
    }),
  );
}

function valuesOf({ task, output }: { readonly task: string; readonly output: string }): Values {
  return { ...metadataIn('task', task), ...metadataIn('output', output) };
}

function metadataIn(part: string, json: string): Values {
  const value = parseJson(json);
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  if (!isRecord(metadata)) return {};
  return Object.fromEntries(Object.entries(metadata).map(([name, one]) => [`${part}.${name}`, one]));
}
