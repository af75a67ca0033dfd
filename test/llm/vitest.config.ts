import { defineConfig } from 'vitest/config';

/** Only among the deep tests: what is installed for it is large, and a real model is slow on a CPU. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['../cli/harness/setup.ts'],
    // Limits for what hangs; the first run installs.
    testTimeout: 600_000,
    hookTimeout: 1_200_000,
  },
});
