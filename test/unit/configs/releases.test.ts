import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { convert } from '../../../src/configs/core/convert/convert.ts';
import { findInstalled } from '../../../src/configs/core/installed.ts';
import { ajetKeys, trinityKeys } from '../../../src/configs/core/key-tables/keyTable.ts';
import { releaseNames, releaseOf, type KnownRelease } from '../../../src/configs/core/key-tables/releases.ts';
import { toPlain, valueAt } from '../../../src/configs/core/value.ts';
import { lines, told } from './checking.ts';
import { composeText, memoryFiles, posix } from './memoryFiles.ts';

const site = '/project/.venv/lib/python3.12/site-packages';
const trinityIn = (version: string): Record<string, string> => ({
  [`${site}/trinity/common/config.py`]: 'class Config: pass',
  [`${site}/trinity_rft-${version}.dist-info/METADATA`]: '',
});
const trinity = (name: string): KnownRelease => ({ program: 'trinity', name, assumed: false });
const ajet = (name: string): KnownRelease => ({ program: 'ajet', name, assumed: false });
const defaults = '/project/ajet/default_config';

function installedIn(files: Readonly<Record<string, string>>): ReturnType<typeof findInstalled> {
  return findInstalled({
    file: '/project/conf/exp.yaml',
    cwd: '/project',
    files: memoryFiles(files),
    paths: posix,
  });
}

describe('the installed release', () => {
  it('is that of the project environment', async () => {
    const { releases, found } = await installedIn(trinityIn('0.5.1'));
    expect(releases.trinity).toEqual(trinity('0.5.1'));
    expect(found.trinity).toBe(`${site}/trinity`);
    expect(releases.ajet).toBeUndefined();
  });

  it('is that of a clone, which Python imports first', async () => {
    const clone = {
      '/project/trinity/__init__.py': '__version__ = "0.4.1"',
      '/project/trinity/common/config.py': '',
    };
    expect((await installedIn({ ...trinityIn('0.6.0'), ...clone })).releases.trinity?.name).toBe('0.4.1');
    const main = { ...clone, '/project/trinity/common/config.py': 'shared_run: bool = False' };
    expect((await installedIn(main)).releases.trinity?.name).toBe('main');
  });

  it('of AgentJet follows from the keys of its defaults', async () => {
    const release = async (text: string, schema = ''): Promise<string | undefined> => {
      const files = {
        [`${defaults}/ajet_default.yaml`]: text,
        [`${defaults}/ajet_config_schema.py`]: schema,
      };
      return (await installedIn(files)).releases.ajet?.name;
    };
    expect(await release('ajet: {}')).toBe('January 2026');
    expect(await release('ajet: {enable_interchange_server: false}')).toBe('February 2026');
    expect(await release('ajet: {lora: {lora_rank: 0}}')).toBe('May 2026');
    expect(await release('ajet: {lora: {lora_rank: 0}}', 'teacher_model: Teacher')).toBe('August 2026');
  });

  it('is the usual one of Trinity where nothing is installed, and the chosen one where one is chosen', async () => {
    expect((await installedIn({})).releases).toEqual({
      ajet: undefined,
      trinity: { program: 'trinity', name: '0.6.0', assumed: true },
    });
    const { releases } = await findInstalled({
      file: '/project/exp.yaml',
      cwd: '/project',
      files: memoryFiles(trinityIn('0.5.1')),
      paths: posix,
      chosen: { trinity: 'main', ajet: 'auto' },
    });
    expect(releases).toEqual({ ajet: undefined, trinity: trinity('main') });
  });

  it('is that of a GPU host where nothing is installed or chosen', async () => {
    const host = { name: 'box', releases: { ajet: 'May 2026', trinity: '0.5.0' } };
    const request = { file: '/project/exp.yaml', cwd: '/project', paths: posix, host };
    const none = await findInstalled({ ...request, files: memoryFiles({}) });
    expect(none).toMatchObject({
      releases: { ajet: ajet('May 2026'), trinity: trinity('0.5.0') },
      hosts: { ajet: 'box', trinity: 'box' },
    });
    const chosen = { ajet: 'January 2026' };
    const own = await findInstalled({ ...request, files: memoryFiles(trinityIn('0.6.0')), chosen });
    expect(own).toMatchObject({
      releases: { ajet: ajet('January 2026'), trinity: trinity('0.6.0') },
      hosts: {},
    });
    const newer = { name: 'box', releases: { trinity: '0.9.0' } };
    const unknown = await findInstalled({ ...request, files: memoryFiles({}), host: newer });
    expect(unknown).toMatchObject({ releases: { trinity: { assumed: true } }, hosts: {} });
  });

  it('also tells the version of AgentScope', async () => {
    const files = { [`${site}/agentscope-2.0.4.dist-info/METADATA`]: '' };
    expect((await installedIn(files)).agentscope).toBe('2.0.4');
  });

  it('of a version is the newest that is not newer', () => {
    expect(releaseOf('trinity', '0.5.2.post1')).toBe('0.5.2');
    expect(releaseOf('trinity', '0.5.10')).toBe('0.5.2');
    expect(releaseOf('trinity', '0.2.0')).toBe('0.3.3');
  });

  it('can be chosen in the settings by the same names', () => {
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: { configuration: { properties: Record<string, { enum?: string[] }> }[] };
    };
    const groups = contributes.configuration.map(({ properties }) => properties);
    const properties = Object.assign({}, ...groups) as Record<string, { enum?: string[] }>;
    expect(properties['agentjet.release.trinity']?.enum).toEqual(['auto', ...releaseNames('trinity')]);
    expect(properties['agentjet.release.agentjet']?.enum).toEqual(['auto', ...releaseNames('ajet')]);
  });
});

describe('the keys of a release', () => {
  it('have its defaults', () => {
    const rank = (name: string): unknown =>
      trinityKeys({ trinity: trinity(name) }).get('model.tinker.rank')?.info?.default;
    expect([rank('0.4.0'), rank('0.5.0'), rank('main')]).toEqual([32, 16, 16]);
    const preview = (name: string): unknown =>
      trinityKeys({ trinity: trinity(name) }).get('trainer.enable_preview')?.info?.default;
    expect([preview('0.5.2'), preview('0.6.0'), preview('main')]).toEqual([true, false, true]);
    const backbone = (name: string): unknown =>
      ajetKeys({ ajet: ajet(name) }).get('ajet.backbone')?.info?.default;
    expect([backbone('January 2026'), backbone('May 2026')]).toEqual(['debug', 'verl']);
  });

  it('are those of the section `trinity` too', () => {
    const table = ajetKeys({ trinity: trinity('0.4.0') });
    expect(table.get('trinity.model.tinker.rank')?.info?.default).toBe(32);
    expect(table.get('trinity.model.tinker.base_url')?.info?.absent).toEqual(trinity('0.4.0'));
  });
});

describe('a key of another release', () => {
  const head = ['checkpoint_root_dir: /c', 'buffer: {batch_size: 1, explorer_input: {taskset: {path: x}}}'];
  const keys = async (text: string, files: Readonly<Record<string, string>>): Promise<string[]> =>
    told(lines(...head, text), { files }, 'unknown-key', 'removed-key', 'renamed-key');

  it('stops an installed Trinity-RFT', async () => {
    const tinker = 'model: {tinker: {base_url: http://x}}';
    expect(await keys(tinker, trinityIn('0.4.1'))).toEqual(['3 error unknown-key: base_url']);
    expect(await keys(tinker, trinityIn('0.5.0'))).toEqual([]);
  });

  it('is reported with less weight where nothing is installed', async () => {
    const shared = 'monitor: {shared_run: true}';
    expect(await keys(shared, {})).toEqual(['3 warning unknown-key: shared_run']);
    expect(await keys(shared, trinityIn('0.6.0'))).toEqual(['3 error unknown-key: shared_run']);
  });

  it('is reported once, at its section', async () => {
    expect(await keys('cod: {task_pack_size: 2}', trinityIn('0.6.0'))).toEqual(['3 error unknown-key: cod']);
  });

  it('that was removed is still right before that', async () => {
    const decay = 'algorithm: {algorithm_type: grpo, optimizer: {min_lr: 0}}';
    expect(await keys(decay, trinityIn('0.4.0'))).toEqual([]);
    expect(await keys(decay, trinityIn('0.4.1'))).toEqual(['3 error removed-key: min_lr']);
    expect(await keys(decay, {})).toEqual(['3 error removed-key: min_lr']);
  });

  it('that has a new name keeps the old one before that', async () => {
    const warmup = 'algorithm: {algorithm_type: grpo, optimizer: {warmup_style: cosine}}';
    expect(await keys(warmup, trinityIn('0.4.0'))).toEqual([]);
    expect(await keys(warmup, trinityIn('0.6.0'))).toEqual(['3 information renamed-key: warmup_style']);
  });

  it('of AgentJet is not read', async () => {
    const teacher = lines('ajet:', '  opd: {topk: 4}');
    const january = { [`${defaults}/ajet_default.yaml`]: 'ajet: {}' };
    expect(await told(teacher, { files: january }, 'unknown-key')).toEqual(['2 warning unknown-key: opd']);
    expect(await told(teacher, {}, 'unknown-key')).toEqual([]);
  });
});

describe('the conversion table of a clone', () => {
  const clone = (table: string, extra = ''): Record<string, string> => ({
    [`${defaults}/ajet_default.yaml`]: `ajet: {lora: {lora_rank: 0}${extra}}`,
    [`${defaults}/verl/config_auto_convertion_verl.jsonc`]: table,
    [`${defaults}/trinity/config_auto_convertion_trinity.jsonc`]:
      '{"(max(ajet.a.b, 3) * 2 - ajet.a.c // 2)": "buffer.train_batch_size"}',
  });
  const text = lines(
    'ajet: {a: {b: 5, c: 3, none: null}}',
    'hydra: {searchpath: [file://ajet/default_config]}',
    'defaults: [ajet_default, _self_]',
  );

  it('replaces the built-in one, and is named', async () => {
    const table = '{\n  // a remark\n  "ajet.a.b": ["data.x", "data.y"],\n  "ajet.a.none": "data.none",\n}';
    const composition = await composeText(text, { files: clone(table) });
    const { root, problems, table: used } = convert(composition, 'verl');
    expect(problems).toEqual([]);
    const data = valueAt(root, 'data');
    expect(data && toPlain(data)).toEqual({ x: 5, y: 5, none: null });
    expect(used.file).toBe(`${defaults}/verl/config_auto_convertion_verl.jsonc`);
  });

  it('computes expressions', async () => {
    const { root } = convert(await composeText(text, { files: clone('{}') }), 'trinity');
    const value = valueAt(root, 'buffer.train_batch_size');
    expect(value && toPlain(value)).toBe(9);
  });

  it('that is not readable leaves the built-in one', async () => {
    const { table } = convert(await composeText(text, { files: clone('[') }), 'verl');
    expect(table).toEqual({ file: undefined, release: 'January 2026' });
  });

  it('of August limits the tokens of the actor by a key of its own', async () => {
    const august = lines(
      'ajet: {rollout: {max_model_len: 9, ppo_max_token_len_per_gpu: 7}}',
      'defaults: [_self_]',
    );
    const files = clone('{"ajet.rollout.max_model_len": "data.length"}', ', teacher_model: {}');
    const tokens = async (config: string): Promise<unknown> => {
      const { root } = convert(await composeText(config, { files }), 'verl');
      const value = valueAt(root, 'actor_rollout_ref.actor.ppo_max_token_len_per_gpu');
      return value && toPlain(value);
    };
    expect(await tokens(august)).toBe(7);
    expect(await tokens(august.replace('7', 'null'))).toBe(9);
  });
});
