import { defineConfig } from 'vitest/config';

/** Tests that press keys in a real editor: one after the other, each as long as an editor may take. */
export default defineConfig({
  test: {
    isolate: false,
    expect: { poll: { timeout: 45_000 } },
    root: import.meta.dirname,
    include: ['ui/**/*.test.ts'],
    globalSetup: ['./harness/setup.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
