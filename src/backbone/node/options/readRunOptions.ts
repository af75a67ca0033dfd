import { isRecord } from '../../../base/core/isRecord.ts';
import type * as z from 'zod/mini';
import {
  type OptionErrors,
  launchSchema,
  replacedOptions,
  runOptions,
  type OptionSchema,
  type RunOptions,
} from './runOptions.ts';

export interface ReadOptions {
  readonly options: RunOptions;
  /** The replaced options that were given, each with the one to use. */
  readonly replaced: readonly (readonly [name: string, by: string])[];
}

/** Ignores unknown options, which editors add. Null is not given. Throws a CodedError for the first invalid option. */
export function readRunOptions(input: Readonly<Record<string, unknown>>, errors: OptionErrors): ReadOptions {
  const { properties } = launchSchema();
  const given = Object.fromEntries(
    Object.entries(withoutNulls(input)).map(([name, value]) => [
      name,
      properties[name]?.properties !== undefined && isRecord(value) ? withoutNulls(value) : value,
    ]),
  );
  const result = runOptions.safeParse(given);
  if (result.success) return withReplacements(result.data);
  const [issue] = result.error.issues;
  throw issue === undefined ? result.error : errorOf(issue, given, errors);
}

/** Moves the values of replaced options to the options that replace them. */
function withReplacements(read: z.infer<typeof runOptions>): ReadOptions {
  const { recordOverwrite, replayMiss, asUpstreamDebug, ...options } = read;
  const moved = {
    ...(recordOverwrite !== undefined && { force: recordOverwrite }),
    ...(replayMiss !== undefined && {
      onReplayMiss: replayMiss === 'rerecord' ? ('call-model' as const) : replayMiss,
    }),
    ...(asUpstreamDebug !== undefined && { ajetDebugParity: asUpstreamDebug }),
  };
  const replaced = Object.entries(replacedOptions).filter(
    ([name]) => read[name as keyof typeof read] !== undefined,
  );
  return { options: { ...moved, ...options }, replaced };
}

function errorOf(
  issue: z.core.$ZodIssue,
  given: Readonly<Record<string, unknown>>,
  errors: OptionErrors,
): Error {
  const name = nameOf(issue.path);
  const schema = issue.path.reduce<OptionSchema | undefined>(memberSchema, {
    type: 'object',
    description: '',
    ...launchSchema(),
  });
  const value = issue.path.reduce<unknown>((owner, key) => (owner as never)[key], given);
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(schema?.properties ?? {}).join(', ');
    return errors.bad(`${name}.${issue.keys[0] ?? ''}`, `one of ${known}`, 'none of them');
  }
  if (value === undefined) {
    const because =
      issue.path.length > 1
        ? `'${nameOf(issue.path.slice(0, -1))}' needs it`
        : 'it is the config or script to run';
    return errors.missing(name, because);
  }
  return errors.bad(name, schema === undefined ? 'valid' : describeExpected(schema), show(value));
}

function memberSchema(owner: OptionSchema | undefined, key: PropertyKey): OptionSchema | undefined {
  if (typeof key === 'number') return owner?.items;
  const more = owner?.additionalProperties;
  return owner?.properties?.[String(key)] ?? (typeof more === 'object' ? more : undefined);
}

/** Returns a path as people write it: `taskIds[1]`, `endpoint.baseUrl`. */
function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function describeExpected(schema: OptionSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => `'${value}'`).join(', ')}`;
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  const kind = types.map(withArticle).join(' or ');
  if (schema.minLength !== undefined) return `${kind} that is not empty`;
  if (schema.exclusiveMinimum !== undefined) return `${kind} above ${schema.exclusiveMinimum}`;
  if (schema.minimum === undefined) return kind;
  return `${kind} of at least ${schema.minimum}${schema.maximum === undefined ? '' : ` and at most ${schema.maximum}`}`;
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The length at which a value in a message is cut, so that a dialog can show it. */
const shownLength = 60;

function show(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  return text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
}

function withoutNulls(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined && value !== null),
  );
}
