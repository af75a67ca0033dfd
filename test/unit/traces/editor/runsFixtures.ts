/** Runs that tests make up. */
import path from 'node:path';
import type { TraceSummary } from '../../../../src/traces/core/protocol/runRpc.ts';
import type { Run, RunFile } from '../../../../src/traces/editor/runs/run.ts';

export function runFile(trace: string, changes: Partial<RunFile> = {}): RunFile {
  return { trace, size: 1000, modified: 0, ownFolder: true, training: undefined, ...changes };
}

export function summaryOf(trace: string, changes: Partial<TraceSummary> = {}): TraceSummary {
  return {
    trace,
    size: 2000,
    experiment: path.basename(trace, '.ajtrace'),
    config: path.resolve('/w/agent.yaml'),
    workflow: 'Agent',
    model: 'built-in (seed 1)',
    startedAt: 0,
    state: 'completed',
    error: null,
    episodes: 4,
    totals: {
      started: 4,
      ended: 4,
      failed: 0,
      meanReward: 0.75,
      successRate: 0.5,
      calls: 8,
      timelines: 4,
      tokens: 1234,
      trainableTokens: 56,
    },
    tokenizer: { name: 'built-in', exact: false, file: null },
    limits: null,
    ...changes,
  };
}

export function run(trace: string, changes: Partial<TraceSummary> = {}, file: Partial<RunFile> = {}): Run {
  return { file: runFile(trace, file), summary: summaryOf(trace, changes) };
}
