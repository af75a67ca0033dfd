import type { Finding, FindingKind, FindingLevel } from './findingKind.ts';
import { findingKinds, type FindingCode } from './findings.ts';

export type { Finding } from './findingKind.ts';

/** Returns undefined for an unknown id, such as one of another version. */
export function findingKind(code: string): FindingKind | undefined {
  return Object.hasOwn(findingKinds, code) ? findingKinds[code as FindingCode] : undefined;
}

export function levelOf(code: string): FindingLevel {
  return findingKind(code)?.level ?? 'episode';
}

/** Returns the hint of a finding; empty for an unknown id. */
export function hintOf(code: string): string {
  return findingKind(code)?.hint ?? '';
}

/** Returns whether a finding keeps its episodes out of training. */
export function preventsTraining({ code, severity }: Finding): boolean {
  return severity === 'error' || findingKind(code)?.isUntrained === true;
}

/** Creates a finding with the default severity of its kind. */
export function finding(code: FindingCode, message: string): Finding {
  return { code, severity: findingKinds[code].severity, message };
}
