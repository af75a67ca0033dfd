import { isRecord } from '../../../../base/core/isRecord.ts';
import { failures } from '../failures.ts';
import type { ModelFailure } from '../model.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Thrown for a request that is invalid, or that chat completions cannot express. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.error.message);
    this.failure = failure;
  }
}

/** @param problem completes a sentence that begins with the param */
export function invalid(param: string, problem: string): RequestError {
  return new RequestError(failures.invalid(`'${param}' ${problem}. Correct the request.`, param));
}

/** @param problem completes a sentence that begins with the param, and says what to do */
export function unsupported(param: string, problem: string): RequestError {
  return new RequestError(failures.unsupported(`'${param}' ${problem}.`, param));
}

export function catchRequestError<T>(read: () => T): T | { readonly failure: ModelFailure } {
  try {
    return read();
  } catch (error) {
    if (error instanceof RequestError) return { failure: error.failure };
    throw error;
  }
}

export function fieldsAt(value: unknown, param: string): Fields {
  if (isRecord(value)) return value;
  throw invalid(param, value === undefined ? 'is missing' : 'must be an object');
}

export function listAt(value: unknown, param: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalid(param, value === undefined ? 'is missing' : 'must be an array');
}

export function textAt(value: unknown, param: string): string {
  if (typeof value === 'string') return value;
  throw invalid(param, value === undefined ? 'is missing' : 'must be a string');
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Removes the fields that are undefined or null. */
export function givenFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)));
}

/** Returns a single text part as a string, as chat clients send it; else the parts. */
export function simplifyParts(parts: readonly Fields[]): string | readonly Fields[] {
  const [first, ...rest] = parts;
  if (rest.length > 0) return parts;
  return first?.['type'] === 'text' && typeof first['text'] === 'string' ? first['text'] : parts;
}
