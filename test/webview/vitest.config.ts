import { defineConfig } from 'vitest/config';

/** The trace viewer's page: its parts alone, and the built page in a real browser, see harness/viewer.ts. */
export default defineConfig({
  test: {
    isolate: false,
    expect: { poll: { timeout: 45_000 } },
    dir: import.meta.dirname,
    // One browser at a time: several would only wait for each other.
    fileParallelism: false,
    // A limit for what hangs, not a measure of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
