import { isRecord } from '../base/isRecord.ts';
import type { CodedError } from '../base/errors.ts';
import { debugErrors } from './errors.ts';
import {
  launchAttributes,
  requiredAttributes,
  type AttributeSchema,
  type LaunchAttributes,
} from './launchAttributes.ts';

/**
 * The attributes of a launch configuration, checked against their schemas. What is not an attribute of ours (the
 * editor adds its own) is left out, as is what is `null` or `undefined`.
 *
 * @throws CodedError that names the first attribute at fault.
 */
export function checkAttributes(configuration: Readonly<Record<string, unknown>>): LaunchAttributes {
  for (const name of requiredAttributes) {
    if (isAbsent(configuration[name])) {
      throw debugErrors.missingAttribute(name, 'it names the AgentJet YAML file to run');
    }
  }
  const checked: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(launchAttributes)) {
    const value = configuration[name];
    if (isAbsent(value)) continue;
    const fault = findFault(name, schema, value);
    if (fault) throw fault;
    checked[name] = value;
  }
  return checked as unknown as LaunchAttributes; // the schemas are keyed by the names of the type
}

function findFault(name: string, schema: AttributeSchema, value: unknown): CodedError | undefined {
  if (!isValid(schema, value)) return debugErrors.badAttribute(name, describeExpected(schema), show(value));
  if (Array.isArray(value)) return findElementFault(name, schema, value);
  return isRecord(value) ? findMemberFault(name, schema, value) : undefined;
}

function isValid(schema: AttributeSchema, value: unknown): boolean {
  if (!hasType(schema.type, value)) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) return false;
  if (schema.minLength !== undefined && (value as string).trim().length < schema.minLength) return false;
  if (schema.minimum !== undefined && (value as number) < schema.minimum) return false;
  if (schema.maximum !== undefined && (value as number) > schema.maximum) return false;
  return schema.exclusiveMinimum === undefined || (value as number) > schema.exclusiveMinimum;
}

function findElementFault(
  name: string,
  schema: AttributeSchema,
  values: readonly unknown[],
): CodedError | undefined {
  const { items } = schema;
  if (items === undefined) return undefined;
  const element: AttributeSchema = { ...items, description: '' };
  const at = values.findIndex((value) => !isValid(element, value));
  return at < 0
    ? undefined
    : debugErrors.badAttribute(`${name}[${at}]`, describeExpected(element), show(values[at]));
}

function findMemberFault(
  name: string,
  schema: AttributeSchema,
  members: Readonly<Record<string, unknown>>,
): CodedError | undefined {
  for (const required of schema.required ?? []) {
    if (isAbsent(members[required])) {
      return debugErrors.missingAttribute(`${name}.${required}`, `'${name}' needs it`);
    }
  }
  for (const [key, value] of Object.entries(members)) {
    const path = `${name}.${key}`;
    const member = schema.properties?.[key];
    if (member !== undefined) {
      const fault = isAbsent(value) ? undefined : findFault(path, member, value);
      if (fault) return fault;
    } else if (schema.additionalProperties === false) {
      const known = Object.keys(schema.properties ?? {}).join(', ');
      return debugErrors.badAttribute(path, `one of ${known}`, 'none of them');
    } else if (typeof schema.additionalProperties === 'object') {
      const types = schema.additionalProperties.type;
      if (!hasType(types, value)) {
        return debugErrors.badAttribute(path, types.map(withArticle).join(' or '), show(value));
      }
    }
  }
  return undefined;
}

function hasType(type: string | readonly string[], value: unknown): boolean {
  if (typeof type !== 'string') return type.some((one) => hasType(one, value));
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function describeExpected(schema: AttributeSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => `'${value}'`).join(', ')}`;
  const kind = typeof schema.type === 'string' ? withArticle(schema.type) : schema.type.join(' or ');
  if (schema.minLength !== undefined) return `${kind} that is not empty`;
  if (schema.minimum !== undefined) {
    const most = schema.maximum === undefined ? '' : ` and at most ${schema.maximum}`;
    return `${kind} of at least ${schema.minimum}${most}`;
  }
  if (schema.exclusiveMinimum !== undefined) return `${kind} above ${schema.exclusiveMinimum}`;
  return kind;
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Long enough to recognise the value by, short enough for a dialog. */
const shownLength = 60;

function show(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  return text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
