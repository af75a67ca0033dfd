import { describe, expect, it } from 'vitest';
import type { EpisodeResult, EpisodeTracking } from '../../../src/tracking/core/records/episodeResult.ts';
import { hintOf } from '../../../src/tracking/core/finding.ts';
import { trainingReport, formatTrainingReport } from '../../../src/tracking/core/report.ts';
import type { RunTerms } from '../../../src/tracking/core/reportTally.ts';

const overlong = {
  code: 'context-overflow',
  severity: 'error' as const,
  message: 'In call 0, it is.',
  calls: [0],
};
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

const two: RunTerms = { repeat: 2, approximate: false, judge: undefined };

function codes(results: readonly EpisodeResult[], repeat = 2): string[][] {
  const report = trainingReport(results, { ...two, repeat });
  return report.episodes.map(({ findings }) => findings.map(({ code }) => code));
}

describe('a training report', () => {
  it('finds nothing wrong with episodes of different rewards', () => {
    const report = trainingReport([result(0, 1), result(1, 0)], two);
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
    [
      'only debug models',
      {
        llmCalls: 0,
        tracking: { ...tracking, timelines: 0, tokens: 0, trainableTokens: 0 },
        routing: { debug: [{ target: 'wolf', model: 'gpt-4o', calls: 3 }], trainedAnyway: [] },
      },
      ['all-calls-untrained'],
    ],
    [
      'a first prompt that is too long',
      { tracking: { ...tracking, timelines: 0, trainableTokens: 0, problems: [overlong] } },
      ['nothing-trainable', 'context-overflow'],
    ],
  ])('gives the reason: %s', (_, { tracking: own, ...more }, expected) => {
    const { tracking: dropped, ...bare } = result(0, 1, more);
    expect(dropped).toBeDefined();
    const results = [{ ...bare, ...(own && { tracking: own }) }, result(1, 0.5)];
    const report = trainingReport(results, two);
    expect(report.episodes.map(({ trains }) => trains)).toEqual([false, true]);
    expect(report.episodes[0]?.findings.map(({ code }) => code)).toEqual(expected);
  });

  it('tells of targets that are trained though they are not to be', () => {
    const trainedAnyway = [{ target: 'wolf', why: 'base-url' as const, calls: 3 }];
    const results = [result(0, 1, { routing: { debug: [], trainedAnyway } }), result(1, 0)];
    const report = trainingReport(results, two);
    expect(report).toMatchObject({
      trains: 2,
      findings: [{ code: 'untrained-target-trained', severity: 'warning' }],
    });
    expect(report.findings[0]?.message).toContain('`wolf`');
  });

  it('tells of equal rewards once all episodes of a task are there', () => {
    expect(codes([result(0, 1), result(1, 1)])).toEqual([['equal-rewards'], ['equal-rewards']]);
    expect(codes([result(0, 1)])).toEqual([[]]);
    expect(codes([result(0, 1), result(3, 1)])).toEqual([[], []]);
    expect(codes([result(0, 0.1), result(1, 0.1), result(2, 0.1)], 3)[0]).toEqual(['equal-rewards']);
    expect(codes([result(0, 1), result(1, null), result(2, 1)], 3)).toEqual([
      ['equal-rewards'],
      ['episode-error'],
      ['equal-rewards'],
    ]);
  });

  it('tells of an episode that has no other to be compared with', () => {
    expect(codes([result(0, 1), result(1, null)])).toEqual([['single-episode'], ['episode-error']]);
    expect(codes([result(0, 1), result(1, 1)], 1)).toEqual([['single-episode'], ['single-episode']]);
    const results = [result(0, 1), result(1, 0, { taskId: 't1' })];
    const report = trainingReport(results, { ...two, repeat: 1 });
    expect(report.episodes.map(({ trains }) => trains)).toEqual([true, false]);
    expect(report.findings.map(({ code, groups }) => [code, groups])).toEqual([
      ['equal-rewards', [1]],
      ['single-episode', [0]],
    ]);
  });

  it('gives each episode its advantage once its group is whole', () => {
    const results = [result(0, 1), result(1, 0), result(2, 1)];
    const told = trainingReport(results, two).episodes.map(({ advantage }) => advantage);
    expect(told.map((one) => one && Number(one.toFixed(3)))).toEqual([0.707, -0.707, null]);
  });

  it.each<[string, number, Partial<EpisodeResult>, string[]]>([
    ['a reward of the usual kind', 1, { isSuccess: true, successGiven: true }, []],
    ['a reward that is large', 7, { isSuccess: true, successGiven: true }, ['reward-range']],
    ['a reward that is far below 0', -3, { successGiven: true }, ['reward-range']],
    ['one of the environment’s', 1.5, { isSuccess: true, successGiven: true }, []],
    ['success with little reward', 0.5, { isSuccess: true, successGiven: true }, ['success-mismatch']],
    ['full reward without success', 1, { isSuccess: false, successGiven: true }, ['success-mismatch']],
    [
      'a reward that says nothing of success',
      1,
      { isSuccess: false, successGiven: false },
      ['success-missing'],
    ],
    ['one that the workflow would have had otherwise', 0.5, { rewardUnused: 7 }, ['reward-unused']],
    ['no reward and no word of success', 0, { successGiven: false }, []],
    ['a trace that does not tell', 1, { isSuccess: false }, []],
  ])('looks at the reward: %s', (_, reward, more, expected) => {
    expect(codes([result(0, reward, more), result(1, 0.25)])[0]).toEqual(expected);
  });

  it('tells of calls around the tuner, with the place', () => {
    const location = { file: '/w/workflow.ts', line: 7, column: 3 };
    const outside = [{ host: 'api.example.com', calls: 2, location }];
    const report = trainingReport([result(0, 1, { outside }), result(1, 0, { outside })], two);
    expect(report).toMatchObject({ trains: 2, findings: [{ code: 'bypassed-tuner', count: 2, location }] });
    expect(report.findings[0]?.message).toBe(
      '2 LLM calls went to api.example.com and not through the tuner, from /w/workflow.ts:7, so its replies are not trained.',
    );
  });

  it('tells of a judge that no episode asked', () => {
    const found = (scoredBy: ('workflow' | 'judge')[], judge: string | undefined): string[] => {
      const results = scoredBy.map((by, episode) => result(episode, episode, { scoredBy: by }));
      return trainingReport(results, { ...two, judge }).findings.map(({ code }) => code);
    };
    expect(found(['workflow', 'workflow'], 'judge.ts->Judge')).toEqual(['judge-unused']);
    expect(found(['workflow', 'judge'], 'judge.ts->Judge')).toEqual([]);
    expect(found(['workflow', 'workflow'], undefined)).toEqual([]);
  });

  it('tells of tasks that share an id, or have none', () => {
    const named = (...ids: string[]): string[] => {
      const results = ids.flatMap((taskId, task) => [
        result(task * 2, 0, { taskId }),
        result(task * 2 + 1, 1, { taskId }),
      ]);
      return trainingReport(results, two).findings.map(({ message, count }) => `${count}: ${message}`);
    };
    const shared = 'In training they are one group, and their rewards are compared with each other.';
    expect(named('a', 'b')).toEqual([]);
    expect(named('a', 'b', 'a')).toEqual([`4: 2 tasks have the id a. ${shared}`]);
    expect(named('', 'a', '', 'a')).toEqual([`8: 2 tasks have no id, and 1 more id is shared. ${shared}`]);
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
    const report = trainingReport([result(0, 1, { tracking: { ...tracking, problems } }), result(1, 0)], two);
    expect(report.trains).toBe(2);
    expect(report.findings).toEqual([{ ...problems[0], count: 1, episodes: [0], groups: [] }]);
  });

  it('reads as a line for the run and one for each kind of finding', () => {
    const refused = (call: number): Partial<EpisodeResult> => ({
      tracking: {
        ...tracking,
        problems: [
          { code: 'context-overflow', severity: 'error', message: `In call ${call}, the prompt is long.` },
        ],
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
    expect(formatTrainingReport(trainingReport(results, { ...two, approximate: true }))).toBe(
      `0 of 7 episodes would train
warning: 2 groups (task t0; task t3): All repeats of the task have the same reward, so the task gives no training signal. [equal-rewards]
  ${hintOf('equal-rewards')}
error: 2 episodes (task t1, repeat 0; task t1, repeat 1): e.g. In call 0, the prompt is long. [context-overflow]
  ${hintOf('context-overflow')}
error: 1 episode (task t2, repeat 0): The episode ended with an error: It broke. [episode-error]
  ${hintOf('episode-error')}
warning: tokenizer: built-in, approximate: token ids and lengths differ from training. [approximate-tokenizer]
  ${hintOf('approximate-tokenizer')}`,
    );
  });

  it('leaves out what training leaves out', () => {
    expect(codes([result(0, 1, { selected: 2 }), result(1, 0, { selected: 0 })])).toEqual([
      [],
      ['not-selected'],
    ]);
  });
});
