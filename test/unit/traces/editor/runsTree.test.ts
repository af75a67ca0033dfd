import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  contains,
  rootOf,
  runTree,
  type Root,
  type TreeNode,
} from '../../../../src/traces/editor/runs/runTree.ts';
import { possibleTraining } from '../../../../src/traces/editor/runs/runFiles.ts';
import { runLabel, trainingDescription } from '../../../../src/traces/editor/runs/runText.ts';
import { run } from './runsFixtures.ts';

const at = (...parts: string[]): string => path.resolve('/w', ...parts);
const root = (name: string): Root => ({ name, path: at(name) });
const trace = (folder: string, name: string): string =>
  at(folder, 'saved_experiments', name, `${name}.ajtrace`);

/** Labels of groups, and experiments, indented by level. */
function drawn(nodes: readonly TreeNode[], indent = ''): string[] {
  return nodes.flatMap((node) =>
    node.kind === 'run'
      ? [`${indent}${node.run.summary.experiment}`]
      : [`${indent}${node.label}`, ...drawn(node.children, `${indent}  `)],
  );
}

describe('the tree of runs', () => {
  it('is flat for one folder and one config', () => {
    const runs = [run(trace('a', 'second')), run(trace('a', 'first'))];
    expect(drawn(runTree(runs, [root('a')]))).toEqual(['second', 'first']);
  });

  it('has one entry for a training, with its steps and validations below', () => {
    const training = at('a', 'saved_experiments', 'math');
    const step = (name: string, meanReward: number | null = null) => {
      const made = run(path.join(training, 'steps', `${name}.ajtrace`), { experiment: 'math' }, { training });
      return { ...made, summary: { ...made.summary, totals: { ...made.summary.totals, meanReward } } };
    };
    const steps = [step('validation-0002', 0.9), step('step-0002', 0.5), step('step-0001', 0.25)];
    const tree = runTree([...steps.slice(0, 2), run(trace('a', 'other')), ...steps.slice(2)], [root('a')]);
    expect(drawn(tree)).toEqual(['math', '  math', '  math', '  math', 'other']);
    const [node] = tree;
    if (node === undefined || node.kind === 'run') throw new Error('The training has no entry.');
    expect(node).toMatchObject({ kind: 'training', path: training });
    expect(trainingDescription(node)).toBe('Step 2 · reward 0.5');
    const labels = node.children.map((child) => child.kind === 'run' && runLabel(child.run));
    expect(labels).toEqual(['Validation after step 2', 'Step 2', 'Step 1']);
    expect(possibleTraining(steps[0]?.file.trace ?? '')).toBe(training);
    expect(possibleTraining(path.join(training, 'steps', 'abandoned', 'step-0003-1.ajtrace'))).toBe(training);
    expect(possibleTraining(trace('a', 'other'))).toBeUndefined();
  });

  it('groups by config where there are several, the one with the newest run first', () => {
    const runs = [
      run(trace('a', 'n3'), { config: at('a', 'deep', 'new.yaml') }),
      run(trace('a', 'o2'), { config: at('a', 'old.yaml') }),
      run(trace('a', 'n1'), { config: at('a', 'deep', 'new.yaml') }),
    ];
    const tree = runTree(runs, [root('a')]);
    expect(drawn(tree)).toEqual(['new.yaml', '  n3', '  n1', 'old.yaml', '  o2']);
    expect(tree[0]).toMatchObject({ kind: 'config', description: 'deep' });
    expect(tree[1]).toMatchObject({ kind: 'config', description: '' });
  });

  it('keeps what it cannot read apart from configs, and makes no group for that alone', () => {
    const broken = run(trace('a', 'broken'), { config: '', state: 'unreadable' });
    const one = run(trace('a', 'one'), { config: at('one.yaml') });
    const two = run(trace('a', 'two'), { config: at('two.yaml') });
    expect(drawn(runTree([broken, one], [root('a')]))).toEqual(['broken', 'one']);
    expect(drawn(runTree([broken, one, two], [root('a')]))).toEqual([
      'one.yaml',
      '  one',
      'two.yaml',
      '  two',
      'broken',
    ]);
  });

  it('groups by workspace folder where several have runs, with those outside by themselves', () => {
    const runs = [run(trace('b', 'b1')), run(trace('a', 'a1')), run(trace('elsewhere', 'e1'))];
    const tree = runTree(runs, [root('a'), root('b')]);
    expect(drawn(tree)).toEqual(['b', '  b1', 'a', '  a1', 'Outside the workspace', '  e1']);
    const children = tree.flatMap((node) => (node.kind === 'run' ? [] : node.children));
    expect(children.map((node) => node.kind === 'run' && node.inWorkspace)).toEqual([true, true, false]);
  });

  it('leaves a level out that would have one entry', () => {
    const runs = [run(trace('b', 'b2')), run(trace('b', 'b1'))];
    expect(drawn(runTree(runs, [root('a'), root('b')]))).toEqual(['b2', 'b1']);
    expect(drawn(runTree([run(trace('x', 'x1')), run(trace('a', 'a1'))], [root('a')]))).toEqual(['x1', 'a1']);
  });

  it('gives every node an id of its own, also where folders share a config', () => {
    const configs = [at('one.yaml'), at('two.yaml')];
    const runs = ['a', 'b'].flatMap((folder) =>
      configs.map((config, index) => run(trace(folder, `r${index}`), { config })),
    );
    const ids: string[] = [];
    const collect = (nodes: readonly TreeNode[]): void => {
      for (const node of nodes) {
        ids.push(node.id);
        if (node.kind !== 'run') collect(node.children);
      }
    };
    collect(runTree(runs, [root('a'), root('b')]));
    expect(ids).toHaveLength(2 + 4 + 4);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('where a file lies', () => {
  it('is the innermost of the folders that contain it', () => {
    const outer = root('a');
    const inner = { name: 'inner', path: at('a', 'inner') };
    expect(rootOf(at('a', 'inner', 'x'), [outer, inner])).toBe(inner);
    expect(rootOf(at('a', 'inner2', 'x'), [inner, outer])).toBe(outer);
    expect(rootOf(at('b', 'x'), [outer, inner])).toBeUndefined();
  });

  it('is not decided by a common beginning of names', () => {
    expect(contains(at('a'), at('ab', 'x'))).toBe(false);
    expect(contains(at('a'), at('a', '..x'))).toBe(true);
    expect(contains(at('a'), at('a'))).toBe(true);
    expect(contains(at('a', 'x'), at('a'))).toBe(false);
  });
});
