/** What a config of Trinity-RFT comes to on the debug backbone. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { planRun, type RunPlan } from '../../../../src/backbone/core/launcher/runPlan.ts';
import { applySampling } from '../../../../src/backbone/core/model-tuner/sampling.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import { trinityRun } from '../../../../src/configs/core/trinity/trinityRun.ts';
import type { RunRequest } from '../../../../src/backbone/core/protocol/run.ts';
import { composeText } from '../../configs/memoryFiles.ts';

const written = `
project: math
name: first
mode: both
model:
  model_path: Qwen/Qwen3-0.6B
  max_prompt_tokens: 100
  max_response_tokens: 50
  temperature: 0.8
algorithm:
  algorithm_type: grpo
  repeat_times: 3
buffer:
  explorer_input:
    default_workflow_type: for_all
    default_eval_workflow_type: for_evaluation
    taskset:
      path: data/math
      rollout_args:
        temperature: 0.5
    eval_tasksets:
      - path: data/math
        split: test
        repeat_times: 2
        rollout_args: { temperature: 0.1 }
`;

const file = '/project/conf/exp.yaml';

async function run(text = written): Promise<ReturnType<typeof trinityRun>> {
  const dialect = dialectOf(text);
  expect(dialect?.id).toBe('trinity');
  return trinityRun(await composeText(text, { ...(dialect && { dialect }) }));
}

async function plan(text = written, changes: Partial<RunRequest> = {}): Promise<RunPlan> {
  const { config } = await run(text);
  const request: RunRequest = {
    protocol: 1,
    config: file,
    cwd: '/project',
    model: { kind: 'embedded' },
    split: 'training',
    allowEnvironment: true,
  };
  return planRun({ ...request, ...changes }, config, new Date(2026, 0, 2), path.posix);
}

const change = (from: string, to: string): string => written.replace(from, to);

describe('the run of a Trinity-RFT config', () => {
  it('has the repeats, lengths, sampling and model of the config, and the taskset’s own before those of all', async () => {
    expect(await plan()).toMatchObject({
      rules: 'trinity',
      experiment: 'first',
      workflow: 'for_all',
      repeat: 3,
      oversampling: undefined,
      modelPath: 'Qwen/Qwen3-0.6B',
      sampling: { decides: 'request', temperature: 0.5, topP: 1, maxTokens: 50 },
      tracking: { limits: { modelLength: 150, promptLength: 100, responseLength: 150 } },
    });
  });

  it('names the parser of tool calls', async () => {
    const named = `${written}explorer: { rollout_model: { tool_call_parser: mistral } }\n`;
    expect((await plan(named)).toolParser).toMatchObject({ name: 'mistral', namedAt: { file } });
    expect((await plan()).toolParser).toBeUndefined();
  });

  it('validates by the first taskset of evaluation', async () => {
    const validated = await plan(written, { split: 'validation', mode: 'validate' });
    expect(validated).toMatchObject({
      workflow: 'for_evaluation',
      repeat: 2,
      sampling: { temperature: 0.1, topK: -1, maxTokens: 50 },
    });
  });

  it('names a workflow by the taskset where that has one', async () => {
    const own = change(
      '      path: data/math\n',
      '      path: data/math\n      default_workflow_type: own\n',
    );
    expect(await plan(own)).toMatchObject({ workflow: 'own' });
  });

  it('fills tasksets with what Trinity’s classes have by default, those in lists too', async () => {
    const { config } = await run();
    const input = 'buffer.explorer_input';
    expect(config.string(`${input}.taskset.split`)).toBe('train');
    expect(config.string(`${input}.eval_tasksets.0.split`)).toBe('test');
    expect(config.string(`${input}.eval_tasksets.0.format.response_key`)).toBe('response');
    expect(config.string(`${input}.eval_tasksets.0.storage_type`)).toBe('file');
  });

  it('says where a value was written, and what it is called there', async () => {
    const { config } = await run();
    expect(config.locate('ajet.rollout.temperature')).toMatchObject({ file, line: 20 });
    const wrong = await run(change('repeat_times: 3', 'repeat_times: many'));
    let thrown: unknown;
    try {
      wrong.config.integer('ajet.rollout.num_repeat');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CodedError);
    expect(thrown).toMatchObject({
      message: '`algorithm.repeat_times` must be an integer, but is the string "many".',
      location: { file, line: 12 },
    });
  });

  it.each([
    ['model.max_model_len', '  max_model_len: 1000\n', { modelLength: 1000, promptLength: 100 }],
    ['no prompt length', '', { modelLength: 150 }],
  ])('has the lengths of %s', async (_, row, limits) => {
    const text = change('model:\n', `model:\n${row}`);
    expect((await plan(text)).tracking.limits).toMatchObject(limits);
  });

  it('shares a model’s length as Trinity does where only that is known', async () => {
    const text = change('  max_prompt_tokens: 100\n  max_response_tokens: 50\n', '  max_model_len: 101\n');
    expect(await plan(text)).toMatchObject({
      sampling: { maxTokens: 51 },
      tracking: { limits: { modelLength: 101, promptLength: 101 } },
    });
  });

  it.each([
    ['stages', 'stages:\n  - stage_name: one\n'],
    ['data_processor.task_pipeline', 'data_processor:\n  task_pipeline: {operators: []}\n'],
    [
      'data_processor.experience_pipeline.operators',
      'data_processor:\n  experience_pipeline:\n    operators: [{name: reward_filter}]\n',
    ],
    ['explorer.over_rollout.ratio', 'explorer:\n  over_rollout: {ratio: 0.2}\n'],
  ])('warns of %s, which changes what is trained', async (key, rows) => {
    const { problems } = await run(`${written}${rows}`);
    expect(problems).toMatchObject([
      {
        code: 'trinity/left-out',
        severity: 'warning',
        message: expect.stringContaining(`\`${key}\``) as string,
      },
    ]);
  });

  it('warns of nothing that a cluster alone is concerned with', async () => {
    const { problems } = await run(`${written}cluster: {node_num: 8}\nsynchronizer: {sync_interval: 2}\n`);
    expect(problems).toEqual([]);
  });

  it('refuses a mode that runs no workflow, at its line', async () => {
    const { problems } = await run(change('mode: both', 'mode: train'));
    expect(problems).toMatchObject([
      { code: 'trinity/no-rollout', severity: 'error', location: { file, line: 4 } },
    ]);
  });
});

describe('sampling by Trinity’s rules', () => {
  const sampling = { decides: 'request', temperature: 0.5, topP: 1, maxTokens: 50 } as const;
  const messages = [{ role: 'user', content: 'Now.' }] as const;

  it('is the request’s where it says something', () => {
    const asked = {
      model: 'm',
      messages: [...messages],
      temperature: 0,
      max_completion_tokens: 9,
      stop: ['.'],
    };
    const { request, overrides } = applySampling(asked, sampling, 7);
    expect(request).toEqual({ ...asked, top_p: 1, seed: 7 });
    expect(overrides).toEqual([]);
  });

  it('is the config’s where it does not, and one answer for each call', () => {
    const asked = { model: 'm', messages: [...messages], temperature: null, n: 4 };
    const { request, overrides } = applySampling(asked, sampling, 7);
    expect(request).toEqual({ model: 'm', messages, temperature: 0.5, top_p: 1, max_tokens: 50, seed: 7 });
    expect(overrides).toMatchObject([{ option: 'n' }]);
  });
});
