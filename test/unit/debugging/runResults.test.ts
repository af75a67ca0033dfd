import { describe, expect, it } from 'vitest';
import { formatResults, reportOf } from '../../../src/backbone/node/client/runReport.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type { RunEvent } from '../../../src/backbone/core/protocol/run.ts';

const run: Extract<RunEvent, { type: 'run-started' }> = {
  type: 'run-started',
  experiment: 'exp',
  config: '/p/exp.yaml',
  model: 'embedded',
  workflow: 'w.ts->W',
  workflowFile: '/p/w.ts',
  folder: '/p/exp',
  tasks: 1,
  repeat: 2,
  episodes: 2,
  parallel: 1,
};

function episode(repeat: number): EpisodeResult {
  const tracking = { timelines: 1, tokens: 9, trainableTokens: 4, problems: [] };
  const outcome = { reward: repeat, isSuccess: repeat === 1, llmCalls: 1, seconds: 1, error: null };
  return { episode: repeat, taskId: 't', repeat, ...outcome, tracking };
}

/** In the order of their ends. */
const results = [episode(1), episode(0)];

describe('formatResults', () => {
  it('has episodes in order, the means, what would train, and the trace', () => {
    const lines = formatResults(results, { ...run, trace: '/p/exp/exp.ajtrace' }).split('\n');
    expect(lines.slice(2, 4)).toEqual([
      't          0      1          1       9          4       0       no  1.00 s',
      't          1      1          1       9          4       1      yes  1.00 s',
    ]);
    expect(lines.slice(-2)).toEqual(['2 of 2 episodes would train', 'trace: /p/exp/exp.ajtrace']);
  });

  it.each([null, undefined])('names no trace where there is none (%s)', (trace) => {
    expect(formatResults(results, { ...run, ...(trace === null && { trace }) })).not.toContain('trace:');
  });

  it('says so where another tokenizer than the model’s counted', () => {
    const embedded = { name: 'built-in', exact: false, file: null };
    const exact = { name: 'qwen', exact: true, file: '/qwen/tokenizer.json' };
    expect(formatResults(results, { ...run, tokenizer: embedded })).toContain('approximate');
    expect(formatResults(results, { ...run, tokenizer: exact })).not.toContain('approximate');
  });
});

it('reports on a run that never started', () => {
  expect(reportOf([], undefined)).toMatchObject({ trains: 0, doesNotTrain: 0, findings: [] });
});
