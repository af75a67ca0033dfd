import { describe, expect, it } from 'vitest';
import type {
  EpisodeResult,
  EpisodeTracking,
  RunLocations,
} from '../../../src/tracking/core/records/episodeResult.ts';
import { hintOf } from '../../../src/tracking/core/finding.ts';
import type { FindingKind } from '../../../src/tracking/core/findingKind.ts';
import { findingKinds } from '../../../src/tracking/core/findings.ts';
import { locatedFindings, type LocatedFinding } from '../../../src/tracking/core/locatedFindings.ts';
import { trainingReport } from '../../../src/tracking/core/report.ts';

const tracking: EpisodeTracking = { timelines: 1, tokens: 20, trainableTokens: 5, problems: [] };
const uncalled: EpisodeTracking = { timelines: 0, tokens: 0, trainableTokens: 0, problems: [] };

const execute = { file: '/w/workflow.ts', line: 4, column: 9 };
const judge = { file: '/w/judge.ts', line: 8, column: 3 };
const keys = Object.fromEntries(
  Object.values<FindingKind>(findingKinds)
    .flatMap(({ target: place = '' }) => (place.startsWith('key:') ? [place.slice(4)] : []))
    .map((key, index) => [key, { file: '/w/config.yaml', line: index + 1, column: 5 }]),
);
const places: RunLocations = { execute, judge, keys };

function result(episode: number, reward: number | null, more: Partial<EpisodeResult> = {}): EpisodeResult {
  return {
    episode,
    taskId: `t${Math.floor(episode / 2)}`,
    repeat: episode % 2,
    reward,
    isSuccess: reward === 1,
    llmCalls: 1,
    seconds: 1,
    error: null,
    tracking,
    ...more,
  };
}

function notes(results: readonly EpisodeResult[], own = places, named?: string): readonly LocatedFinding[] {
  const report = trainingReport(results, { repeat: 2, approximate: false, judge: named });
  return locatedFindings(report, results, own);
}

const at = (found: readonly LocatedFinding[]) => found.map(({ code, location }) => [code, location]);
const first = (found: readonly LocatedFinding[]) => found.map(({ message }) => message.split('\n')[0]);

function problem(code: string, message: string, severity: 'warning' | 'error' = 'warning') {
  return { tracking: { ...tracking, problems: [{ code, severity, message }] } };
}

describe('the notes of a run', () => {
  it('are none where nothing is found', () => {
    expect(notes([result(0, 1), result(1, 0)])).toEqual([]);
  });

  it('are one per finding and place, with the episodes counted and what to do', () => {
    const found = notes([
      result(0, 1, { tracking: uncalled }),
      result(1, 0.5),
      result(2, 1, { tracking: uncalled }),
      result(3, 0.5),
    ]).filter(({ code }) => code === 'no-call');
    const said =
      'No LLM call of the episode was answered through the tuner, so there is nothing to train on.';
    expect(found).toEqual([
      {
        code: 'no-call',
        severity: 'warning',
        message: `In 2 of 4 episodes of the last run: ${said}\n${hintOf('no-call')}`,
        location: execute,
      },
    ]);
  });

  it('count the tasks where the finding is about tasks, and all as all', () => {
    const found = notes([result(0, 1), result(1, 1), result(2, 0.5), result(3, 0.5)]);
    expect(first(found)).toEqual([
      'In all 2 tasks of the last run: All repeats of the task have the same reward, so the task gives no training signal.',
    ]);
    const [half] = notes([result(0, 1), result(1, 1), result(2, 0.5), result(3, 0)]);
    expect(half?.message).toMatch(/^In 1 of 2 tasks of the last run: /);
  });

  it('give an example where the sentences differ, of an error if there is one', () => {
    const [note, ...others] = notes([
      result(0, 1, problem('response-cut', '3 tokens are cut.')),
      result(1, 0, problem('response-cut', 'All is cut.', 'error')),
    ]);
    expect(note?.message).toMatch(/^In all 2 episodes of the last run, for example: All is cut\.\n/);
    expect(note?.severity).toBe('warning');
    expect(others).toEqual([]);
  });

  it('are at the lines that findings name, each line its own', () => {
    const [here, there] = [3, 9].map((line) => ({ file: '/w/agent.ts', line, column: 1 }));
    const outside = (location: typeof here) => ({ outside: [{ host: 'x', calls: 1, location }] });
    const results = [result(0, 1, outside(here)), result(1, 0, outside(there))];
    expect(at(notes(results))).toEqual([
      ['bypassed-tuner', here],
      ['bypassed-tuner', there],
    ]);
    const error = { code: 'x/y', message: 'It broke.', location: here };
    expect(at(notes([result(0, null, { error }), result(1, 0)]))).toContainEqual(['episode-error', here]);
  });

  it.each([
    ['the workflow', 'workflow' as const, execute],
    ['the judge', 'judge' as const, judge],
  ])('about a reward are where it came from: %s', (_, scoredBy, location) => {
    const found = notes([result(0, 7, { scoredBy }), result(1, 0, { scoredBy })]);
    expect(at(found)).toEqual([['reward-range', location]]);
    expect(found[0]?.severity).toBe('information');
  });

  it('about a setting are where the config sets it', () => {
    const results = [
      result(0, 1, problem('degenerate-reply', 'It repeats itself.')),
      result(1, null, { error: { code: 'x/y', message: 'No.' } }),
    ];
    expect(at(notes(results))).toEqual([
      ['degenerate-reply', keys['ajet.rollout.compute_madness_checklist']],
      ['single-episode', keys['ajet.rollout.num_repeat']],
    ]);
  });

  it('about the run count nothing, and come last', () => {
    const results = [result(0, 7, { scoredBy: 'workflow' }), result(1, 0, { scoredBy: 'workflow' })];
    const found = notes(results, places, 'judge.ts->Judge');
    expect(at(found).at(-1)).toEqual(['judge-unused', judge]);
    expect(found.at(-1)?.message).toMatch(/^In the last run: The judge judge.ts->Judge was never called/);
  });

  it('are none of findings whose place is not known', () => {
    const results = [result(0, 7, { scoredBy: 'judge' }), result(1, 0, { tracking: uncalled })];
    expect(notes(results, { keys: {} })).toEqual([]);
  });

  it('say of a run of one episode only that it was the last', () => {
    const found = notes([result(0, 7, { scoredBy: 'workflow' })]);
    expect(first(found)).toContainEqual(expect.stringMatching(/^In the last run: The reward 7 /));
  });
});
