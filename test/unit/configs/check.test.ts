import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { diagnose } from '../../../src/configs/core/check.ts';
import { findingsOf, fixed, fixNamed, lines, site, told } from './checking.ts';

const steering = lines(
  'hydra: {searchpath: [file://ajet/default_config]}',
  'defaults: [ajet_default, _self_]',
);
const workflow = (locator: string): string => lines('ajet:', '  rollout:', `    user_workflow: ${locator}`);
const judge = (locator: string): string => lines('ajet:', '  task_judge:', `    judge_protocol: ${locator}`);

describe('a tab in the indentation', () => {
  it('is one error, and one fix replaces all tabs', async () => {
    const text =
      'ajet:\n\tdata:\n\t\ttrain_batch_size: 4\n\trollout:\n\t\tnum_repeat: 2\n\tmodel:\n\t\tpath: /m\n';
    expect((await findingsOf(text)).map(({ rule, range }) => [rule, range.start.line])).toEqual([
      ['yaml-syntax', 1],
    ]);
    expect(await fixed(text, 'Indent with spaces')).toBe(text.replaceAll('\t', '  '));
  });
});

describe('a judge of AgentJet with a typing error', () => {
  it('is reported with the right one', async () => {
    const text = judge('ajet.task_judge.env_service_as_judge->EnvServceJudge');
    expect(await told(text, {}, 'locator-target')).toEqual([
      '3 error locator-target: ajet.task_judge.env_service_as_judge->EnvServceJudge',
    ]);
    const right = 'ajet.task_judge.env_service_as_judge->EnvServiceJudge';
    expect(await fixed(text, `Change to \`${right}\``)).toBe(judge(right));
    expect(await told(judge('company.judges->Mine'), {}, 'locator-target')).toEqual([]);
  });
});

describe('locators', () => {
  it('that lead to a class of the right kind are left alone, and modules from elsewhere too', async () => {
    const targets = {
      Mine: { status: 'found', site: site('Mine', ['ajet.Workflow']) },
      Far: { status: 'found', site: site('Far', ['CompanyWorkflowBase']) },
    } as const;
    for (const name of ['Mine', 'Far', 'Unknown']) {
      expect(await told(workflow(`agent.py->${name}`), { targets })).toEqual([]);
    }
  });

  it('to a file that is not there offer the class in a new file', async () => {
    const around = { targets: { Mine: { status: 'no-file', file: '/project/agent.py' } } } as const;
    const text = workflow('agent.py->Mine');
    expect(await told(text, around)).toEqual(['3 error locator-target: agent.py->Mine']);
    const { edits, writes } = fixNamed(
      await findingsOf(text, around),
      'Create the workflow `Mine` as a stub',
    );
    expect(edits).toEqual([]);
    expect(writes).toMatchObject([{ file: '/project/agent.py' }]);
    expect(writes?.[0]?.text).toBe(
      lines(
        'from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask',
        '',
        '',
        'class Mine(Workflow):',
        '    """One episode: calls the model. The judge computes the reward."""',
        '',
        '    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:',
        '        client = tuner.as_raw_openai_sdk_client()',
        '        completion = await client.chat.completions.create(',
        '            model="agent",',
        '            messages=[{"role": "user", "content": workflow_task.task.main_query}],',
        '        )',
        '        answer = completion.choices[0].message.content or ""',
        '        return WorkflowOutput(reward=None, metadata={"final_answer": answer})',
      ),
    );
  });

  it('to a name that the file has not offer the nearest, then the class at the end of the file', async () => {
    const sites = [site('Others', ['Workflow']), site('MathWorkflow', ['Workflow'])];
    const around = {
      targets: { MathWorkflw: { status: 'no-name', file: '/project/agent.py', sites } },
    } as const;
    const text = workflow('agent.py->MathWorkflw');
    const [found] = await findingsOf(text, around);
    expect(found?.message).toContain('Did you mean `MathWorkflow`?');
    expect(found?.fixes.map(({ title }) => title)).toEqual([
      'Change to `MathWorkflow`',
      'Change to `Others`',
      'Create the workflow `MathWorkflw` as a stub',
    ]);
    expect(await fixed(text, 'Change to `MathWorkflow`', around)).toBe(workflow('agent.py->MathWorkflow'));
    expect(found?.fixes.at(-1)?.writes?.[0]?.text).toMatch(/^\n\nfrom ajet import/);
  });

  it.each([
    ['judge.py', judge('judge.py->J'), 'judge', 'from ajet.task_judge.base_judge import BaseJudge'],
    ['judge.ts', judge('judge.ts->J'), 'judge', 'override computeReward(workflowTask: WorkflowTask'],
    ['agent.ts', workflow('agent.ts->J'), 'workflow', 'override async execute(workflowTask: WorkflowTask'],
    ['agent.mjs', workflow('agent.mjs->J'), 'workflow', "import { Workflow } from 'agentjet';"],
    [
      'agent.py',
      workflow('agent.py->J').replace('ajet', 'astuner').replace('user_workflow', 'agentscope_workflow'),
      'workflow',
      'from astuner import ModelTuner',
    ],
  ])('get a stub for %s', async (file, text, what, part) => {
    const around = { targets: { J: { status: 'no-file', file: `/project/${file}` } } } as const;
    const { writes } = fixNamed(await findingsOf(text, around), `Create the ${what} \`J\` as a stub`);
    expect(writes?.[0]?.text).toContain(part);
  });

  it('get a stub that cannot clash with what a TypeScript file imports', async () => {
    const file = '/project/agent.ts';
    const stubWith = async (base: string): Promise<string> => {
      const sites = [site('Other', [base], file)];
      const around = { targets: { J: { status: 'no-name', file, sites } } } as const;
      const found = await findingsOf(workflow('agent.ts->J'), around);
      return fixNamed(found, 'Create the workflow `J` as a stub').writes?.[0]?.text ?? '';
    };
    expect(await stubWith('Workflow')).toMatch(/^\n\nimport \* as agentjet from 'agentjet';\n/);
    expect(await stubWith('agentjet.Workflow')).not.toContain('import');
    expect(await stubWith('agentjet.Workflow')).toContain('class J extends agentjet.Workflow {');
  });

  it.each([
    [workflow('a.py->X'), [], 'does not extend a class, but a workflow must extend `Workflow`'],
    [workflow('a.py->X'), ['ajet.BaseJudge'], 'extends `BaseJudge`, but a workflow must extend `Workflow`'],
    [judge('a.py->X'), ['Workflow'], 'extends `Workflow`, but a judge must extend `BaseJudge`'],
  ])('to a class of another kind are told', async (text, bases, message) => {
    const around = { targets: { X: { status: 'found', site: site('X', bases) } } } as const;
    const [found] = await findingsOf(text, around);
    expect(found).toMatchObject({ rule: 'locator-base', severity: 'warning' });
    expect(found?.message).toContain(message);
    expect(found?.related).toMatchObject([{ location: { file: '/project/agent.py', line: 3 } }]);
  });

  it.each([
    [workflow('a.ts->X'), ['task', 'model', 'logger'], undefined],
    [workflow('a.ts->X'), ['model', 'auxiliaryModels', 'task'], undefined],
    [judge('a.ts->X'), ['response', 'task'], undefined],
    [workflow('a.ts->X'), ['task'], '`X` does not have the parameter `model`. A workflow function receives'],
    [workflow('a.ts->X'), ['...all'], '`X` has the rest parameter `...all`'],
    [judge('a.ts->X'), ['task', 'model'], 'has the parameter `model`'],
    [workflow('a.py->X'), ['model', 'task', 'auxiliary_models'], undefined],
    [
      workflow('a.py->X'),
      ['row', 'model'],
      '`X` does not have the parameter `task` and has the parameter `row`',
    ],
    [judge('a.py->X'), ['task', 'response', '**more'], 'has the rest parameter `**more`'],
  ])('to a function are told of its parameters: %s %j', async (text, parameters, message) => {
    const file = text.includes('.py') ? '/project/a.py' : '/project/a.ts';
    const language = file.endsWith('.py') ? 'python' : 'typescript';
    const made = { ...site('X', [], file), kind: 'function', language, parameters } as const;
    const [found] = await findingsOf(text, { targets: { X: { status: 'found', site: made } } });
    expect(found?.rule).toBe(message === undefined ? undefined : 'locator-signature');
    expect(found?.message ?? '').toContain(message ?? '');
  });

  it('of judges need no base', async () => {
    const around = { targets: { X: { status: 'found', site: site('X', []) } } } as const;
    expect(await told(judge('a.py->X'), around)).toEqual([]);
  });
});

describe('paths', () => {
  const text = lines(
    'ajet:',
    '  task_reader: {jsonl_dataset_file: {training: {file_path: data/train.jsonl}}}',
  );
  const missing = ['2 warning missing-path: data/train.jsonl'];

  it('have to be there in the project that they belong to', async () => {
    expect(await told(text, { files: { '/project/data/dev.jsonl': '' } }, 'missing-path')).toEqual(missing);
    expect(await told(text, { files: { '/project/data/train.jsonl': '' } }, 'missing-path')).toEqual([]);
    const around = { files: { '/project/data/trian.jsonl': '' } };
    expect(await fixed(text, 'Change to `data/trian.jsonl`', around)).toContain('data/trian.jsonl');
  });

  it('are not judged where nothing of the project is', async () => {
    expect(await told(text, {}, 'missing-path')).toEqual([]);
  });
});

describe('values that conversion overwrites', () => {
  const overwritten = 'overwritten';
  const before = lines('ajet:', '  model: {path: Qwen/Qwen2.5-7B}', '  rollout: {user_workflow: a.b->C}');

  it('are told with their twin, and moved there', async () => {
    const text = `${before}${lines('trainer:', '  total_epochs: 7', '  balance_batch: true')}${steering}`;
    expect(await told(text, {}, overwritten)).toEqual(['5 warning overwritten: total_epochs']);
    const [found] = (await findingsOf(text)).filter(({ rule }) => rule === overwritten);
    expect(found?.message).toContain('`ajet.trainer_common.total_epochs` (50) in the conversion for verl');
    expect(await fixed(text, 'Move to `ajet.trainer_common.total_epochs`')).toBe(
      `${before}${lines('  trainer_common:', '    total_epochs: 7', 'trainer:', '  balance_batch: true')}${steering}`,
    );
  });

  it('are removed where the twin is set, with the section that is left empty', async () => {
    const twin = '  trainer_common: {total_epochs: 3}\n';
    const text = `${before}${twin}${lines('trainer:', '  total_epochs: 7')}${steering}`;
    const [found] = (await findingsOf(text)).filter(({ rule }) => rule === overwritten);
    expect(found?.fixes.map(({ title }) => title)).toEqual(['Remove `total_epochs`']);
    expect(await fixed(text, 'Remove `total_epochs`')).toBe(`${before}${twin}${steering}`);
  });

  it('are only a hint where both agree, and nothing where the twin reads them', async () => {
    const same = `${before}${lines('  trainer_common: {total_epochs: 7}', 'trainer:', '  total_epochs: 7')}${steering}`;
    expect(await told(same, {}, overwritten)).toEqual(['6 hint overwritten: total_epochs']);
    const read = `${before}${lines('  trainer_common: {total_epochs: "${trainer.total_epochs}"}', 'trainer:', '  total_epochs: 7')}${steering}`;
    expect(await told(read, {}, overwritten)).toEqual([]);
  });

  it('are told for Trinity by expression', async () => {
    const text = `${before}${lines('trinity:', '  buffer: {train_batch_size: 5}')}${steering}`;
    const [found] = (await findingsOf(text)).filter(({ rule }) => rule === overwritten);
    expect(found?.message).toContain('ajet.data.train_batch_size * ajet.rollout.num_repeat');
  });

  it('are not told of files that others are based on', async () => {
    expect(await told(`${before}trainer: {total_epochs: 7}\n`, {}, overwritten)).toEqual([]);
  });
});

describe('what keeps a config from being composed', () => {
  it('is told at the interpolation', async () => {
    const text = `${lines('ajet:', '  model: {path: Qwen/Qwen2.5-7B}', '  rollout: {user_workflow: a.b->C}', '  project_name: "x ${ajet.nothing}"', '  experiment_name: ${ajet.experiment_name}')}${steering}`;
    expect(await told(text, {}, 'interpolation')).toEqual([
      expect.stringMatching(/^4 error interpolation: /),
      expect.stringMatching(/^5 error interpolation: /),
    ]);
  });

  it('is milder where another machine or file may settle it', async () => {
    const unset = `${lines('ajet:', '  project_name: ${oc.env:NOT_SET}')}${steering}`;
    expect(await told(unset, {}, 'interpolation')).toEqual([
      '2 information interpolation: ${oc.env:NOT_SET}',
    ]);
    expect(await told(unset, { variables: { NOT_SET: 'x' } }, 'interpolation')).toEqual([]);
    const base = lines('ajet:', '  project_name: ${mine.name}');
    expect(await told(base, {}, 'interpolation')).toEqual([expect.stringMatching(/^2 warning/)]);
  });

  it('is told at the entry of defaults', async () => {
    const text = lines(
      'ajet: {}',
      'hydra: {searchpath: [conf]}',
      'defaults:',
      '  - nowhere',
      '  - ajet_default',
      '  - _self_',
    );
    expect(
      await told(text, { files: { '/project/conf/ajet_default.yaml': 'ajet: {}\n' } }, 'defaults'),
    ).toEqual(['4 error defaults: nowhere']);
  });

  it('is told once for each file that this one is based on, with its place', async () => {
    const text = lines('ajet: {}', 'hydra: {searchpath: [conf]}', 'defaults: [broken, ajet_default, _self_]');
    const files = { '/project/conf/broken.yaml': 'a: [\nb: }\n' };
    const [found, ...more] = (await findingsOf(text, { files })).filter(({ rule }) => rule === 'composition');
    expect(more).toEqual([]);
    expect(found?.message).toContain('/project/conf/broken.yaml:');
    expect(found?.related?.[0]?.location.file).toBe('/project/conf/broken.yaml');
  });

  it('is told where a value is still to be set, and nothing else of it', async () => {
    const text = `${lines('ajet:', '  rollout: {num_repeat: ???}', 'mine: {a: ???}')}${steering}`;
    // Over a value below, it changes nothing.
    expect(await told(text, {}, 'missing-value', 'wrong-type')).toEqual(['3 warning missing-value: ???']);
  });

  it('is told where a value cannot be laid over another', async () => {
    const text = lines(
      'ajet: {}',
      'mine: [1]',
      'hydra: {searchpath: [conf]}',
      'defaults: [base, ajet_default, _self_]',
    );
    const files = { '/project/conf/base.yaml': 'mine: {a: 1}\n' };
    expect(await told(text, { files }, 'composition')).toEqual([
      expect.stringMatching(/^2 error composition/),
    ]);
  });

  it('is not told twice when the text itself is broken', async () => {
    const found = await findingsOf('ajet:\n  debug: {\n');
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(['yaml-syntax']));
  });
});

describe('keys by who reads them', () => {
  const unknown = async (text: string): Promise<string[]> => told(text, {}, 'unknown-key');
  const trinity = lines(
    'project: a',
    'name: b',
    'checkpoint_root_dir: /c',
    'algorithm:',
    '  algorithm_type: grpo',
    '  repeat_tims: 4',
    'explorer: {env_vars: {ANY: x}}',
  );

  it('stop Trinity-RFT, also inside of an AgentJet config', async () => {
    expect(await unknown(trinity)).toEqual(['6 error unknown-key: repeat_tims']);
    expect(await fixed(trinity, 'Rename to `repeat_times`')).toBe(trinity.replace('tims', 'times'));
    const embedded = lines('ajet: {}', 'trinity:', '  synchronizer: {sync_metod: nccl}');
    expect(await unknown(embedded)).toEqual(['3 error unknown-key: sync_metod']);
  });

  it('stop the data classes of verl, and pass elsewhere unless they look like a slip', async () => {
    const verl = lines(
      'ajet: {}',
      'actor_rollout_ref:',
      '  actor: {entirely_new: 1, _target_: verl.workers.config.ActorConfig}',
      '  rollout: {entirely_new: 1, gpu_memory_utilisation: 0.5}',
    );
    expect(await unknown(verl)).toEqual([
      '3 warning unknown-key: entirely_new',
      '4 information unknown-key: gpu_memory_utilisation',
    ]);
  });

  it('may stand twice in no file that OmegaConf loads', async () => {
    const twice = trinity.replace('repeat_tims: 4', 'repeat_times: 4').replace('name: b', 'name: b\nname: c');
    expect(await told(twice, {}, 'duplicate-key')).toEqual(['3 error duplicate-key: name']);
    expect(await fixed(twice, 'Remove the first `name`')).toContain('project: a\nname: c\n');
    expect(await told('ajet:\n  backbone: debug\n  backbone: verl\n', {}, 'duplicate-key')).toEqual([
      '3 warning duplicate-key: backbone',
    ]);
  });

  it('are converted by a data class where they look like the wanted type', async () => {
    const text = trinity.replace('repeat_tims: 4', 'repeat_times: "4"').replace('project: a', 'project: 1');
    expect(await told(text, {}, 'wrong-type')).toEqual([
      '1 information wrong-type: 1',
      '6 information wrong-type: "4"',
    ]);
    expect(await fixed(text, 'Change to 4')).toContain('repeat_times: 4\n');
    expect(await told(trinity.replace('repeat_tims: 4', 'repeat_times: [4]'), {}, 'wrong-type')).toEqual([
      '6 error wrong-type: [4]',
    ]);
  });

  it('have their renamed, computed and unused ones told', async () => {
    const text = lines(
      'project: a',
      'checkpoint_root_dir: /c',
      'algorithm:',
      '  algorithm_type: grpo',
      '  optimizer: {lr: 1e-6, warmup_style: constant}',
      'monitor:',
      '  monitor_type: wandb',
      '  cache_dir: /x',
    );
    expect(await told(text, {}, 'renamed-key', 'computed-key')).toEqual([
      '5 information renamed-key: warmup_style',
      '8 warning computed-key: cache_dir',
    ]);
    expect(await fixed(text, 'Rename to `lr_scheduler_type`')).toContain(
      '{lr: 1e-6, lr_scheduler_type: constant}',
    );
    expect(await fixed(text, 'Remove `cache_dir`')).not.toContain('cache_dir');
  });

  it('take any letter case where the loader does', () => {
    const text =
      trinity.replace('repeat_tims: 4', 'repeat_times: 4') +
      lines('synchronizer: {sync_method: NCCL, sync_style: Fixd}');
    const dialect = dialectOf(text);
    const found = diagnose(parseConfig(text), dialect?.keys(), { dialect });
    const values = found.filter(({ rule }) => rule === 'unknown-value');
    expect(values.map(({ rule, message }) => `${rule} ${message.slice(0, 30)}`)).toEqual([
      expect.stringContaining('unknown-value `sync_style` cannot be'),
    ]);
  });
});

describe('keys that are missing', () => {
  it('are filled in together', async () => {
    const text = `${lines('ajet:', '  model: {path: Qwen/Qwen2.5-7B}', '  rollout: {user_workflow: a.b->C}', '  task_reader:', '    type: jsonl_dataset_file')}${steering}`;
    expect(await told(text, {}, 'missing-key')).toHaveLength(2);
    const after = await fixed(text, 'Add all 2 missing keys');
    expect(await told(after, {}, 'missing-key')).toEqual([]);
    expect(after.match(/file_path:/g)).toHaveLength(2);
    expect(after.match(/jsonl_dataset_file:/g)).toHaveLength(1);
  });

  it('are added to the item of a list that lacks them', async () => {
    const text = lines(
      'project: a',
      'checkpoint_root_dir: /c',
      'algorithm: {algorithm_type: grpo}',
      'model: {model_path: m}',
      'buffer:',
      '  explorer_input:',
      '    tasksets:',
      '      - name: one',
      '        path: x',
      '      - name: two',
    );
    expect(await told(text, {}, 'missing-key')).toEqual([expect.stringMatching(/^10 warning missing-key/)]);
    expect(await fixed(text, 'Add `buffer.explorer_input.tasksets[].path`')).toBe(
      `${text}        path: ""\n`,
    );
  });
});
