import { describe, expect, it } from 'vitest';
import {
  changedFrom,
  jobDefaults,
  plainOf,
  strictTree,
  withPlain,
} from '../../../src/configs/core/jobTree.ts';
import { renderEffective } from '../../../src/configs/core/effective/render.ts';
import { composeText } from './memoryFiles.ts';

interface Tree {
  ajet: { rollout: Record<string, unknown>; trainer_common: { optim: { lr: number } } };
  [section: string]: unknown;
}

const treeOf = (backbone: string): Tree => plainOf(jobDefaults(backbone)) as unknown as Tree;

describe('the defaults of a job', () => {
  it.each([
    ['trinity', 'trinity_default', ['trinity']],
    ['verl', 'verl_default', ['actor_rollout_ref', 'algorithm', 'data', 'trainer']],
    ['debug', 'verl_default', ['actor_rollout_ref', 'algorithm', 'data', 'trainer']],
  ])('of %s are those of AgentJet and of %s', (backbone, file, sections) => {
    const tree = treeOf(backbone);
    expect(tree['defaults']).toEqual([file, 'ajet_default', '_self_']);
    expect(Object.keys(tree)).toEqual(expect.arrayContaining(['ajet', 'hydra', ...sections]));
  });

  it('are read back from their YAML as they were, floats as floats', async () => {
    const defaults = jobDefaults('trinity');
    const { text } = renderEffective(defaults, { format: 'yaml', origins: false });
    expect(text).toContain('lr: 1.0e-06');
    const { config, problems } = await composeText(text);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(config.plain()).toEqual(plainOf(defaults));
  });
});

describe('a changed tree', () => {
  it('keeps the kind of a number that was a float', () => {
    const defaults = jobDefaults('debug');
    const tree = treeOf('debug');
    tree.ajet.rollout['temperature'] = 1;
    tree.ajet.rollout['num_repeat'] = 2;
    const { text } = renderEffective(withPlain(defaults, tree), { format: 'yaml', origins: false });
    expect(text).toMatch(/ {4}temperature: 1\.0\n/);
    expect(text).toMatch(/ {4}num_repeat: 2\n/);
  });

  it('tells what differs, lists as a whole', () => {
    expect(changedFrom({ a: 1, b: { c: [1, 2], d: 3 } }, { a: 1, b: { c: [1], d: 3 }, e: null })).toEqual({
      b: { c: [1] },
      e: null,
    });
    expect(changedFrom({ a: { b: 1 } }, { a: { b: 1 } })).toBeUndefined();
  });
});

describe('a strict tree', () => {
  it('refuses a key that AgentJet does not know, and names the nearest', () => {
    const tree = strictTree(treeOf('debug'));
    expect(() => (tree.ajet.rollout['num_repeet'] = 3)).toThrow(
      expect.objectContaining({ code: 'job/unknown-key', hint: 'Did you mean ajet.rollout.num_repeat?' }),
    );
  });

  it('takes what is there, what newer releases have, and sections of the user’s own', () => {
    const tree = strictTree(treeOf('debug'));
    tree.ajet.rollout['num_repeat'] = 3;
    tree['frozen_lake'] = { frozen_lake_size: 4 };
    expect(tree.ajet.rollout['num_repeat']).toBe(3);
    expect(tree['frozen_lake']).toEqual({ frozen_lake_size: 4 });
    expect(JSON.parse(JSON.stringify(tree))).toMatchObject({ ajet: { rollout: { num_repeat: 3 } } });
  });
});
