import { afterAll, expect } from 'vitest';
import { isDeep } from '../../tools/deep.ts';

/** Keeps vitest from reporting snapshots as obsolete in the normal run, which tries only some cases of a file. */
export function keepSnapshotsOfOtherCases(): void {
  if (isDeep) return;
  afterAll(() => {
    const { snapshotState } = expect.getState();
    for (const key of snapshotState.getUncheckedKeys()) {
      snapshotState.markSnapshotsAsCheckedForTest(key.replace(/ \d+$/, ''));
    }
  });
}
