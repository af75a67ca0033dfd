import { describe, expect, it } from 'vitest';
import { type Composition, compose } from '../../../src/configs/core/compose.ts';
import { composeText, memoryFiles, posix } from './memoryFiles.ts';

function codes({ problems }: Composition): string[] {
  return problems.map(({ code, severity, location }) =>
    `${severity} ${code} ${location?.line ?? ''}`.trimEnd(),
  );
}

const steering = (names: readonly string[], paths = ['file://ajet/default_config']): string =>
  [
    'hydra:',
    '  searchpath:',
    ...paths.map((path) => `    - ${path}`),
    'defaults:',
    ...names.map((name) => `  - ${name}`),
  ].join('\n');

describe('layers', () => {
  const files = {
    '/project/ajet/default_config/ajet_default.yaml':
      'ajet:\n  rollout:\n    num_repeat: 2\n    top_p: 0.5\n    list: [1, 2]\n',
    '/project/ajet/default_config/extra.yaml':
      'ajet:\n  rollout:\n    num_repeat: 3\n    list: [9]\n  other: {a: 1}\n',
  };

  it('lays later ones over earlier ones, lists as a whole', async () => {
    const text = `ajet:\n  rollout:\n    temperature: 1.0\n  other: null\n${steering(['ajet_default', 'extra', '_self_'])}`;
    const { config, problems } = await composeText(text, { files });
    expect(problems).toEqual([]);
    expect(config.get('ajet')?.value).toEqual({
      rollout: { num_repeat: 3, top_p: 0.5, list: [9], temperature: 1 },
      other: null,
    });
  });

  it('keeps where each value was written', async () => {
    const text = `ajet:\n  rollout:\n    temperature: 1.0\n${steering(['ajet_default', 'extra', '_self_'])}`;
    const { config } = await composeText(text, { files });
    expect(config.get('ajet.rollout.num_repeat')?.origin).toEqual({
      kind: 'file',
      location: { file: '/project/ajet/default_config/extra.yaml', line: 3, column: 17 },
    });
    expect(config.locate('ajet.rollout.temperature')).toEqual({
      file: '/project/conf/exp.yaml',
      line: 3,
      column: 18,
    });
  });

  it('honours the place of _self_, which is last when it is not named', async () => {
    const own = 'ajet:\n  rollout:\n    num_repeat: 8\n';
    const at = async (names: string[]): Promise<number> =>
      (await composeText(own + steering(names), { files })).config.integer('ajet.rollout.num_repeat');
    expect(await at(['_self_', 'ajet_default'])).toBe(2);
    expect(await at(['ajet_default', '_self_', 'extra'])).toBe(3);
    expect(await at(['ajet_default', 'extra'])).toBe(8);
  });

  it('looks in the working folder first, then beside the config', async () => {
    const beside = { '/project/conf/ajet/default_config/ajet_default.yaml': 'ajet:\n  x: beside\n' };
    const text = `ajet: {}\n${steering(['ajet_default', '_self_'])}`;
    expect((await composeText(text, { files: beside })).config.string('ajet.x')).toBe('beside');
    const both = { ...beside, '/project/ajet/default_config/ajet_default.yaml': 'ajet:\n  x: working\n' };
    expect((await composeText(text, { files: both })).config.string('ajet.x')).toBe('working');
  });

  it('follows absolute folders, plain paths and variables in the search path', async () => {
    const own = { '/srv/base/mine.yaml': 'ajet:\n  x: 1\n' };
    for (const path of ['file:///srv/base', '/srv/base', '${oc.env:BASE}']) {
      const { config, problems } = await composeText(`ajet: {}\n${steering(['mine', '_self_'], [path])}`, {
        files: own,
        environment: (name) => (name === 'BASE' ? '/srv/base' : undefined),
      });
      expect(problems).toEqual([]);
      expect(config.integer('ajet.x')).toBe(1);
    }
  });

  it('follows lists of defaults in defaults, and ends where they go round', async () => {
    const nested = {
      '/srv/a.yaml': 'defaults: [b, _self_]\najet: {x: a, y: a}\n',
      '/srv/b.yaml': 'defaults: [a]\najet: {y: b, z: b}\n',
    };
    const composed = await composeText(`ajet: {}\n${steering(['a', '_self_'], ['file:///srv'])}`, {
      files: nested,
    });
    expect(composed.config.get('ajet')?.value).toEqual({ x: 'a', y: 'a', z: 'b' });
    expect(composed.problems).toMatchObject([
      { code: 'config/defaults', location: { file: '/srv/b.yaml', line: 1 } },
    ]);
  });
});

describe('bundled defaults', () => {
  it('stand in where the search path is missing, and say so', async () => {
    const text = `ajet:\n  rollout: {num_repeat: 6}\n${steering(['verl_default', 'trinity_default', 'ajet_default', '_self_'])}`;
    const { config, problems } = await composeText(text);
    expect(problems).toEqual([]);
    expect(config.integer('ajet.rollout.num_repeat')).toBe(6);
    expect(config.get('ajet.debug.debug_max_parallel')).toEqual({
      value: 4,
      origin: { kind: 'bundled', key: 'ajet.debug.debug_max_parallel' },
    });
    expect(config.get('ajet.rm_weight')).toBeUndefined();
    expect(config.get('trinity.algorithm')?.origin.kind).toBe('bundled');
  });

  it('stand in with a warning where every folder is there but none has them', async () => {
    const files = { '/project/ajet/default_config/mine.yaml': '' };
    expect(codes(await composeText(`ajet: {}\n${steering(['ajet_default', '_self_'])}`, { files }))).toEqual([
      'warning config/defaults-missing 6',
    ]);
  });

  it('stand in with a warning where the sections are missing', async () => {
    const composed = await composeText('ajet:\n  rollout: {num_repeat: 6}\n');
    expect(codes(composed)).toEqual(['warning config/no-defaults 1']);
    expect(composed.config.integer('ajet.rollout.num_repeat')).toBe(6);
    expect(composed.config.string('ajet.task_reader.type')).toBe('huggingface_dat_repo');
  });
});

describe('problems', () => {
  it('names an unknown entry and its line', async () => {
    const { problems } = await composeText(`ajet: {}\n${steering(['nowhere', '_self_'])}`);
    expect(problems).toMatchObject([
      { code: 'config/defaults-elsewhere', severity: 'error', location: { line: 6 } },
    ]);
    expect(problems[0]?.message).toContain('`nowhere`');
    expect(problems[0]?.message).toContain('file://ajet/default_config');
  });

  it.each([
    ['', 'error config/no-ajet 1'],
    ['ajet: 3\n', 'error config/no-ajet 1'],
    ['- 1\n', 'error config/not-a-mapping 1'],
    ['ajet: {x: "\n', 'error config/yaml-syntax 1'],
    ['ajet: {x: 1, x: 2}\n', 'warning config/duplicate-key 1'],
    ['ajet:\n  x: {{X}}\n', 'error config/placeholder 2'],
    [`ajet: {}\n${steering(['group: name'])}`, 'error config/defaults-elsewhere 6'],
    [`ajet: {}\n${steering(['_self_', '_self_'])}`, 'error config/defaults 7'],
    ['ajet: {}\nhydra: {searchpath: x}\ndefaults: [_self_]', 'error config/search-path 2'],
    [`ajet: {}\n${steering(['_self_'], ['structured://a'])}`, 'warning config/search-path 4'],
  ])('reports %j', async (text, problem) => {
    expect(codes(await composeText(text))).toContain(problem);
  });

  it('follows `pkg://` to packages, and reports none that is only on another machine', async () => {
    const text = (entry: string): string => `ajet: {}\n${steering(['base', '_self_'], [entry])}`;
    const files = { '/project/lib/conf/base.yaml': 'ajet: {x: 1}\n' };
    const { problems, config } = await composeText(text('pkg://lib.conf'), { files });
    expect(problems).toEqual([]);
    expect(config.get('ajet.x')?.value).toBe(1);
    expect(codes(await composeText(`ajet: {}\n${steering(['_self_'], ['pkg://a.b'])}`))).toEqual([]);
  });

  it('says nothing of sections that a broken text may have left out', async () => {
    expect(codes(await composeText('experiment: [a\n'))).toEqual(['error config/yaml-syntax 1']);
  });

  it('points into the default file that is broken', async () => {
    const files = { '/project/ajet/default_config/ajet_default.yaml': 'ajet:\n  x: "open\n' };
    const { problems } = await composeText(`ajet: {}\n${steering(['ajet_default', '_self_'])}`, { files });
    expect(problems[0]).toMatchObject({
      code: 'config/yaml-syntax',
      location: { file: '/project/ajet/default_config/ajet_default.yaml' },
    });
  });

  it('rejects when a file is there but cannot be read', async () => {
    const files = {
      ...memoryFiles({ '/project/ajet/default_config/x': '' }),
      readText: () => Promise.reject(new Error('EACCES')),
    };
    const request = {
      file: '/project/exp.yaml',
      text: `ajet: {}\n${steering(['ajet_default'])}`,
      cwd: '/project',
      files,
    };
    await expect(compose({ ...request, paths: posix, environment: 'blocked' })).rejects.toThrow('EACCES');
  });
});
