import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bundledDefault,
  bundledDefaults,
  bundledNames,
} from '../../../src/configs/core/compose/bundledDefaults.ts';
import { dialects, type DialectId } from '../../../src/configs/core/dialect.ts';
import { ajetKeys, astunerKeys } from '../../../src/configs/core/key-tables/keyTable.ts';
import type { Node } from '../../../src/configs/core/node.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { toPlain, type Plain } from '../../../src/configs/core/value.ts';

const plain = (name: string, table = ajetKeys()): Plain => toPlain(bundledDefault(name, table));
const defaultsOf = (id: DialectId): Plain => {
  const dialect = dialects.find((one) => one.id === id);
  return dialect === undefined ? null : toPlain(bundledDefaults(dialect));
};

describe('bundled defaults', () => {
  it('stand in for every file that upstream ships', () => {
    expect([...bundledNames].sort()).toEqual([
      'ajet_default',
      'astune_default',
      'trinity_default',
      'verl_default',
    ]);
    for (const name of bundledNames) {
      const table = name === 'astune_default' ? astunerKeys() : ajetKeys();
      expect(Object.keys(plain(name, table) as object).length, name).toBeGreaterThan(0);
    }
    expect(plain('something_else')).toEqual({});
  });

  it('of AgentJet leave out what is newer than the file, and examples', () => {
    const { ajet } = plain('ajet_default') as { ajet: Record<string, Plain> };
    expect(ajet).toMatchObject({ rollout: { num_repeat: 4 }, enable_experimental_interchange_server: false });
    expect(ajet).not.toHaveProperty('enable_interchange_server');
    expect(ajet).not.toHaveProperty('judge');
  });

  it('of the predecessor have its own values', () => {
    expect(plain('astune_default', astunerKeys())).toMatchObject({
      astuner: { backbone: 'trinity', rollout: { max_env_worker: 128, num_repeat: 4 } },
    });
  });

  it('of verl are its sections, with numbers as they are meant', () => {
    const verl = plain('verl_default');
    expect(verl).toMatchObject({
      actor_rollout_ref: {
        actor: { optim: { lr: 1e-6 }, checkpoint: { load_contents: ['model', 'optimizer', 'extra'] } },
      },
      trainer: { total_epochs: 99999 },
    });
    expect(verl).not.toHaveProperty('data.train_files');
    const { entries } = bundledDefault('verl_default', ajetKeys());
    expect([...entries.keys()]).not.toContain('trinity');
  });

  it('of Trinity within AgentJet are fixed', () => {
    expect(plain('trinity_default')).toMatchObject({
      trinity: {
        buffer: { explorer_input: { taskset: { storage_type: 'ajet' } } },
        synchronizer: { sync_interval: 1 },
      },
    });
  });

  it('of Trinity itself are those of its classes', () => {
    const trinity = defaultsOf('trinity');
    expect(trinity).toMatchObject({
      mode: 'both',
      algorithm: { algorithm_type: 'ppo', policy_loss_fn_args: null },
      explorer: { rollout_model: { engine_num: 1 }, auxiliary_models: [] },
      trainer: { trainer_config: {} },
    });
    expect(trinity).not.toHaveProperty('buffer.pad_token_id');
    expect(trinity).not.toHaveProperty('stages.algorithm');
    expect(defaultsOf('ajet')).toEqual(plain('ajet_default'));
  });

  it('tell where in the table they are from', () => {
    const trainer = bundledDefault('verl_default', ajetKeys()).entries.get('trainer');
    expect(trainer?.kind === 'mapping' && trainer.entries.get('nnodes')?.origin).toEqual({
      kind: 'bundled',
      key: 'trainer.nnodes',
    });
  });
});

/** Configs of AgentJet itself, where they have been put beside the project. */
const folder = path.resolve(import.meta.dirname, '../../../../shared/data/configs/agentjet');
const names = existsSync(folder) ? readdirSync(folder) : [];

describe("AgentJet's own defaults files", () => {
  it.each(['verl_default', 'trinity_default'])('%s has what stands in for it', (name) => {
    for (const file of names.filter((one) => one.endsWith(`_${name}.yaml`))) {
      const { root } = parseConfig(readFileSync(path.join(folder, file), 'utf8'));
      // What this file has of AgentJet's own keys comes after it again, in `ajet_default`.
      const upstream = new Map(leavesOf(root).filter(([at]) => !at.startsWith('ajet.')));
      const ours = new Map(leavesOfPlain(plain(name)));
      const differing = [...upstream].filter(
        ([at, value]) => JSON.stringify(ours.get(at)) !== JSON.stringify(value),
      );
      expect(differing.filter(([, value]) => !isHostPath(value))).toEqual([]);
      expect([...ours.keys()].filter((at) => !upstream.has(at))).toEqual([]);
    }
  });
});

function isHostPath(value: unknown): boolean {
  return typeof value === 'string' ? value.includes('/') : Array.isArray(value) && value.every(isHostPath);
}

function leavesOf(node: Node | undefined, at = ''): [string, unknown][] {
  if (node?.kind !== 'mapping' || node.entries.length === 0) return [[at, node && plainOf(node)]];
  return node.entries.flatMap(({ key, value }) => leavesOf(value, at === '' ? key : `${at}.${key}`));
}

function plainOf(node: Node): unknown {
  if (node.kind === 'sequence') return node.items.map(plainOf);
  return node.kind === 'scalar' ? node.value : {};
}

function leavesOfPlain(value: Plain, at = ''): [string, Plain][] {
  const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isSection || Object.keys(value).length === 0) return [[at, value]];
  return Object.entries(value).flatMap(([key, child]) =>
    leavesOfPlain(child, at === '' ? key : `${at}.${key}`),
  );
}
