import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { planRun, type RunPlan } from '../../../../src/backbone/core/launcher/runPlan.ts';
import { toolParserOf } from '../../../../src/backbone/core/model-tuner/tinker/toolCallFormats.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import type { RunRequest } from '../../../../src/backbone/core/protocol/run.ts';
import { composeText } from '../../configs/memoryFiles.ts';

const request: RunRequest = {
  protocol: 1,
  config: '/project/conf/exp.yaml',
  cwd: '/project',
  model: { kind: 'embedded' },
  split: 'training',
  allowEnvironment: true,
};

const now = new Date(2026, 0, 2, 3, 4);

async function plan(rows: readonly string[] = [], changes: Partial<RunRequest> = {}): Promise<RunPlan> {
  const { config } = await composeText(
    ['ajet:', '  task_reader: {type: jsonl_dataset_file}', ...rows, ''].join('\n'),
  );
  return planRun({ ...request, ...changes }, config, now, path.posix);
}

describe('planRun', () => {
  it('lets the request win over the config', async () => {
    const rows = ['  debug: {debug_first_n_tasks: 3, debug_max_parallel: 5}', '  rollout: {num_repeat: 6}'];
    expect(await plan(rows)).toMatchObject({ firstTasks: 3, parallel: 5, repeat: 6 });
    const given = { firstTasks: 7, parallel: 8, repeat: 9, seed: 10 };
    expect(await plan(rows, given)).toMatchObject(given);
  });

  it('names the parser of tool calls, which is refused at its line if AgentJet has no such format', async () => {
    const named = async (row?: string): Promise<RunPlan['toolParser']> =>
      (await plan(row === undefined ? [] : [`  rollout: {vllm_tool_parser: ${row}}`])).toolParser;
    expect(toolParserOf(await named())).toBe('hermes');
    expect(toolParserOf(await named('granite-20b-fc'))).toBe('granite-20b-fc');
    const unknown = await named('openai');
    expect(() => toolParserOf(unknown)).toThrow(
      expect.objectContaining({
        code: 'model/tool-parser',
        location: expect.objectContaining({ line: 3 }) as object,
      }),
    );
  });

  it('keeps back the tokens that upstream keeps back', async () => {
    const { sampling } = await plan(['  rollout: {max_response_length_in_one_turn: 100, temperature: 0.5}']);
    expect(sampling).toMatchObject({ maxTokens: 84, temperature: 0.5 });
  });

  it('samples as training validates, and as the debug backbone of upstream does', async () => {
    const rows = [
      '  rollout: {max_response_length_in_one_turn: 100, num_repeat: 6, enable_oversample: true,',
      '    val_kwargs: {temperature: 0.2, top_p: 0.8, top_k: 7}}',
      '  trainer_common: {val_pass_n: 3}',
    ];
    const validation = { temperature: 0.2, topP: 0.8, topK: 7, section: 'ajet.rollout.val_kwargs' };
    expect(await plan(rows, { mode: 'validate' })).toMatchObject({
      mode: 'validate',
      repeat: 3,
      oversampling: undefined,
      sampling: { ...validation, maxTokens: 84 },
    });
    expect(await plan(rows, { asUpstreamDebug: true })).toMatchObject({
      mode: 'sample',
      repeat: 9,
      oversampling: { repeat: 6, confirm: 7, over: 9 },
      sampling: { ...validation, maxTokens: 100 },
    });
    expect(await plan(rows, { mode: 'validate', repeat: 2 })).toMatchObject({ repeat: 2 });
  });

  it('takes from the config what decides how calls become timelines', async () => {
    const rows = [
      '  model: {path: Qwen/Qwen2.5-7B-Instruct}',
      '  data: {max_prompt_length: 10, max_response_length: 20}',
      '  rollout:',
      '    {max_model_len: 40, max_response_length_in_one_turn: 18, force_disable_toolcalls: true,',
      '     compute_madness_checklist: [nonsense, wrong_toolcall], agent_madness_reward: -2}',
      '  context_tracker: {timeline_merging_policy: {timeline_compare_level: token, ignore_tools: false}}',
    ];
    const { modelPath, tracking } = await plan(rows);
    expect(modelPath).toBe('Qwen/Qwen2.5-7B-Instruct');
    expect(tracking).toEqual({
      limits: { modelLength: 40, promptLength: 10, responseLength: 20, turnLength: 18 },
      toolCallsDisabled: true,
      fixesDrift: true,
      detectsSnaps: false,
      merging: { compareLevel: 'token', ignoreTools: false },
      madness: { checklist: ['nonsense', 'wrong_toolcall'], reward: -2, terminates: true },
    });
  });

  it('takes a text for a checklist, as upstream does', async () => {
    const { tracking } = await plan(['  rollout: {compute_madness_checklist: None}']);
    expect(tracking.madness.checklist).toBe('None');
  });

  it('knows no other way to compare timelines', async () => {
    const rows = ['  context_tracker: {timeline_merging_policy: {timeline_compare_level: words}}'];
    await expect(plan(rows)).rejects.toMatchObject({ code: 'launcher/compare-level', location: { line: 3 } });
  });

  it.each([
    ['null', 'exp_20260102_0304'],
    ['read_yaml_name', 'exp_20260102_0304'],
    ['mine', 'mine'],
    ['a|b', 'a-b'],
    ['../../etc', '..-..-etc'],
    ['".."', '-'],
  ])('names the folder of an experiment %s', async (name, folder) => {
    const made = await plan([`  experiment_name: ${name}`]);
    expect(made.folder).toBe(`/project/saved_experiments/${folder}`);
  });

  it('puts it where the request says', async () => {
    const { folder } = await plan(['  experiment_name: mine'], { expDir: '/elsewhere' });
    expect(folder).toBe('/elsewhere/mine');
  });

  it.each([
    ['  rollout: {num_repeat: 0}', 'launcher/no-episodes'],
    ['  debug: {debug_max_parallel: 0}', 'launcher/no-episodes'],
    ['  debug: {debug_first_n_tasks: -1}', 'launcher/no-episodes'],
    ['  rollout: {num_repeat: 1.5}', 'config/wrong-type'],
  ])('refuses %s where it stands', async (row, code) => {
    const error = await plan([row]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CodedError);
    expect(error).toMatchObject({ code, location: { file: '/project/conf/exp.yaml', line: 3 } });
  });
});
