import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As a run gives it to workflows: what the examples import.
  resolve: { alias: { agentjet: path.join(import.meta.dirname, '../../src/sdk/core/index.ts') } },
  test: {
    // Files share what they import: to load it for each anew took a third of the time of the unit tests.
    isolate: false,
    expect: { poll: { timeout: 45_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    dir: import.meta.dirname,
    maxWorkers: 2,
    // A limit for what hangs, not a measure of speed: machines are noisy, and the deep run tries ten times as much.
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
