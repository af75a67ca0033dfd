import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import ajetData from '../../../src/configs/core/data/ajet-keys.json' with { type: 'json' };
import astunerData from '../../../src/configs/core/data/astuner-differences.json' with { type: 'json' };
import trinityData from '../../../src/configs/core/data/trinity-keys.json' with { type: 'json' };
import verlData from '../../../src/configs/core/data/verl-keys.json' with { type: 'json' };
import {
  ajetKeys,
  astunerKeys,
  childOf,
  KeyTable,
  trinityKeys,
  type KeyNode,
} from '../../../src/configs/core/key-tables/keyTable.ts';
import { readRows } from '../../../src/configs/core/key-tables/keyTableRow.ts';
import { KeyTree, rootOf } from '../../../src/configs/core/key-tables/keyTableTree.ts';
import type { Node } from '../../../src/configs/core/node.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';

const verlTree = new KeyTree(readRows(verlData.rows), { top: 'passed-on', sections: 'passed-on' });

const tables: readonly (readonly [string, KeyTable])[] = [
  ['ajet', ajetKeys()],
  ['astuner', astunerKeys()],
  ['trinity', trinityKeys()],
  ['verl', new KeyTable(rootOf(verlTree))],
];

const infoAt = (table: KeyTable, at: string): KeyNode['info'] => table.get(at)?.info;

describe('the data of the tables', () => {
  it('is well formed', () => {
    for (const data of [ajetData.rows, trinityData.rows, verlData.rows, astunerData.add]) {
      expect(readRows(data).length).toBeGreaterThan(5);
    }
    const changed = Object.entries(astunerData.change).map(([at, change]) => ({ path: at, ...change }));
    expect(readRows(changed)).toHaveLength(changed.length);
  });

  it.each(tables)('of %s tells a type for every key it lists, and a default of that type', (_, table) => {
    const wrong: string[] = [];
    for (const { path: at, info } of table.keys) {
      if (info === undefined) continue;
      if (info.types.length === 0) wrong.push(`${at} has no type`);
      if (info.hasDefault && !fits(info.default, info.types))
        wrong.push(`${at} = ${JSON.stringify(info.default)}`);
      const closed = info.allowed !== undefined && !info.allowsOthers;
      const isAllowed = typeof info.default !== 'string' || info.allowed?.includes(info.default) === true;
      if (closed && info.hasDefault && !isAllowed) wrong.push(`${at} does not allow ${info.default}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each(tables)('of %s names only keys that are there', (_, table) => {
    for (const { info, path: at } of table.keys) {
      if (info?.renamedTo !== undefined) expect(table.get(info.renamedTo), at).toBeDefined();
      if (info?.successor !== undefined) expect(ajetKeys().get(info.successor), at).toBeDefined();
    }
  });
});

describe('the table of Trinity-RFT', () => {
  const table = trinityKeys();

  it('has keys of list items, of sections with free names, and of shared sections', () => {
    const paths = [
      ['buffer', 'explorer_input', 'eval_tasksets', 2, 'rollout_args', 'temperature'],
      ['buffer', 'trainer_input', 'auxiliary_buffers', 'sft_dataset', 'format', 'prompt_type'],
      ['explorer', 'auxiliary_models', 0, 'tensor_parallel_size'],
      ['stages', 1, 'algorithm', 'optimizer', 'lr'],
      ['trainer', 'trainer_config', 'actor', 'fsdp_config', 'wrap_policy'],
    ];
    expect(paths.map((one) => table.find(one)?.path)).toEqual([
      'buffer.explorer_input.eval_tasksets[].rollout_args.temperature',
      'buffer.trainer_input.auxiliary_buffers{}.format.prompt_type',
      'explorer.auxiliary_models[].tensor_parallel_size',
      'stages[].algorithm.optimizer.lr',
      'trainer.trainer_config.actor.fsdp_config.wrap_policy',
    ]);
  });

  it('lets what is told of one place differ from what it shares', () => {
    expect(infoAt(table, 'stages[].mode')).toMatchObject({
      default: null,
      description: 'Mode for the stage.',
    });
    expect(infoAt(table, 'stages[].mode')?.allowed).toEqual(infoAt(table, 'mode')?.allowed);
  });

  it('is closed but for its free maps', () => {
    expect(table.root.unlisted).toBe('closed');
    expect(table.get('buffer.explorer_input')?.unlisted).toBe('closed');
    expect(table.get('algorithm.policy_loss_fn_args')?.unlisted).toBe('open');
    expect(table.get('buffer.trainer_input.auxiliary_buffers')?.unlisted).toBe('open');
    expect(table.get('trainer.trainer_config')?.unlisted).toBe('open');
    expect(childOf(table.get('algorithm'), 'no_such_key')).toBeUndefined();
  });

  it('tells the state of keys', () => {
    expect(infoAt(table, 'algorithm.optimizer.lr_decay_style')?.removed).toBe('0.4.1');
    expect(infoAt(table, 'algorithm.optimizer.warmup_style')).toMatchObject({
      deprecated: true,
      renamedTo: 'algorithm.optimizer.lr_scheduler_type',
    });
    expect(infoAt(table, 'buffer.explorer_input.tasksets[].task_selector')?.renamedTo).toBe(
      'buffer.explorer_input.tasksets[].data_selector',
    );
    expect(infoAt(table, 'cluster.total_gpu_num')?.doNotSet).toBe('computed');
    expect(infoAt(table, 'algorithm.advantage_fn')?.valueNotes?.['ppo']).toBe('gamma 1.0; lam 1.0');
    expect(infoAt(table, 'synchronizer.sync_style')?.caseInsensitive).toBe(true);
  });

  it('requires what a run cannot do without', () => {
    const required = [...table.keys].filter(
      (key) => key.info?.required === true && !key.path.startsWith('stages[].'),
    );
    expect(required.map((key) => key.path)).toEqual([
      'checkpoint_root_dir',
      'model.model_path',
      'buffer.explorer_input.tasksets[].path',
      'buffer.explorer_input.eval_tasksets[].path',
      'explorer.auxiliary_models[].model_path',
    ]);
  });
});

describe('what stands beside `ajet`', () => {
  const table = ajetKeys();

  it('is Trinity with paths and conditions of its place, and nothing required', () => {
    expect(table.find(['trinity', 'buffer', 'explorer_input', 'taskset', 'split'])?.path).toBe(
      'trinity.buffer.explorer_input.taskset.split',
    );
    const taskset = infoAt(table, 'trinity.buffer.explorer_input.tasksets[].path');
    expect(taskset).toMatchObject({ required: false, condition: [{ path: 'trinity.mode' }] });
    expect(infoAt(table, 'trinity')?.condition).toEqual([{ path: 'ajet.backbone', values: ['trinity'] }]);
    expect(infoAt(table, 'trinity.algorithm.optimizer.warmup_style')?.renamedTo).toBe(
      'trinity.algorithm.optimizer.lr_scheduler_type',
    );
  });

  it('is verl, some sections of it strict', () => {
    expect(infoAt(table, 'actor_rollout_ref.actor.clip_ratio_c')).toMatchObject({
      default: 3,
      types: ['number'],
    });
    const strict = (at: string): unknown => [table.get(at)?.unlisted, table.get(at)?.strict];
    expect(strict('actor_rollout_ref.actor')).toEqual(['passed-on', true]);
    expect(strict('actor_rollout_ref.rollout')).toEqual(['passed-on', false]);
    expect(strict('ajet.rollout')).toEqual(['closed', false]);
    expect(infoAt(table, 'trainer.resume_mode')?.allowed).toEqual(['auto', 'disable', 'resume_path']);
  });

  it('is left out of the keys that are gone through', () => {
    const paths = [...table.keys].map((key) => key.path);
    expect(paths).toContain('trinity');
    expect(paths).toContain('actor_rollout_ref');
    expect(paths.filter((at) => /^(?:trinity|actor_rollout_ref)\./.test(at))).toEqual([]);
  });
});

describe('newer keys of AgentJet', () => {
  it('are known in both spellings', () => {
    const table = ajetKeys();
    expect(infoAt(table, 'ajet.enable_interchange_server')?.since).toBe('February 2026');
    expect(infoAt(table, 'ajet.enable_experimental_interchange_server')?.renamedTo).toBe(
      'ajet.enable_interchange_server',
    );
    expect(infoAt(table, 'ajet.trainer_common.optim.weight_decay')?.since).toBe('May 2026');
    expect(table.get('ajet.trainer_verl')?.unlisted).toBe('open');
    expect(
      infoAt(ajetKeys({ ajet: { program: 'ajet', name: 'May 2026', assumed: false } }), 'ajet.backbone')
        ?.default,
    ).toBe('verl');
  });
});

describe('the table of ASTuner', () => {
  const table = astunerKeys();

  it('is that of AgentJet under its own name, with its differences', () => {
    expect(infoAt(table, 'astuner.rollout.num_repeat')?.default).toBe(4);
    expect(infoAt(table, 'astuner.rollout.agentscope_workflow')?.successor).toBe(
      'ajet.rollout.user_workflow',
    );
    expect(infoAt(table, 'astuner.backbone')?.default).toBe('trinity');
    expect(infoAt(table, 'astuner.task_reader.type')?.allowed).toContain('dataset_file');
    expect(infoAt(table, 'defaults')?.default).toContain('astune_default');
    expect(infoAt(table, 'astuner.data')?.condition).toBeUndefined();
    expect(table.get('ajet')).toBeUndefined();
    expect(table.get('astuner.enable_swarm_mode')).toBeUndefined();
    expect(infoAt(table, 'astuner.debug')?.appliesWhen).toBe('astuner.backbone == debug');
  });
});

function fits(value: unknown, types: readonly string[]): boolean {
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value !== 'number') return types.includes(typeof value);
  return types.includes('number') || (Number.isInteger(value) && types.includes('integer'));
}

/** Trinity's own configs, where they have been put beside the project. */
const folder = path.resolve(import.meta.dirname, '../../../../shared/data/configs/trinity');
const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.includes('dj_scoring')) : [];

describe("Trinity's own configs", () => {
  it('have no key that a closed section of the table does not know', () => {
    const unknown = names.flatMap((name) => {
      const { root } = parseConfig(readFileSync(path.join(folder, name), 'utf8'));
      return root === undefined
        ? []
        : [...unknownIn(root, trinityKeys().root)].map((key) => `${name}: ${key}`);
    });
    expect(unknown).toEqual([]);
  });
});

function* unknownIn(node: Node, key: KeyNode): Generator<string> {
  if (node.kind === 'mapping') {
    for (const entry of node.entries) {
      const child = childOf(key, entry.key);
      if (child !== undefined) yield* unknownIn(entry.value, child);
      else if (key.unlisted === 'closed') yield `${key.path}.${entry.key}`;
    }
  }
  if (node.kind === 'sequence' && key.item?.key !== undefined) {
    for (const item of node.items) yield* unknownIn(item, key.item.key);
  }
}
