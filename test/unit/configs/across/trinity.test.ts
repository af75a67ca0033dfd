import { describe, expect, it } from 'vitest';
import { crossKeyRules } from '../../../../src/configs/core/check.ts';
import { acrossFindings, contextOf, shownIn, yamlOf } from './acrossConfigs.ts';
import { describeRules } from './ruleCases.ts';
import { trinityBase as base } from './trinityBase.ts';
import { cluster, explorer, rest } from './trinityClusterCases.ts';
import { algorithm, general, model } from './trinityModelCases.ts';

describeRules("Trinity's rules: the run", base, general);
describeRules("Trinity's rules: the algorithm", base, algorithm);
describeRules("Trinity's rules: the model", base, model);
describeRules("Trinity's rules: the cluster", base, cluster);
describeRules("Trinity's rules: the explorer", base, explorer);
describeRules("Trinity's rules: data and trainer", base, rest);

describe("Trinity's rules", () => {
  const told = async (text: string, rule: string): Promise<string[]> => {
    const found = await acrossFindings(text);
    return found.filter((finding) => finding.rule === rule).map((finding) => shownIn(text, finding));
  };

  it('hold for every stage on its own', async () => {
    const text = yamlOf({
      ...base,
      'stages.0': {
        stage_name: 'warm up',
        mode: 'train',
        algorithm: { algorithm_type: 'sft', repeat_times: 1 },
      },
      'stages.1': { stage_name: 'train', algorithm: { algorithm_type: 'grpo', repeat_times: 1 } },
    });
    expect(await told(text, 'trinity-group-size')).toEqual([
      'repeat_times: «1» warning: `algorithm_type` grpo compares the runs of one task with each other, but `repeat_times` 1. Every advantage is 0 and training learns nothing. Set `repeat_times` to 2 or more.',
    ]);
    expect((await told(text, 'trinity-offline')).length).toBe(1);
  });

  it('tell what a stage forgets', async () => {
    const text = yamlOf({
      ...base,
      'stages.0': { stage_name: 'one', algorithm: { algorithm_type: 'grpo' } },
    });
    expect(await told(text, 'trinity-stage-section')).toEqual([
      '«algorithm»: information: `algorithm` of a stage replaces the whole `algorithm` above, so `algorithm.repeat_times` gets its default here. Repeat the values that this stage needs.',
    ]);
    const whole = yamlOf({
      ...base,
      'stages.0': { stage_name: 'one', algorithm: { algorithm_type: 'grpo', repeat_times: 4 } },
    });
    expect(await told(whole, 'trinity-stage-section')).toEqual([]);
  });

  it('hold for what AgentJet hands on, told at the key that makes it', async () => {
    const text = yamlOf({
      defaults: ['trinity_default', 'ajet_default', '_self_'],
      'ajet.backbone': 'trinity',
      'ajet.trainer_common.logger': 'console',
      'ajet.trainer_common.test_freq': 10,
      'trinity.synchronizer.sync_interval': 4,
      'trinity.explorer.rollout_model.enable_history': false,
    });
    expect(await told(text, 'trinity-monitor')).toEqual([
      'logger: «console» warning: Trinity has no monitor `console`, and stops unless a plug-in provides it. The monitors of Trinity are `tensorboard`, `wandb`, `mlflow`, `swanlab`.',
    ]);
    expect(await told(text, 'trinity-eval-interval')).toEqual([
      'test_freq: «10» warning: `eval_interval` 10 is not a multiple of the 4 steps between two synchronizations, and becomes 8.',
    ]);
    expect(await told(text, 'trinity-agent-model')).toEqual([
      'enable_history: «false» warning: The workflow `ajet_workflow` needs `explorer.rollout_model.enable_history: true`. Without it, the calls of the agent are not recorded, so there is nothing to train on.',
    ]);
  });

  it('look at the mode that an interpolation gives', async () => {
    const text = yamlOf({ ...base, mode: '${oc.env:MODE,sometimes}' });
    expect(await told(text, 'trinity-mode')).toEqual([
      'mode: «${oc.env:MODE,sometimes}» error: `mode` resolves to `sometimes`, which is not a mode of Trinity. Use `both`, `explore`, `train`, `bench`, `serve`, `colocate`.',
    ]);
  });

  it('know which files are there', async () => {
    const text = yamlOf({ ...base, 'data_processor.task_pipeline.output.path': '/data/out' });
    const context = await contextOf(text);
    const toldWhen = (there: boolean | undefined): string[] => {
      const references = { ...context.references, exists: () => there };
      return crossKeyRules
        .flatMap((rule) => rule({ ...context, references }))
        .map((finding) => shownIn(text, finding));
    };
    expect(toldWhen(true)).toEqual([
      'path: «/data/out» error: `/data/out` already exists, and the task pipeline does not overwrite it. Set another path, or remove the file.',
    ]);
    expect(toldWhen(false)).toEqual([]);
    expect(toldWhen(undefined)).toEqual([]);
  });

  it('leave out what the release that AgentJet asks for does not do yet', async () => {
    const trips = {
      'explorer.rollout_model.engine_type': 'sglang',
      'explorer.rollout_model.data_parallel_size': 2,
    };
    expect((await told(yamlOf({ ...base, ...trips }), 'trinity-engine')).length).toBe(1);
    const within = yamlOf({ 'ajet.backbone': 'verl', 'trinity.synchronizer.sync_interval': 0 });
    expect(await acrossFindings(within)).toEqual([]);
  });
});
