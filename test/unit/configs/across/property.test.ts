import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzz } from '../../fuzz.ts';
import { acrossFindings, contextOf, yamlOf, type Values } from './acrossConfigs.ts';
import { crossKeyRules } from '../../../../src/configs/core/check.ts';

/** Rules that say no more than what a value means, which no choice of values avoids. */
const remarks = new Set(['missing-environment-variable', 'max-steps-exceed-context', 'not-applied']);

const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

/** An AgentJet config whose numbers fit one another by how they are made. */
const fittingAjet: fc.Arbitrary<Values> = fc
  .record({
    prompt: between(64, 8000),
    reply: between(64, 4000),
    turns: between(1, 6),
    spare: between(0, 500),
    nodes: between(1, 4),
    perNode: fc.constantFrom(2, 4, 8),
    batches: between(1, 8),
    repeat: between(4, 8),
    backbone: fc.constantFrom('verl', 'trinity'),
    oversample: fc.boolean(),
  })
  .map((made) => {
    const total = made.nodes * made.perNode;
    // Whole nodes for the engines, so that whole nodes are left; half of a single node.
    const engines = made.nodes > 1 ? made.perNode : made.perNode / 2;
    const response = made.reply * made.turns;
    return {
      'ajet.backbone': made.backbone,
      'ajet.data.max_prompt_length': made.prompt,
      'ajet.data.max_response_length': response,
      'ajet.rollout.max_response_length_in_one_turn': made.reply,
      'ajet.rollout.max_model_len': made.prompt + response + made.spare,
      'ajet.rollout.multi_turn.max_steps': made.turns,
      'ajet.trainer_common.nnodes': made.nodes,
      'ajet.trainer_common.n_gpus_per_node': made.perNode,
      'ajet.data.train_batch_size': total * (total - engines) * made.batches,
      'ajet.rollout.num_repeat': made.repeat,
      'ajet.rollout.n_vllm_engine': engines,
      'ajet.rollout.enable_oversample': made.oversample,
    };
  });

const fittingTrinity: fc.Arbitrary<Values> = fc
  .record({
    prompt: between(1, 8000),
    response: between(1, 8000),
    spare: between(0, 500),
    nodes: between(1, 4),
    perNode: fc.constantFrom(2, 4, 8),
    parallel: fc.constantFrom(1, 2),
    repeat: between(2, 16),
    batches: between(1, 8),
    sync: between(1, 9),
    evals: between(1, 9),
    algorithm: fc.constantFrom('grpo', 'ppo', 'multi_step_grpo', 'rloo', 'opmd', 'gspo'),
  })
  .map((made) => {
    const total = made.nodes * made.perNode;
    const forEngines = made.nodes > 1 ? made.perNode : made.perNode / 2;
    const parallel = Math.min(made.parallel, forEngines);
    return {
      mode: 'both',
      project: 'p',
      name: 'n',
      checkpoint_root_dir: '/checkpoints',
      'algorithm.algorithm_type': made.algorithm,
      'algorithm.repeat_times': made.repeat,
      'model.model_path': '/models/one',
      'model.max_model_len': made.prompt + made.response + made.spare,
      'model.max_prompt_tokens': made.prompt,
      'model.max_response_tokens': made.response,
      'cluster.node_num': made.nodes,
      'cluster.gpu_per_node': made.perNode,
      'buffer.batch_size': (total - forEngines) * made.batches,
      'buffer.explorer_input.taskset.path': '/data/tasks',
      'explorer.eval_interval': made.sync * made.evals,
      'explorer.rollout_model.engine_num': forEngines / parallel,
      'explorer.rollout_model.tensor_parallel_size': parallel,
      'synchronizer.sync_interval': made.sync,
    };
  });

async function rulesTold(values: Values): Promise<string[]> {
  const found = await acrossFindings(yamlOf(values));
  return found.map(({ rule }) => rule).filter((rule) => !remarks.has(rule));
}

describe('rules across keys', () => {
  it('have nothing against AgentJet configs made to fit', async () => {
    const property = fc.asyncProperty(fittingAjet, async (values) => {
      expect(await rulesTold(values)).toEqual([]);
    });
    await fc.assert(property, fuzz(61, 1000));
  });

  it('have nothing against Trinity configs made to fit', async () => {
    const property = fc.asyncProperty(fittingTrinity, async (values) => {
      expect(await rulesTold(values)).toEqual([]);
    });
    await fc.assert(property, fuzz(62, 1000));
  });

  it('conclude nothing from any one value that is not known, and never throw', async () => {
    const spoilt = fc.constantFrom<unknown>(
      '${oc.env:NOBODY_SETS_THIS}',
      null,
      'text',
      -1,
      0,
      1.5,
      true,
      [],
      [null],
      {},
      { a: [] },
      1e308,
    );
    const values = fc.oneof(fittingAjet, fittingTrinity);
    const property = fc.asyncProperty(values, spoilt, fc.nat(), async (made, value, at) => {
      const keys = Object.keys(made).filter((key) => key.includes('.'));
      const key = keys[at % keys.length] ?? '';
      const context = await contextOf(yamlOf({ ...made, [key]: value }));
      const found = crossKeyRules.flatMap((rule) => rule(context));
      for (const { range, message } of found) {
        expect(range.end.offset).toBeLessThanOrEqual(context.document.text.length);
        expect(message).not.toMatch(/undefined|NaN|\[object/);
        if (typeof value === 'string' && value.startsWith('$'))
          expect(message).not.toContain(`\`${key.split('.').at(-1) ?? ''}\` $`);
      }
      // Fixes are made when they are asked for.
      expect(found.flatMap(({ fixes }) => fixes).every(({ edits }) => edits.length > 0)).toBe(true);
    });
    await fc.assert(property, fuzz(63, 2000));
  });
});
