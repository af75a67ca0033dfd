import type { Finding, FindingKind, FindingLevel } from './findingKind.ts';
import { findingKinds, type FindingCode } from './findings.ts';

export type { Finding } from './findingKind.ts';

/** Undefined for an id that this version does not know. */
export function findingKind(code: string): FindingKind | undefined {
  return Object.hasOwn(findingKinds, code) ? findingKinds[code as FindingCode] : undefined;
}

export function levelOf(code: string): FindingLevel {
  return findingKind(code)?.level ?? 'episode';
}

/** What to do about a finding; empty for an id that this version does not know. */
export function hintOf(code: string): string {
  return findingKind(code)?.hint ?? '';
}

/** A finding of the usual severity. */
export function finding(code: FindingCode, message: string): Finding {
  return { code, severity: findingKinds[code].severity, message };
}
