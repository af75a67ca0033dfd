import { describe, expect, test } from 'vitest';
import type { ReportView } from '../../../src/protocol/traceRpc.ts';
import { findingsOf, type Severity } from '../../../src/webview/run/findings.ts';
import { episodeRow } from '../harness/records.ts';

function report(...kinds: readonly (readonly [Severity, string, ...number[]])[]): ReportView {
  const findings = kinds.map(([severity, message, ...episodes]) => {
    return { code: `code of ${message}`, severity, message, episodes, count: episodes.length };
  });
  return { trains: 0, doesNotTrain: 0, findings };
}

function row(trains: boolean | null, ...findings: readonly string[]) {
  return episodeRow({ episode: 3, trains, findings });
}

describe('the findings of an episode', () => {
  test.each([true, null])('that trains (%s) are warnings', (trains) => {
    expect(findingsOf(row(trains, 'A.', 'B.'), report(['error', 'A.', 7]))).toEqual([
      { message: 'A.', severity: 'warning' },
      { message: 'B.', severity: 'warning' },
    ]);
  });

  test('that does not train: a lone one is the reason', () => {
    expect(findingsOf(row(false, 'A.'), report())).toEqual([{ message: 'A.', severity: 'error' }]);
  });

  test('that does not train: the report tells them apart, reasons come first', () => {
    const told = report(['error', 'B.', 1, 3], ['warning', 'A.', 3]);
    expect(findingsOf(row(false, 'A.', 'B.'), told)).toEqual([
      { message: 'B.', severity: 'error' },
      { message: 'A.', severity: 'warning' },
    ]);
  });

  test('whose sentences differ from the report’s are as grave as all that it has of the episode', () => {
    const told = report(['error', 'e.g. A is 5.', 3], ['error', 'B.', 3], ['warning', 'C.', 4]);
    expect(findingsOf(row(false, 'A is 6.', 'B.'), told)).toEqual([
      { message: 'A is 6.', severity: 'error' },
      { message: 'B.', severity: 'error' },
    ]);
  });

  test('that nothing tells are not guessed at', () => {
    const told = report(['error', 'e.g. A is 5.', 3], ['warning', 'B.', 3]);
    expect(findingsOf(row(false, 'A is 6.', 'B.'), told)).toEqual([
      { message: 'A is 6.', severity: undefined },
      { message: 'B.', severity: 'warning' },
    ]);
  });
});
