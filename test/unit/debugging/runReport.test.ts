import { describe, expect, it } from 'vitest';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import { formatEpisodeErrors, formatTable } from '../../../src/backbone/node/client/runReport.ts';
import { groupsOf } from '../../../src/tracking/core/groups.ts';

function episode(number: number, taskId: string, reward: number | null, code = 'x/y'): EpisodeResult {
  return {
    episode: number,
    taskId,
    repeat: number % 2,
    reward,
    isSuccess: reward === 1,
    llmCalls: 2,
    seconds: 0.5,
    error:
      reward === null
        ? { code, message: 'It broke.', location: { file: '/w.ts', line: 3 }, stack: 'at f' }
        : null,
  };
}

const results = [episode(0, 'a', 1), episode(1, 'a', 0), episode(2, '', null), episode(3, '', null)];

describe('the report as text', () => {
  it('is a table of episodes and one of means', () => {
    const tracking = { timelines: 1, tokens: 1234, trainableTokens: 56, problems: [] };
    const tracked = results.map((result) => (result.taskId === 'a' ? { ...result, tracking } : result));
    expect(formatTable(tracked, groupsOf(results, 2))).toBe(
      `task     repeat  calls  timelines  tokens  trainable  reward  success    time
-------  ------  -----  ---------  ------  ---------  ------  -------  ------
a             0      2          1    1234         56       1      yes  0.50 s
a             1      2          1    1234         56       0       no  0.50 s
(no id)       0      2          -       -          -       -    error  0.50 s
(no id)       1      2          -       -          -       -    error  0.50 s

group    episodes  failed  mean reward  deviation  success rate
-------  --------  ------  -----------  ---------  ------------
a               2       0          0.5      0.707          50 %
(no id)         2       2            -          -             -
run             4       2          0.5          -          50 %`,
    );
  });

  it('says an error once for all episodes that it ended, with the stack only on request', () => {
    expect(formatEpisodeErrors(results)).toEqual([
      '2 episodes, first task (no id), repeat 0: /w.ts:3: It broke. [x/y]',
    ]);
    expect(formatEpisodeErrors(results, { verbose: true })[0]).toContain('at f');
  });
});
