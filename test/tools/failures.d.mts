import type { SuiteResults } from '../e2e/suite/index.ts';

export interface Failure {
  readonly title: string;
  readonly error: string;
}

export function hostFailures(results: SuiteResults, profile: string): readonly Failure[];
export function describeFailures(failures: readonly Failure[]): string;
