import { describe, expect, it } from 'vitest';
import { acrossFindings, shownIn, yamlOf, type Values } from './acrossConfigs.ts';
import { ajetBase as base, ajetCases } from './ajetCases.ts';
import { describeRules } from './ruleCases.ts';

describeRules('rules on the keys of AgentJet', base, ajetCases);

describe('rules on the keys of AgentJet', () => {
  const told = async (values: Values): Promise<string[]> => {
    const text = yamlOf({ ...base, ...values });
    return (await acrossFindings(text)).map((finding) => shownIn(text, finding).slice(0, 59));
  };

  it('leave alone what only defaults say', async () => {
    expect(await told({ 'ajet.backbone': undefined })).toEqual([]);
  });

  it('are milder while the file names no backbone to train with', async () => {
    const values = {
      'ajet.data.train_batch_size': 7,
      'ajet.rollout.num_repeat': 3,
      'ajet.backbone': 'debug',
    };
    expect(await told(values)).toEqual(['train_batch_size: «7» warning: `train_batch_size` 7 × `num_']);
    expect(await told({ ...values, 'ajet.rollout.n_vllm_engine': 8 })).toEqual([
      'train_batch_size: «7» warning: `train_batch_size` 7 × `num_',
      'n_vllm_engine: «8» warning: `n_vllm_engine` 8 × `tensor_mod',
    ]);
  });

  it('take numbers that the environment gives', async () => {
    const text = yamlOf({ ...base, 'ajet.data.max_response_length': '${oc.decode:${oc.env:LENGTH}}' });
    expect(
      (await acrossFindings(text, { environment: { LENGTH: '15001' } })).map(({ rule }) => rule),
    ).toEqual(['lengths-exceed-model-len']);
    expect(await acrossFindings(text, { environment: { LENGTH: '15000' } })).toEqual([]);
  });

  it('say nothing of a template, whose values are not known', async () => {
    const text =
      'ajet:\n  backbone: verl\n  data:\n    max_response_length: {{LENGTH}}\n    train_batch_size: {{B}}\n';
    expect(await acrossFindings(text)).toEqual([]);
  });

  it('say nothing while the text is broken', async () => {
    expect(await acrossFindings('ajet:\n  data:\n    max_response_length: 20000\n  rollout: [\n')).toEqual(
      [],
    );
  });

  it('know the section by its older name', async () => {
    const text = yamlOf({
      'astuner.data.max_prompt_length': 3000,
      'astuner.data.max_response_length': 20000,
      'astuner.rollout.max_model_len': 18000,
    });
    expect((await acrossFindings(text)).map(({ rule }) => rule)).toContain('lengths-exceed-model-len');
  });
});
