import { describe, expect, it } from 'vitest';
import { surelyHolds } from '../../../src/configs/core/key-tables/condition.ts';
import { ajetKeys, KeyTable } from '../../../src/configs/core/key-tables/keyTable.ts';
import { readRows } from '../../../src/configs/core/key-tables/keyTableRow.ts';
import { KeyTree, rootOf } from '../../../src/configs/core/key-tables/keyTableTree.ts';

const readKeyTable = (rows: unknown): KeyTable =>
  new KeyTable(rootOf(new KeyTree(readRows(rows), { top: 'open', sections: 'closed' })));

describe('the key table', () => {
  it('finds keys by path, those of list items too', () => {
    const table = ajetKeys();
    expect(table.get('ajet.rollout.num_repeat')?.info).toMatchObject({
      types: ['integer'],
      default: 4,
      min: 1,
    });
    const type = table.find(['ajet', 'task_reader', 'feedback_tracing', 'filters', 3, 'type']);
    expect(type?.info?.allowed).toEqual(['llm_evaluate', 'deduplication']);
    expect(table.find(['ajet', 'nothing'])).toBeUndefined();
  });

  it('implies sections that are not listed', () => {
    const section = ajetKeys().get('ajet.task_reader.data_generation.query_reader.env_service');
    expect(section?.info).toBeUndefined();
    expect([...(section?.children.keys() ?? [])]).toContain('env_url');
  });

  it('tells what an unlisted key means', () => {
    const unlisted = (path: string): string | undefined => ajetKeys().get(path)?.unlisted;
    expect(unlisted('ajet.rollout')).toBe('closed');
    expect(unlisted('ajet.trainer_common.optim')).toBe('passed-on');
    expect(unlisted('ajet.task_reader.data_generation.sampling_params')).toBe('passed-on');
    expect(unlisted('ajet.judge')).toBe('open');
    expect(unlisted('actor_rollout_ref')).toBe('passed-on');
    expect(unlisted('frozen_lake')).toBe('open');
  });

  it('knows what a key becomes', () => {
    const info = ajetKeys().get('ajet.model.path')?.info;
    expect(info?.becomes).toEqual({ verl: ['actor_rollout_ref.model.path'], trinity: ['model.model_path'] });
  });

  it('resolves the keys that conditions name', () => {
    const table = ajetKeys();
    for (const { info } of table.keys) {
      for (const { path } of info?.condition ?? []) {
        if (path === undefined) continue;
        expect(table.get(path) ?? path.startsWith('actor_rollout_ref.'), path).toBeTruthy();
      }
    }
  });

  it('holds a condition only when every clause surely does', () => {
    const condition =
      ajetKeys().get('ajet.task_reader.feedback_tracing.filters[].params.db_path')?.info?.condition ?? [];
    const values: Record<string, string> = {
      'ajet.task_reader.type': 'tracing',
      'ajet.task_reader.feedback_tracing.filters[].type': 'deduplication',
    };
    expect(surelyHolds(condition, (path) => values[path])).toBe(true);
    expect(
      surelyHolds(condition, (path) => (path.endsWith('filters[].type') ? undefined : values[path])),
    ).toBe(false);
    expect(surelyHolds(ajetKeys().get('ajet.judge')?.info?.condition ?? [], () => 'x')).toBe(false);
  });

  it('refuses malformed data', () => {
    const row = { path: 'a', type: 'string', description: '', source: '' };
    expect(readKeyTable([row]).get('a')?.info?.types).toEqual(['string']);
    expect(() => readKeyTable([{ ...row, type: 'text' }])).toThrow();
    expect(() => readKeyTable([{ ...row, unknown: 1 }])).toThrow();
    expect(() => readKeyTable([row, row])).toThrow(/twice/);
    expect(() => readKeyTable([{ path: 'a', ref: 'b' }]).get('a')).toThrow(/no b/);
  });
});
