import process from 'node:process';
import { defineConfig } from 'vitest/config';

/** Only among the deep tests: a server takes half a minute of a core to start. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    // Only part of the proof: ten steps of a real language model take minutes.
    exclude: process.env['AGENTJET_PROOF'] === undefined ? ['realModel.test.ts'] : [],
    globalSetup: ['../cli/harness/setup.ts', '../e2e/harness/setup.ts'],
    // Each file starts a server of its own.
    fileParallelism: false,
    // Limits for what hangs; the first run installs.
    testTimeout: 600_000,
    hookTimeout: 1_200_000,
  },
});
