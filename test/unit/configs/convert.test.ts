import { describe, expect, it } from 'vitest';
import { convert } from '../../../src/configs/core/convert/convert.ts';
import { conversionRules } from '../../../src/configs/core/convert/conversionRules.ts';
import { evaluateRule } from '../../../src/configs/core/convert/evaluateRule.ts';
import type { LaunchTarget } from '../../../src/configs/core/convert/launch.ts';
import { renderEffective } from '../../../src/configs/core/effective/render.ts';
import { toPlain, valueAt } from '../../../src/configs/core/value.ts';
import { composeText } from './memoryFiles.ts';

const steering = `hydra:
  searchpath: [file://ajet/default_config]
defaults: [ajet_default, _self_]
`;

async function converted(text: string, target: LaunchTarget) {
  return convert(await composeText(text + steering), target);
}

describe('conversion to Trinity', () => {
  it('says of each value what it was made from', async () => {
    const text = `ajet:
  experiment_name: a|b
  model: {path: /m}
  data: {train_batch_size: 8}
  rollout: {num_repeat: 4, n_vllm_engine: 2, tensor_model_parallel_size: 1, multi_turn: {expected_steps: 2}}
  trainer_common: {nnodes: 1, n_gpus_per_node: 8, logger: wandb}
trinity:
  algorithm: {policy_loss_fn_args: {clip_range: 0.3}}
  buffer: {batch_size: 1}
`;
    const { root, problems, replaced } = await converted(text, 'trinity');
    expect(problems).toEqual([]);
    const shown = renderEffective(root, { format: 'yaml', origins: true, relativeTo: '/project/conf' }).text;
    const lines = shown.split('\n').map((line) => line.trim().replace(/ {2,}#/, '  #'));
    for (const line of [
      'algorithm_type: multi_step_grpo  # trinity_launch.yaml',
      'clip_range: 0.3  # exp.yaml:8',
      'name: a-b  # ajet.experiment_name, ajet.experiment_name, exp.yaml:2',
      'batch_size: 8  # ajet.data.train_batch_size, exp.yaml:4',
      "train_batch_size: 66  # rule: 8 * 4 * 2 = 64, raised to 66: a multiple of the trainer's 6 GPUs",
      'monitor_type: wandb  # ajet.trainer_common.logger, exp.yaml:6',
    ]) {
      expect(lines).toContain(line);
    }
    expect(replaced.map(({ rule }) => rule.target)).toEqual(['buffer.batch_size']);
  });

  it('names each key that the launcher misses, and where', async () => {
    const text = 'ajet:\n  model:\n    path: null\n  data: {train_batch_size: 8}\n';
    const { problems } = await converted(text, 'trinity');
    expect(problems).toEqual([
      {
        code: 'convert/missing',
        severity: 'error',
        message:
          '`ajet.model.path` is null, but the launcher needs it for `model.model_path` of trinity and stops.',
        hint: 'Set `ajet.model.path`.',
        location: { file: '/project/conf/exp.yaml', line: 3, column: 11 },
      },
    ]);
  });

  it.each([
    ['num_repeat: "4"', 'cannot be computed: a text stands where a number is needed'],
    ['n_vllm_engine: 0', 'cannot be computed: division by zero'],
    ['num_repeat: ${ajet.data.train_batch_size}', 'which the launcher computes with before it is resolved'],
  ])('tells why %s cannot be computed with', async (line, wanted) => {
    const { problems } = await converted(
      `ajet:\n  data: {train_batch_size: 8}\n  model: {path: /m}\n  rollout:\n    ${line}\n`,
      'trinity',
    );
    expect(problems.map(({ message }) => message).join('\n')).toContain(wanted);
    expect(problems.map(({ location }) => location?.line)).toContain(line.startsWith('n_') ? 2 + 3 : 5);
  });

  it('tells of an interpolation that is handed on and leads nowhere there', async () => {
    const text = 'ajet:\n  project_name: p\n  experiment_name: e\n  model: {path: "${ajet.project_name}"}\n';
    const { problems } = await converted(text, 'trinity');
    expect(problems).toMatchObject([
      {
        severity: 'error',
        location: { line: 4 },
        message: expect.stringContaining('hands to trinity') as string,
      },
    ]);
  });

  it('says that a batch which no step makes a multiple never ends', async () => {
    const text = `ajet:
  model: {path: /m}
  data: {train_batch_size: 7}
  rollout: {num_repeat: 1, n_vllm_engine: 2, tensor_model_parallel_size: 1, multi_turn: {expected_steps: 1.5}}
  trainer_common: {nnodes: 1, n_gpus_per_node: 8}
`;
    const { problems } = await converted(text, 'trinity');
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('never ends')]);
  });
});

describe('conversion to verl', () => {
  it('replaces whole sections, lists the logger, and leaves the rest', async () => {
    const text = `ajet:
  model: {path: /m}
  trainer_common: {logger: wandb, optim: {lr: 0.1}}
trainer: {logger: [mine], resume_mode: disable}
actor_rollout_ref: {actor: {optim: {num_cycles: 2}, grad_clip: 3}}
frozen_lake: {size: 4}
`;
    const composition = await composeText(text + steering);
    const { root, problems } = convert(composition, 'verl');
    expect(problems).toEqual([]);
    const plain = (path: string) => {
      const value = valueAt(root, path);
      return value?.kind === 'scalar' ? value.value : value?.kind;
    };
    expect([plain('trainer.logger.0'), plain('trainer.logger.1')]).toEqual(['console', 'wandb']);
    expect(plain('trainer.resume_mode')).toBe('disable');
    expect(plain('actor_rollout_ref.actor.optim.lr')).toBe(0.1);
    expect(plain('actor_rollout_ref.actor.optim.num_cycles')).toBeUndefined();
    expect(plain('actor_rollout_ref.actor.grad_clip')).toBe(3);
    expect(plain('frozen_lake.size')).toBe(4);
    const debug = convert(composition, 'debug');
    expect(valueAt(debug.root, 'trainer.logger')).toMatchObject({ kind: 'scalar', value: 'wandb' });
    expect(valueAt(debug.root, 'ajet.backbone')).toMatchObject({ value: 'debug' });
  });

  it('takes the other backbone’s entry and folder out, and misses the folder where it is not there', async () => {
    const entry = 'file://ajet/default_config/trinity';
    const text = (searchpath: string) => `ajet: {model: {path: /m}, experiment_name: e}
hydra: {searchpath: [file://ajet/default_config${searchpath}]}
defaults: [trinity_default, ajet_default, _self_]
`;
    const { root, problems } = convert(await composeText(text(`, ${entry}`)), 'verl');
    expect(problems).toEqual([]);
    expect(toPlain(root)).toMatchObject({
      hydra: { searchpath: ['file://ajet/default_config'] },
      defaults: ['ajet_default', '_self_'],
    });
    expect(valueAt(root, 'trinity')).toBeUndefined();
    const without = convert(await composeText(text('')), 'verl');
    expect(without.problems).toMatchObject([
      { code: 'convert/searchpath', severity: 'error', location: { line: 2 } },
    ]);
    // Trinity gets what is in the section, so nothing is taken out for it.
    expect(convert(await composeText(text('')), 'trinity').problems).toEqual([]);
  });

  it('names the run after the file and the time where the file itself names none', async () => {
    const layer = { '/project/layers/team.yaml': 'ajet:\n  experiment_name: of-the-team\n' };
    const text = `ajet: {model: {path: /m}}
hydra: {searchpath: [file://layers]}
defaults: [ajet_default, team, _self_]
`;
    const { root } = convert(await composeText(text, { files: layer }), 'verl');
    expect(valueAt(root, 'trainer.experiment_name')).toMatchObject({ value: 'exp_<YYYYmmdd_HHMM>' });
    expect(valueAt(root, 'ajet.experiment_dir')).toMatchObject({
      value: 'saved_experiments/exp_<YYYYmmdd_HHMM>',
    });
  });

  it('says nothing more of a template’s placeholder', async () => {
    const composition = await composeText(`ajet:\n  model: {path: "{{MODEL}}"}\n${steering}`);
    const codes = [...composition.problems, ...convert(composition, 'verl').problems].map(({ code }) => code);
    expect(codes.filter((code) => code === 'convert/missing')).toEqual([]);
  });

  it('is made once of one composition', async () => {
    const composition = await composeText(`ajet: {model: {path: /m}}\n${steering}`);
    expect(convert(composition, 'verl')).toBe(convert(composition, 'verl'));
    expect(convert(composition, 'verl')).not.toBe(convert(composition, 'trinity'));
  });

  it.each([
    ['ajet: 3', 'verl', 'ajet.project_name'],
    ['ajet: []', 'trinity', 'ajet.trainer_common.nnodes'],
    ['ajet: {data: 3, rollout: [x]}', 'debug', 'ajet.data.max_prompt_length'],
    ['ajet: {model: {path: /m}}\ntrinity: [1]', 'trinity', '`trinity` is a list'],
    ['ajet: {model: {path: /m}}\ntrinity: {buffer: 1}', 'trinity', '`buffer` is `1`'],
    ['ajet: {model: {path: /m}}\ntrainer: x', 'verl', '`trainer` is `x`'],
    ['ajet: {experiment_name: 12}', 'verl', 'Put it in quotes: "12".'],
    ['ajet: {model: {path: /m}}\ntrinity: {algorithm: {algorithm_type: {a: 1}}}', 'trinity', 'is a section'],
  ] as const)('tells what stops the launcher at %s', async (text, target, wanted) => {
    const { problems } = convert(await composeText(`${text}\n`), target);
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ message, hint }) => `${message} ${hint ?? ''}`).join('\n')).toContain(wanted);
  });
});

describe('rules', () => {
  it('are the key table’s, with no remark left in a target', () => {
    for (const backbone of ['trinity', 'verl'] as const) {
      const targets = conversionRules(backbone).map(({ target }) => target);
      expect(new Set(targets).size).toBe(targets.length);
      expect(targets.filter((target) => !/^[\w.]+$/.test(target))).toEqual([]);
    }
    expect(conversionRules('trinity')).toHaveLength(21);
    expect(conversionRules('verl')).toHaveLength(29);
  });

  it('show their arithmetic', async () => {
    const text = `ajet: {data: {train_batch_size: 8}, rollout: {num_repeat: 4, multi_turn: {expected_steps: 2}, max_env_worker: 200, n_vllm_engine: 3}}\n`;
    const { config } = await composeText(text + steering);
    const texts = conversionRules('trinity')
      .filter(({ compute }) => compute !== undefined)
      .map((rule) => evaluateRule(rule, config).text);
    expect(texts).toEqual(['8 * 4 * 2 = 64', 'min(200, 128) // 3 = 42']);
  });
});
