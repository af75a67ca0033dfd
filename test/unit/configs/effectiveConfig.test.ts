import { describe, expect, it } from 'vitest';
import { CodedError, type Location } from '../../../src/base/core/errors.ts';
import type { Config } from '../../../src/configs/core/effectiveConfig.ts';
import { composeText } from './memoryFiles.ts';

async function configOf(...rows: string[]): Promise<Config> {
  const { config } = await composeText(['ajet:', ...rows, ''].join('\n'));
  return config;
}

function failure(run: () => unknown): {
  code: string;
  location: Location | undefined;
  hint: string | undefined;
} {
  try {
    run();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('Config', () => {
  it('gives values by type', async () => {
    const config = await configOf(
      '  rollout:',
      '    num_repeat: 6',
      '    temperature: 1',
      '  debug: {list: [a, b]}',
    );
    expect(config.integer('ajet.rollout.num_repeat')).toBe(6);
    expect(config.number('ajet.rollout.temperature')).toBe(1);
    expect(config.boolean('ajet.rollout.force_disable_toolcalls')).toBe(false);
    expect(config.string('ajet.rollout.name')).toBe('vllm');
    expect(config.stringList('ajet.rollout.compute_madness_checklist')).toEqual(['nonsense']);
    expect(config.get('ajet.debug.list.1')?.value).toBe('b');
  });

  it('tells null from a value of another type', async () => {
    const config = await configOf('  task_judge:', '    judge_protocol: null', '  project_name: 3');
    expect(config.stringOrNull('ajet.task_judge.judge_protocol')).toBeNull();
    expect(config.integerOrNull('ajet.nothing.here')).toBeNull();
    expect(failure(() => config.stringOrNull('ajet.project_name')).code).toBe('config/wrong-type');
  });

  it('says where and what to do', async () => {
    const config = await configOf('  rollout:', '    num_repeat: 2.0', '  data: null');
    const wrong = failure(() => config.integer('ajet.rollout.num_repeat'));
    expect(wrong.code).toBe('config/wrong-type');
    expect(wrong.location).toEqual({ file: '/project/conf/exp.yaml', line: 3, column: 17 });
    expect(wrong.hint).toContain('4');
    const missing = failure(() => config.integer('ajet.data.train_batch_size'));
    expect(missing.code).toBe('config/missing');
    expect(missing.location).toMatchObject({ line: 4 });
    expect(failure(() => config.string('nowhere')).location).toEqual({ file: '/project/conf/exp.yaml' });
  });

  it.each(['boolean', 'number', 'integer', 'stringList'] as const)(
    'refuses a text for %s',
    async (getter) => {
      const config = await configOf('  x: text');
      expect(failure(() => config[getter]('ajet.x')).code).toBe('config/wrong-type');
    },
  );

  it('hands out trees of its own', async () => {
    const config = await configOf('  x: {y: [1]}', '  __proto__: {z: 1}');
    const tree = config.plain();
    expect(tree['ajet']).toMatchObject({ x: { y: [1] } });
    tree['ajet'] = null;
    expect(config.integer('ajet.x.y.0')).toBe(1);
    expect(({} as Record<string, unknown>)['z']).toBeUndefined();
  });
});
