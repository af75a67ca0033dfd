import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../../src/traces/core/runStatus.ts';
import {
  escapeMarkdown,
  groupAccessibleName,
  runAccessibleName,
  runDescription,
  runLabel,
  runTooltip,
  stateIcon,
} from '../../../../src/traces/editor/runs/runText.ts';
import { runTree } from '../../../../src/traces/editor/runs/runTree.ts';
import { run, summaryOf } from './runsFixtures.ts';

const trace = '/w/saved_experiments/math/math.ajtrace';
const { totals } = summaryOf(trace);

describe('what a row says', () => {
  it('is named after the experiment, or as its folder was renamed', () => {
    expect(runLabel(run(trace))).toBe('math');
    expect(runLabel(run('/w/saved_experiments/baseline/math.ajtrace'))).toBe('baseline');
  });

  it('is not named after a folder that somebody copied the trace to', () => {
    const copied = { ownFolder: false };
    expect(runLabel(run('/w/downloads/math.ajtrace', {}, copied))).toBe('math');
    expect(runLabel(run('/w/downloads/odd.ajtrace', { experiment: '' }, copied))).toBe('odd.ajtrace');
  });

  it('gives state, mean reward, success rate and episodes', () => {
    expect(runDescription(run(trace))).toBe('completed · reward 0.75 · 50 % success · 4 episodes');
    const failures = { ...totals, failed: 1, meanReward: 2 / 3, successRate: 1 };
    expect(runDescription(run(trace, { totals: failures }))).toBe(
      'completed, 1 failed · reward 0.667 · 100 % success · 4 episodes',
    );
  });

  it('tells how far a running one is', () => {
    const soFar = { ...totals, ended: 0, started: 1, meanReward: null, successRate: null };
    const going = (episodes: number, state: RunState = 'running') =>
      runDescription(run(trace, { state, episodes, totals: soFar }));
    expect(going(1)).toBe('running · 0 of 1 episode');
    expect(going(16)).toBe('running · 0 of 16 episodes');
    expect(going(16, 'killed')).toBe('stopped · 0 of 16 episodes');
  });

  it('says of an unreadable one nothing but that', () => {
    expect(runDescription(run(trace, { state: 'unreadable' }))).toBe('unreadable');
  });

  it('has the same for a screen reader', () => {
    expect(runAccessibleName(run(trace))).toBe('Run math, completed, reward 0.75, 50 % success, 4 episodes');
  });

  it('says of a group how many runs are in it, at any depth', () => {
    const runs = [run(trace, { config: '/w/a.yaml' }), run('/v/x/x.ajtrace'), run('/v/y/y.ajtrace')];
    const roots = ['/w', '/v'].map((name) => ({ name, path: name }));
    const names = runTree(runs, roots).map((node) => (node.kind === 'run' ? '' : groupAccessibleName(node)));
    expect(names).toEqual(['Folder /w, 1 run', 'Folder /v, 2 runs']);
  });

  it('spins while the run goes on, and only then', () => {
    const states: RunState[] = ['running', 'completed', 'cancelled', 'failed', 'killed', 'unreadable'];
    const icons = states.map((state) => stateIcon(run(trace, { state })).icon);
    expect(icons.filter((icon) => icon.endsWith('~spin'))).toHaveLength(1);
    expect(new Set(icons).size).toBe(states.length);
  });

  it('looks like a failure when all episodes of a completed run failed, and different when some did', () => {
    const iconOf = (failed: number) => stateIcon(run(trace, { totals: { ...totals, failed } }));
    const failed = stateIcon(run(trace, { state: 'failed' }));
    expect(iconOf(totals.ended)).toEqual(failed);
    expect(iconOf(1)).not.toEqual(failed);
    expect(iconOf(1)).not.toEqual(iconOf(0));
  });
});

describe('the tooltip', () => {
  it('has what the row has no room for', () => {
    const text = runTooltip(run(trace)).replaceAll('\\', '');
    for (const part of ['agent.yaml', 'Agent', 'built-in (seed 1)', '1,234, 56 of them', '2.0 kB', trace]) {
      expect(text).toContain(part);
    }
  });

  it('says when token counts are approximate, and only then', () => {
    const exact = { name: 'org/model', exact: true, file: '/t/tokenizer.json' };
    expect(runTooltip(run(trace))).toContain('approximate');
    expect(runTooltip(run(trace, { tokenizer: exact }))).not.toContain('approximate');
  });

  it('gives the error with its code, place and hint', () => {
    const error = {
      code: 'a/b',
      message: 'It broke.',
      hint: 'Mend it.',
      location: { file: '/w/x.yaml', line: 3 },
    };
    const text = runTooltip(run(trace, { state: 'failed', error })).replaceAll('\\', '');
    expect(text).toContain('/w/x.yaml:3: It broke. [a/b]');
    expect(text).toContain('Mend it.');
  });

  it('says of an unreadable trace how large it is and why', () => {
    const error = { code: 'trace/corrupt', message: 'Not a trace.' };
    const text = runTooltip(run(trace, { state: 'unreadable', size: 0, error })).replaceAll('\\', '');
    expect(text).toContain('1.0 kB');
    expect(text).toContain('Not a trace.');
    expect(text).not.toContain('Workflow');
  });

  it('lets no text of the run become markup', () => {
    const experiment = '[x](command:agentjet.deleteRun) <img src=x> | $(zap)\n# h';
    const text = runTooltip(run('/w/d/x.ajtrace', { experiment }, { ownFolder: false }));
    expect(text).not.toMatch(/(?<!\\)[[<]/);
    expect(text).not.toMatch(/^#/m);
  });
});

describe('escaping', () => {
  it('leaves no line break and no bare punctuation, and loses nothing else', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', ' ', 'é', '~', '!', '/', '[', '`', '{', '@', '\\', '|', '<', '\n', '\r'),
        }),
        (text) => {
          const escaped = escapeMarkdown(text);
          expect(escaped).not.toMatch(/[\r\n]/);
          expect(escaped.replaceAll(/\\([!-/:-@[-`{-~])/g, '')).not.toMatch(/[!-/:-@[-`{-~]/);
          expect(escaped.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')).toBe(text.replaceAll(/[\r\n]+/g, ' '));
        },
      ),
      { seed: 7 },
    );
  });
});
