import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import { levelOf, preventsTraining } from '../../../src/tracking/core/finding.ts';
import { groupBy } from '../../../src/tracking/core/groupBy.ts';
import { groupOf } from '../../../src/tracking/core/groups.ts';
import { judgedGroup, trainingReport } from '../../../src/tracking/core/report.ts';
import { ReportTally } from '../../../src/tracking/core/reportTally.ts';
import { fuzz } from '../fuzz.ts';

const ended = fc.record({
  reward: fc.constantFrom(null, 0, 0, 1, 7),
  id: fc.constantFrom('a', 'b', 'c', 'd', ''),
  scoredBy: fc.constantFrom('workflow' as const, 'workflow' as const, 'judge' as const),
  trainable: fc.constantFrom(0, 5),
  order: fc.integer(),
});
const runs = fc.record({ repeat: fc.integer({ min: 1, max: 3 }), all: fc.array(ended, { maxLength: 12 }) });
const terms = { approximate: true, judge: 'judge.ts->Judge' };

/** In the order in which they ended. */
function resultsOf({ repeat, all }: typeof runs extends fc.Arbitrary<infer R> ? R : never): EpisodeResult[] {
  return all
    .map(({ order, id, reward, trainable, scoredBy }, episode) => {
      const group = groupOf(episode, repeat);
      const result: EpisodeResult = {
        episode,
        taskId: all[group * repeat]?.id ?? id,
        repeat: episode % repeat,
        reward,
        isSuccess: reward === 1,
        llmCalls: 1,
        seconds: 1,
        error: reward === null ? { code: 'x/y', message: `It broke ${trainable} times.` } : null,
        scoredBy,
        tracking: { timelines: 1, tokens: 20, trainableTokens: trainable, problems: [] },
      };
      return { order, result };
    })
    .sort((a, b) => a.order - b.order)
    .map(({ result }) => result);
}

test('says of episodes that come one by one what it says of all of them at once', () => {
  fc.assert(
    fc.property(runs, (run) => {
      const { repeat } = run;
      const results = resultsOf(run);
      const tally = new ReportTally({ ...terms, repeat });
      const colliding = new Set<number>();
      for (const [index, { episode }] of results.entries()) {
        const group = groupOf(episode, repeat);
        const members = inOrder(results.slice(0, index + 1)).filter(
          (one) => groupOf(one.episode, repeat) === group,
        );
        tally.put(judgedGroup(group, members, repeat));
        for (const one of tally.colliding([group])) colliding.add(one);
      }
      const report = trainingReport(inOrder(results), { ...terms, repeat });
      expect(tally.counts()).toEqual({ trains: report.trains, doesNotTrain: report.doesNotTrain });
      expect(tally.findings()).toEqual(report.findings);
      const collision = report.findings.find(({ code }) => code === 'duplicate-task-id');
      expect([...colliding].sort((a, b) => a - b)).toEqual(
        [...(collision?.episodes ?? [])].sort((a, b) => a - b),
      );
    }),
    fuzz(81, 2_000),
  );
});

test('counts each kind of finding over all episodes, and names the first of them', () => {
  fc.assert(
    fc.property(runs, (run) => {
      const report = trainingReport(inOrder(resultsOf(run)), { ...terms, repeat: run.repeat });
      const found = report.episodes.flatMap(({ episode, findings }) =>
        findings.map((one) => ({ episode, ...one })),
      );
      const kinds = [...groupBy(found, ({ severity, code }) => `${severity} ${code}`).values()].map(
        (kind) => {
          const episodes = [...new Set(kind.map(({ episode }) => episode))];
          const messages = new Set(kind.map(({ message }) => message));
          const [first] = kind;
          const message = messages.size === 1 ? first?.message : `e.g. ${first?.message ?? ''}`;
          return { code: first?.code, severity: first?.severity, message, episodes, count: episodes.length };
        },
      );
      const untrained = new Set(found.filter(preventsTraining).map(({ code }) => code));
      const rank = (code = ''): number => (untrained.has(code) ? 0 : 1);
      kinds.sort((a, b) => rank(a.code) - rank(b.code) || b.count - a.count);
      const told = report.findings.filter(({ code }) => levelOf(code) !== 'run');
      expect(told).toMatchObject(kinds);
      expect(kinds).toHaveLength(told.length);
      for (const { code, groups } of told.filter((one) => levelOf(one.code) === 'group')) {
        const having = report.groups.filter(({ findings }) => findings.some((one) => one.code === code));
        expect(groups).toEqual(having.map(({ group }) => group));
      }
    }),
    fuzz(82, 2_000),
  );
});

test('names no more episodes than it is asked for, and counts all', () => {
  const results = Array.from({ length: 9 }, (_, episode): EpisodeResult => {
    const error = { code: 'x/y', message: 'It broke.' };
    const place = { episode, taskId: 'same', repeat: 0 };
    return { ...place, reward: null, isSuccess: false, llmCalls: 0, seconds: 1, error };
  });
  const tally = new ReportTally({ ...terms, repeat: 1 });
  for (const result of results.toReversed()) tally.put(judgedGroup(result.episode, [result], 1));
  expect(tally.findings(2)).toMatchObject([
    { code: 'episode-error', count: 9, episodes: [0, 1] },
    { code: 'duplicate-task-id', count: 9, episodes: [0, 1] },
    { code: 'approximate-tokenizer', count: 0, episodes: [] },
  ]);
});

function inOrder(results: readonly EpisodeResult[]): EpisodeResult[] {
  return results.toSorted((a, b) => a.episode - b.episode);
}
