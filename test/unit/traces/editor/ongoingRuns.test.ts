/** Which runs the status bar tells of, and until when. */
import { describe, expect, it } from 'vitest';
import { OngoingRuns } from '../../../../src/traces/editor/runs/ongoingRuns.ts';
import {
  ongoingAccessibleName,
  ongoingText,
  ongoingTooltip,
} from '../../../../src/traces/editor/runs/ongoingTexts.ts';

const a = { trace: '/w/a.ajtrace', folder: '/w', experiment: 'a', episodes: 8 };
const b = { ...a, trace: '/w/b.ajtrace', experiment: 'b', episodes: 2 };

function bench() {
  let now = 1_000;
  const runs = new OngoingRuns(() => now);
  let changes = 0;
  runs.onChanged(() => changes++);
  return { runs, changes: () => changes, wait: (milliseconds: number) => (now += milliseconds) };
}

describe('what the status bar says', () => {
  const run = {
    ...{ trace: '/w/a.ajtrace', name: 'math_agent', episodes: 16, ended: 3, failed: 1 },
    ...{ startedAt: 0, state: 'running' as const },
  };
  const failed = { ...run, state: 'failed' as const };

  it('is how far a run is, several together, and which failed', () => {
    expect(ongoingText([run], 41_900)).toBe('$(loading~spin) math_agent 3/16 · 0:41');
    expect(ongoingText([run, { ...run, startedAt: 5_000 }], 3_725_000)).toBe(
      '$(loading~spin) 2 runs 6/32 · 1:02:05',
    );
    expect(ongoingText([failed], 0)).toBe('$(error) math_agent failed');
    expect(ongoingText([failed, run, failed], 0)).toBe(
      '$(loading~spin) math_agent 3/16 · 0:00 $(error) 2 runs failed',
    );
  });

  it('counts the steps of a training', () => {
    const { runs } = bench();
    runs.trainingStarted({ folder: '/w/math', experiment: 'math', step: 2, totalSteps: 20 }, 'one');
    runs.progressed({ trace: '/w/math', ended: 3, failed: 0 });
    expect(ongoingText(runs.list(), 1_000)).toBe('$(loading~spin) math 3/20 · 0:00');
    expect(ongoingAccessibleName(runs.list())).toBe('AgentJet: math: step 3 of 20');
    runs.ended({ trace: '/w/math', status: 'completed' });
    expect(runs.list()).toEqual([]);
  });

  it('is told in words for a screen reader, and in a hover of which nothing is more than text', () => {
    expect(ongoingAccessibleName([run, failed])).toBe(
      'AgentJet: math_agent: 3 of 16 episodes, 1 failed; math_agent: 3 of 16 episodes, 1 failed, the run failed',
    );
    const hostile = { ...run, name: '$(trash) [x](command:evil)', failed: 0 };
    expect(ongoingText([hostile], 0)).toBe('$(loading~spin) $ (trash) [x](command:evil) 3/16 · 0:00');
    expect(ongoingTooltip([hostile])).toContain('\\[x\\]\\(command\\:evil\\)');
  });
});

describe('runs that go on', () => {
  it('are told with how far they are, each for itself', () => {
    const { runs, wait, changes } = bench();
    runs.started(a, 'a');
    wait(500);
    runs.started(b, 'b');
    runs.progressed({ trace: a.trace, ended: 3, failed: 1 });
    runs.progressed({ trace: '/w/unknown.ajtrace', ended: 1, failed: 0 });
    expect(runs.list()).toEqual([
      {
        ...{ trace: a.trace, name: 'a', episodes: 8, ended: 3, failed: 1 },
        ...{ startedAt: 1_000, state: 'running' },
      },
      {
        ...{ trace: b.trace, name: 'b', episodes: 2, ended: 0, failed: 0 },
        ...{ startedAt: 1_500, state: 'running' },
      },
    ]);
    expect(changes()).toBe(3);
  });

  it.each(['completed', 'cancelled'] as const)('are forgotten once they are %s', (status) => {
    const { runs } = bench();
    runs.started(a, 'a');
    runs.started(b, 'b');
    runs.ended({ ...a, status });
    expect(runs.list().map(({ name }) => name)).toEqual(['b']);
  });

  it('are forgotten with their debug session, also after a restart', () => {
    const { runs } = bench();
    runs.started(a, 'session');
    runs.started(b, 'session');
    expect(runs.list().map(({ name }) => name)).toEqual(['b']);
    runs.sessionEnded('another');
    runs.sessionEnded('session');
    expect(runs.list()).toEqual([]);
    runs.started(a, 'a');
    runs.ended({ ...a, status: 'failed' });
    runs.sessionEnded('a');
    expect(runs.list()).toMatchObject([{ state: 'failed' }]);
  });

  it('stay when all of their episodes failed', () => {
    const { runs } = bench();
    for (const run of [a, b]) runs.started(run, run.experiment);
    runs.progressed({ trace: a.trace, ended: 8, failed: 8 });
    runs.progressed({ trace: b.trace, ended: 2, failed: 1 });
    for (const run of [a, b]) runs.ended({ ...run, status: 'completed' });
    expect(runs.list()).toMatchObject([{ name: 'a', state: 'failed' }]);
    expect(ongoingAccessibleName(runs.list())).toBe('AgentJet: a: 8 of 8 episodes, 8 failed');
  });

  it.each(['failed', 'died'] as const)('stay when they have %s, until somebody looks', (status) => {
    const { runs } = bench();
    runs.started(a, 'a');
    runs.lookedAt(a.trace);
    expect(runs.list()).toHaveLength(1);
    runs.ended({ ...a, status });
    runs.progressed({ trace: a.trace, ended: 8, failed: 0 });
    expect(runs.list()).toMatchObject([{ state: 'failed', ended: 0 }]);
    runs.lookedAt(b.trace);
    expect(runs.list()).toHaveLength(1);
    runs.lookedAt(a.trace);
    expect(runs.list()).toEqual([]);
  });
});
