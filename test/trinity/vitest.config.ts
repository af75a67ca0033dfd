import { defineConfig } from 'vitest/config';

/** Outside the gate: what is installed for it is large. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['../cli/harness/setup.ts'],
    // Limits for what hangs; the first run installs, and to import Trinity takes half a minute.
    testTimeout: 300_000,
    hookTimeout: 1_800_000,
  },
});
