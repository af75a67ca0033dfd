import { describe, expect, it } from 'vitest';
import type { EpisodeResult, EpisodeTracking } from '../../../src/protocol/run.ts';
import { formatTrainingReport, trainingReport } from '../../../src/tracking/report.ts';

const tracking: EpisodeTracking = { timelines: 1, tokens: 20, trainableTokens: 5, problems: [] };

function result(episode: number, reward: number | null, more: Partial<EpisodeResult> = {}): EpisodeResult {
  return {
    episode,
    taskId: `t${Math.floor(episode / 2)}`,
    repeat: episode % 2,
    reward,
    isSuccess: reward === 1,
    llmCalls: 1,
    seconds: 1,
    error: reward === null ? { code: 'x/y', message: 'It broke.\nBadly.' } : null,
    tracking,
    ...more,
  };
}

function codes(results: readonly EpisodeResult[], repeat = 2): string[][] {
  const report = trainingReport(results, { repeat, approximate: false });
  return report.episodes.map(({ findings }) => findings.map(({ code }) => code));
}

describe('a training report', () => {
  it('finds nothing wrong with episodes of different rewards', () => {
    const report = trainingReport([result(0, 1), result(1, 0)], { repeat: 2, approximate: false });
    expect(report).toMatchObject({ trains: 2, doesNotTrain: 0, findings: [] });
    expect(formatTrainingReport(report)).toBe('2 of 2 episodes would train');
  });

  it.each<[string, Partial<EpisodeResult>, string[]]>([
    [
      'no call',
      { llmCalls: 0, tracking: { ...tracking, timelines: 0, tokens: 0, trainableTokens: 0 } },
      ['no-call'],
    ],
    ['nothing in the loss', { tracking: { ...tracking, trainableTokens: 0 } }, ['nothing-trainable']],
    ['an error', { reward: null, error: { code: 'x/y', message: 'No.' } }, ['episode-error']],
    [
      'a process that died',
      { reward: null, error: { code: 'x/y', message: 'No.' }, tracking: undefined },
      ['episode-error'],
    ],
    ['no tracking', { tracking: undefined }, ['not-tracked']],
  ])('gives the reason: %s', (_, { tracking: own, ...more }, expected) => {
    const { tracking: dropped, ...bare } = result(0, 1, more);
    expect(dropped).toBeDefined();
    const results = [{ ...bare, ...(own && { tracking: own }) }, result(1, 0)];
    const report = trainingReport(results, { repeat: 2, approximate: false });
    expect(report.episodes.map(({ trains }) => trains)).toEqual([false, true]);
    expect(report.episodes[0]?.findings.map(({ code }) => code)).toEqual(expected);
  });

  it('tells of equal rewards once all episodes of a task are there', () => {
    expect(codes([result(0, 1), result(1, 1)])).toEqual([['equal-rewards'], ['equal-rewards']]);
    expect(codes([result(0, 1)])).toEqual([[]]);
    expect(codes([result(0, 1), result(3, 1)])).toEqual([[], []]);
    expect(codes([result(0, 1), result(1, null)])).toEqual([[], ['episode-error']]);
    expect(codes([result(0, 1), result(1, 1)], 1)).toEqual([[], []]);
    expect(codes([result(0, 1), result(1, null), result(2, 1)], 3)).toEqual([
      ['equal-rewards'],
      ['episode-error'],
      ['equal-rewards'],
    ]);
  });

  it('takes the reward that training gives an episode with a degenerate reply', () => {
    const mad = { tracking: { ...tracking, madnessReward: -1 } };
    expect(codes([result(0, 1, mad), result(1, 1)])).toEqual([[], []]);
    expect(codes([result(0, 1, mad), result(1, -1)])).toEqual([['equal-rewards'], ['equal-rewards']]);
  });

  it('takes over what the tracker found; a warning leaves an episode training', () => {
    const problems: EpisodeTracking['problems'] = [
      { code: 'role-dropped', severity: 'warning', message: 'In call 0, …' },
    ];
    const report = trainingReport([result(0, 1, { tracking: { ...tracking, problems } }), result(1, 0)], {
      repeat: 2,
      approximate: false,
    });
    expect(report.trains).toBe(2);
    expect(report.findings).toEqual([{ ...problems[0], count: 1, episodes: [0] }]);
  });

  it('reads as a line for the run and one for each kind of finding', () => {
    const refused = (call: number): Partial<EpisodeResult> => ({
      tracking: {
        ...tracking,
        problems: [{ code: 'overlong', severity: 'error', message: `In call ${call}, the prompt is long.` }],
      },
    });
    const results = [
      result(0, 1),
      result(1, 1, { taskId: '' }),
      result(2, 0, refused(0)),
      result(3, 1, refused(5)),
      result(4, null),
      result(6, 0.5),
      result(7, 0.5),
    ];
    expect(formatTrainingReport(trainingReport(results, { repeat: 2, approximate: true }))).toBe(
      `0 of 7 episodes would train
error: 4 episodes (task t0, repeat 0; task (no id), repeat 1; task t3, repeat 0; 1 more): All episodes of the task have the same reward, so every advantage is 0 and there is no gradient. [equal-rewards]
error: 2 episodes (task t1, repeat 0; task t1, repeat 1): e.g. In call 0, the prompt is long. [overlong]
error: 1 episode (task t2, repeat 0): The episode ended with an error: It broke. [episode-error]
tokenizer: embedded, approximate: token ids and lengths are not those of training`,
    );
  });
});
