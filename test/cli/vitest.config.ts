import { defineConfig } from 'vitest/config';

/** Tests that start the built command as users do, in processes of its own. */
export default defineConfig({
  test: {
    isolate: false,
    expect: { poll: { timeout: 45_000 } },
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./harness/setup.ts'],
    maxWorkers: 2,
    // A limit for what hangs, not a measure of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
