import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As a run gives it to workflows: what the examples import.
  resolve: { alias: { agentjet: path.join(import.meta.dirname, '../../src/workflow/index.ts') } },
  test: {
    dir: import.meta.dirname,
    maxWorkers: 2,
    // A limit for what hangs, not a measure of speed: machines are noisy, and the deep run tries ten times as much.
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
