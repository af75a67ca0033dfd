import { describe, expect, test } from 'vitest';
import { parseNvidiaSmi, virtualGpus } from '../../../../../src/training/core/launch/nvidiaSmi.ts';
import {
  isModelPath,
  preflight,
  type PreflightFacts,
  rayFindings,
} from '../../../../../src/training/core/launch/preflight.ts';
import type { TinkerServer } from '../../../../../src/training/core/launch/preflightTinker.ts';
import type { RunOrder } from '../../../../../src/training/core/protocol/runs.ts';
import { ajetConfig, orderOf, stagedConfig, trainingOf, trinityConfig } from './orders.ts';

const gpu = (index: number, used = 4) => ({ index, name: 'NVIDIA H20', memory: 97_871, used, load: 0 });

const good: PreflightFacts = {
  gpus: [gpu(0), gpu(1), gpu(2), gpu(3)],
  gpusAreReal: true,
  launchers: { ajet: { found: true }, trinity: { found: true } },
  python: {
    version: [3, 11, 9],
    packages: { ray: '2.60.0', torch: '2.8', verl: '0.5.0', vllm: '0.11', 'trinity-rft': '0.4.0' },
  },
  diskFree: 500 * 1024 ** 3,
  jobFolderProblem: null,
  folderUser: null,
  stageBefore: null,
  ray: { running: true, why: '', run: null, holder: null },
  paths: new Map([
    ['/models/qwen/3b/instruct', true],
    ['/data/tasks', true],
    ['/data/train.jsonl', true],
  ]),
  variables: new Set(),
  tinker: null,
};

const tinkerConfig = trinityConfig.replace(
  '/models/qwen/3b/instruct\n',
  '/models/qwen/3b/instruct\n  tinker:\n    enable: true\n    base_url: http://127.0.0.1:8000\n',
);

const tinkerServer: TinkerServer = {
  ...{ kind: 'skyrl', name: 'SkyRL 0.4', wire: 'protobuf', checksKeys: false },
  models: [{ name: '/models/qwen/3b/instruct' }],
};

/** A host without a GPU that has everything for a Tinker server. */
const remote: Partial<PreflightFacts> = {
  gpus: [],
  python: {
    version: [3, 11, 9],
    packages: {
      ray: '2.60.0',
      torch: '2.15',
      verl: '0.8.0',
      vllm: null,
      'trinity-rft': '0.6.0',
      tinker: '0.25.0',
    },
    vllm: true,
  },
  diskFree: 5e9,
  tinker: { server: tinkerServer, problem: null, key: 'found' },
};

async function findings(
  text: string,
  facts: Partial<PreflightFacts>,
  order: Partial<RunOrder> = {},
): Promise<string[]> {
  const whole = orderOf({ launcher: text.startsWith('ajet:') ? 'ajet' : 'trinity', ...order });
  const training = await trainingOf(text, whole.backbone);
  return preflight(whole, training, { ...good, ...facts }).map(({ id, severity, key }) => {
    return `${severity} ${id}${key === undefined ? '' : ` ${key}`}`;
  });
}

describe('preflight', () => {
  test('a machine that has everything gives nothing to tell', async () => {
    expect(await findings(trinityConfig, {})).toEqual([]);
    expect(await findings(ajetConfig, {})).toEqual([]);
  });

  test('each stage is looked at, and what stages share is told once', async () => {
    const paths = new Map([['/models/qwen/3b/instruct', true]]);
    expect(await findings(stagedConfig, { paths })).toEqual([]);
    const none = new Map([...paths, ['/data/tasks', false], ['/data/examples', false]]);
    const config = stagedConfig
      .replace('engine_num: 2', 'engine_num: 4')
      .replace('stage_name: rl', 'stage_name: rl\n  - stage_name: sft\n    trainer: {trainer_type: tinker}');
    expect(await findings(config, { paths: none })).toEqual([
      'error gpus-no-trainer explorer.rollout_model.engine_num',
      'error stage-twice stages.2.stage_name',
      'error stage-trainer stages.2.trainer.trainer_type',
      'error data-missing stages.0.buffer.trainer_input.experience_buffer.path',
      'error data-missing buffer.explorer_input.taskset.path',
    ]);
    const always = stagedConfig.replace('total_steps: 40', 'save_hf_checkpoint: always');
    expect(await findings(always, {})).toEqual(['info stage-weights stages.0.trainer.save_hf_checkpoint']);
  });

  test.each([
    [
      'documents and example tasks that are generated from',
      `type: data_generation
    data_generation:
      document_reader: {document_path: [/gone/a.pdf, /here/b.pdf, /gone/c.pdf]}
      query_reader: {type: jsonl_dataset_file, jsonl_dataset_file: {training: {file_path: /gone/q.jsonl}}}`,
      [
        'data_generation.document_reader.document_path.0',
        'data_generation.document_reader.document_path.2',
        'data_generation.query_reader.jsonl_dataset_file.training.file_path',
      ],
    ],
    [
      'one document, and example tasks of a data set',
      `type: data_generation
    data_generation:
      document_reader: {document_path: /gone/a.pdf}
      query_reader: {type: huggingface_dat_repo, huggingface_dat_repo: {dataset_path: /gone/set}}`,
      [
        'data_generation.document_reader.document_path',
        'data_generation.query_reader.huggingface_dat_repo.dataset_path',
      ],
    ],
    [
      'traces',
      'type: tracing\n    feedback_tracing: {base_url: /gone/traces.db}',
      ['feedback_tracing.base_url'],
    ],
    [
      'what another reader would read is not',
      'type: huggingface_dat_repo\n    feedback_tracing: {base_url: /gone/traces.db}',
      [],
    ],
  ])('%s: each that is not there is told at its key', async (_, reader, keys) => {
    const text = ajetConfig.replace(/type: jsonl_dataset_file[^]*?(?=hydra:)/, `${reader}\n`);
    const gone = ['a.pdf', 'c.pdf', 'q.jsonl', 'set', 'traces.db'].map(
      (name) => [`/gone/${name}`, false] as const,
    );
    const found = await findings(text, { paths: new Map(gone) });
    // Generating tasks wants keys as well.
    expect(found.filter((one) => one.includes('data-'))).toEqual(
      keys.map((key) => `error data-missing ajet.task_reader.${key}`),
    );
  });

  test('samples that a judge is tuned with, and every task set of several, are told where they are not there', async () => {
    const paths = new Map(['/gone/0', '/gone/1', '/gone/2'].map((name) => [name, false]));
    const judge = `  task_judge:
    judge_type: rubrics_auto_grader
    rubrics_auto_grader: {input_data_type: jsonl_dataset_file, jsonl_dataset_file: {training: {file_path: /gone/0}}}
`;
    const variables = new Set(['DASHSCOPE_API_KEY']);
    expect(await findings(ajetConfig.replace(/(?=hydra:)/, judge), { paths, variables })).toEqual([
      'error data-missing ajet.task_judge.rubrics_auto_grader.jsonl_dataset_file.training.file_path',
    ]);
    const sets = `    tasksets: [{path: /data/tasks}, {path: /gone/1}]
    eval_tasksets: [{name: a}, {path: /gone/2}]
`;
    const text = trinityConfig.replace(/ {4}taskset:\n.*\n/, sets);
    expect(await findings(text, { paths })).toEqual([
      'error data-missing buffer.explorer_input.tasksets.1.path',
      'error data-missing buffer.explorer_input.eval_tasksets.1.path',
    ]);
  });

  test('stages that a folder has been through are skipped, which is told', async () => {
    expect(await findings(stagedConfig, { stageBefore: 0 })).toEqual([]);
    expect(await findings(stagedConfig, { stageBefore: 1 })).toEqual(['warning stages-skipped name']);
    const anew = `continue_from_checkpoint: false\n${stagedConfig}`;
    expect(await findings(anew, { stageBefore: 1 })).toEqual([
      'error stages-skipped continue_from_checkpoint',
    ]);
  });

  test('each thing that is missing is told at its key of the config', async () => {
    const facts: Partial<PreflightFacts> = {
      gpus: [gpu(0)],
      launchers: { trinity: { found: false } },
      python: {
        version: [3, 13, 0],
        packages: { ray: '2', torch: null, verl: '0.5.0', vllm: '1', 'trinity-rft': '0.4' },
      },
      diskFree: 10,
      jobFolderProblem: 'it is a system folder',
      ray: { running: false, why: 'nothing listens', run: null, holder: null },
      paths: new Map([
        ['/models/qwen/3b/instruct', false],
        ['/data/tasks', false],
      ]),
    };
    expect(await findings(trinityConfig, facts)).toEqual([
      'error launcher-missing',
      'error python-version',
      'error packages-missing',
      'error gpus-too-few cluster.gpu_per_node',
      'error ray-missing',
      'error job-folder checkpoint_root_dir',
      'error disk checkpoint_root_dir',
      'error model-missing model.model_path',
      'error data-missing buffer.explorer_input.taskset.path',
    ]);
  });

  test('a folder that another run is at work in', async () => {
    const user = (use: 'alone' | 'beside' | 'renamed') => ({ folderUser: { run: 'r', use } });
    expect(await findings(trinityConfig, user('alone'))).toEqual(['error folder-in-use name']);
    expect(await findings(trinityConfig, user('beside'))).toEqual(['warning folder-in-use name']);
    expect(await findings(trinityConfig, user('renamed'))).toEqual([]);
    const from = { run: 'r', step: 1, as: 'resume' } as const;
    expect(await findings(trinityConfig, user('alone'), { from })).toEqual(['error folder-in-use']);
  });

  test("a converted value is told at AgentJet's key", async () => {
    const facts = {
      gpus: [gpu(0)],
      jobFolderProblem: 'it contains the data of the host',
      paths: new Map([['/models/qwen/3b/instruct', false]]),
    };
    const told = [
      'error gpus-too-few ajet.trainer_common.n_gpus_per_node',
      'error job-folder ajet.trainer_common.checkpoint_base_dir',
      'error model-missing ajet.model.path',
    ];
    expect(await findings(ajetConfig, facts)).toEqual(told);
    expect(await findings(ajetConfig, { ...facts, python: null }, { backbone: 'verl' })).toEqual(told);
  });

  test('GPUs: fewer given than trained on, all taken by the engines, memory in use', async () => {
    expect(await findings(trinityConfig, {}, { gpus: 2 })).toEqual([
      'error gpus-not-given cluster.gpu_per_node',
    ]);
    const engines = trinityConfig.replace('engine_num: 2', 'engine_num: 4');
    expect(await findings(engines, {}, { launcher: 'trinity' })).toEqual([
      'error gpus-no-trainer explorer.rollout_model.engine_num',
    ]);
    const open = trinityConfig.replace(/cluster:\n.*\n.*\n/, '');
    expect(await findings(open, {}, { launcher: 'trinity', gpus: 0 })).toEqual([
      'warning gpus-none cluster.gpu_per_node',
    ]);
    const used = [gpu(0), gpu(1), gpu(2), gpu(3, 60_000)];
    expect(await findings(trinityConfig, { gpus: used })).toEqual([
      'warning gpu-memory cluster.gpu_per_node',
    ]);
    expect(await findings(trinityConfig, { gpus: virtualGpus(4), gpusAreReal: false })).toEqual([]);
    expect(await findings(trinityConfig, { gpus: null })).toEqual([
      'warning gpus-silent cluster.gpu_per_node',
    ]);
  });

  test('Ray that has to run, and Ray that must not', async () => {
    const stopped = { ray: { running: false, why: 'nothing listens', run: null, holder: null } };
    expect(await findings(ajetConfig, stopped)).toEqual(['error ray-missing']);
    expect(await findings(ajetConfig, stopped, { flags: ['--with-ray'] })).toEqual([]);
    expect(await findings(ajetConfig, {}, { flags: ['--with-ray'] })).toEqual(['warning ray-twice']);
  });

  test('Ray of another run: waited for, and never advised to be stopped', async () => {
    const ray = { running: true, why: '', run: 'x', holder: 'x' };
    const own = { flags: ['--with-ray'] };
    expect(await findings(ajetConfig, { ray }, own)).toEqual(['info ray-waits']);
    expect(await findings(ajetConfig, { ray: { ...ray, running: false, run: null } }, own)).toEqual([
      'info ray-waits',
    ]);
    expect(await findings(ajetConfig, { ray })).toEqual(['error ray-missing']);
    expect(await findings(trinityConfig, { ray })).toEqual(['error ray-missing']);
    expect(await findings(ajetConfig, { ray, python: null }, { backbone: 'verl' })).toEqual([
      'info ray-waits',
    ]);
    // Another host's, or of a run that has just ended.
    expect(await findings(ajetConfig, { ray: { ...ray, holder: null } }, own)).toEqual(['warning ray-twice']);
    const whole = orderOf(own);
    const told = rayFindings(whole, await trainingOf(ajetConfig), { ...ray, holder: null });
    expect(JSON.stringify(told)).not.toContain('ray stop');
  });

  test('a cluster is judged by nothing of this machine', async () => {
    const facts = {
      diskFree: 10,
      paths: new Map([
        ['/models/qwen/3b/instruct', false],
        ['/data/train.jsonl', false],
        ['/data/tasks', false],
      ]),
    };
    const ray = { launcher: 'ray', gpus: 0 } as const;
    expect(await findings(trinityConfig, facts, ray)).toEqual([
      'info disk checkpoint_root_dir',
      'info model-missing model.model_path',
      'info data-missing buffer.explorer_input.taskset.path',
    ]);
    expect(await findings(trinityConfig, {}, ray)).toEqual([]);
    expect(await findings(ajetConfig, facts, ray)).toEqual([
      'warning checkpoints-apart ajet.trainer_common.checkpoint_base_dir',
      'info model-missing ajet.model.path',
      'info data-missing ajet.task_reader.jsonl_dataset_file.training.file_path',
    ]);
    const swanlab = ajetConfig.replace('tensorboard', 'swanlab').replace('./checkpoints', '/shared');
    expect(await findings(swanlab, { python: null }, ray)).toEqual([
      'warning variable-missing ajet.trainer_common.logger',
    ]);
  });

  test('keys of services that the config names', async () => {
    const swanlab = ajetConfig.replace('tensorboard', 'swanlab');
    const packages = { ...good.python?.packages, swanlab: '0.6' };
    const facts = { python: { version: [3, 11, 0] as [number, number, number], packages } };
    expect(await findings(swanlab, facts)).toEqual(['error variable-missing ajet.trainer_common.logger']);
    expect(await findings(swanlab, { ...facts, variables: new Set(['SWANLAB_API_KEY']) })).toEqual([]);
    const unset = trinityConfig.replace('/models/qwen/3b/instruct', '${oc.env:MODEL}');
    expect(await findings(unset, {}, { launcher: 'trinity' })).toEqual([
      'warning config/environment-missing',
    ]);
  });

  const judge = (more = ''): string =>
    ajetConfig.replace(
      /(?=hydra:)/,
      `  task_judge:\n    judge_type: rubrics_auto_grader\n    rubrics_auto_grader: {input_data_type: env_service${more}}\n`,
    );
  const traces = (...filters: string[]): string =>
    ajetConfig.replace(
      /type: jsonl_dataset_file[^]*?(?=hydra:)/,
      `type: tracing\n    feedback_tracing: {base_url: ./traces.db, filters: [${filters.join(', ')}]}\n`,
    );
  const filter = 'ajet.task_reader.feedback_tracing.filters';
  test.each([
    ['a judge that makes its rubrics', judge(), ['ajet.task_judge.judge_type']],
    ['one whose key is empty', judge(", api_key: ''"), ['ajet.task_judge.judge_type']],
    ['one with a key of its own', judge(', api_key: sk-1'), []],
    ['another judge', judge().replace('_type: rubrics_auto_grader', '_type: customized_protocol'), []],
    [
      'filters that ask a model, or compare what a model makes of tasks',
      traces('{type: llm_evaluate, enabled: false}', '{type: llm_evaluate}', '{type: deduplication}'),
      [`${filter}.1.type`, `${filter}.2.type`],
    ],
    ['a filter with a key of its own', traces('{type: deduplication, params: {api_key: sk-1}}'), []],
    ['no filter', traces(), []],
    ['filters of another reader', traces('{type: llm_evaluate}').replace('tracing\n', 'env_service\n'), []],
  ])('%s: the key of DashScope is wanted where it is used', async (_, text, keys) => {
    const wanted = (severity: string): string[] => keys.map((key) => `${severity} variable-missing ${key}`);
    for (const backbone of ['trinity', 'verl'] as const) {
      const facts = backbone === 'verl' ? { python: null } : {};
      expect(await findings(text, facts, { backbone })).toEqual(wanted('error'));
      const variables = new Set(['DASHSCOPE_API_KEY']);
      expect(await findings(text, { ...facts, variables }, { backbone })).toEqual([]);
    }
    const told = await findings(text, {}, { launcher: 'ray', gpus: 0 });
    expect(told.filter((one) => one.includes('variable-'))).toEqual(wanted('warning'));
  });

  test("verl's version decides about the backbone", async () => {
    const python = {
      version: [3, 11, 0] as [number, number, number],
      packages: { ...good.python?.packages, verl: '0.5.0.post2' },
    };
    expect(await findings(ajetConfig, { python })).toEqual(['error verl-version']);
    expect(await findings(ajetConfig, { python }, { backbone: 'verl' })).toEqual([]);
  });

  test('the name of a hub is no path', () => {
    expect(['Qwen/Qwen2.5-7B', 'a/b', 'gpt2'].some(isModelPath)).toBe(false);
    expect(['/m', 'a/b/c/d', './m', '~/m'].every(isModelPath)).toBe(true);
  });
});

test('what nvidia-smi prints', () => {
  const output = [
    '0, NVIDIA H20, 97871, 4, 0',
    '1, NVIDIA H20, 97871, [N/A], [Not Supported]',
    '2, Odd, name, 80, 1, 99',
    'Failed to initialize NVML: Driver/library version mismatch',
    '',
  ].join('\r\n');
  expect(parseNvidiaSmi(output)).toEqual([
    { index: 0, name: 'NVIDIA H20', memory: 97871, used: 4, load: 0 },
    { index: 1, name: 'NVIDIA H20', memory: 97871, used: null, load: null },
    { index: 2, name: 'Odd, name', memory: 80, used: 1, load: 99 },
  ]);
});

describe('preflight for a Tinker server', () => {
  const texts = async (facts: Partial<PreflightFacts>, order: Partial<RunOrder> = {}): Promise<string[]> => {
    const whole = orderOf({ launcher: 'trinity', gpus: 0, ...order });
    const training = await trainingOf(tinkerConfig);
    const found = preflight(whole, training, { ...good, ...remote, ...facts });
    return found.map((one) => `${one.severity} ${one.id} ${one.key ?? ''}: ${one.message} ${one.hint ?? ''}`);
  };

  test('asks for no GPU, no vLLM as an engine, and no room for weights', async () => {
    expect(await texts({})).toEqual([]);
    const training = await trainingOf(tinkerConfig);
    expect([training.gpusPerNode.value, training.engineGpus.value, training.trainer.value]).toEqual([
      0,
      null,
      'tinker',
    ]);
  });

  test('a key that is missing, or that the SDK refuses', async () => {
    const missing = { tinker: { server: tinkerServer, problem: null, key: 'missing' } } as const;
    expect(await texts({ ...missing, variables: new Set(['TRINITY_API_KEY']) })).toEqual([
      expect.stringMatching(
        /^error variable-missing model\.tinker\.enable: .* TINKER_API_KEY.*Trinity-RFT does not read TRINITY_API_KEY\. .*--env TINKER_API_KEY.* any text after `tml-` will do\.$/,
      ),
    ]);
    expect(await texts(missing, { launcher: 'ray' })).toEqual([
      expect.stringMatching(/^warning variable-missing .* cluster nodes/),
    ]);
    expect(await texts({ tinker: { server: tinkerServer, problem: null, key: 'refused' } })).toEqual([
      expect.stringMatching(/^error tinker-key .* does not start with `tml-`/),
    ]);
  });

  test('a server that does not answer, or does not have the model', async () => {
    const silent = { server: null, problem: 'It does not answer.', key: 'found' } as const;
    expect(await texts({ tinker: silent })).toEqual([
      expect.stringMatching(/^error tinker-server model\.tinker\.base_url: It does not answer\./),
    ]);
    const models = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name }));
    const other = { server: { ...tinkerServer, models }, problem: null, key: 'found' } as const;
    expect(await texts({ tinker: other })).toEqual([
      'error tinker-model model.model_path: The Tinker server does not have the model `/models/qwen/3b/instruct`. Set `model.model_path` to a model of the server: `a`, `b`, `c`, `d`, `e` and 1 more.',
    ]);
  });

  test.each([
    [
      'an older SDK',
      { tinker: '0.20.1' },
      {},
      /^error tinker-sdk .* 0\.20\.1, which SkyRL 0\.4 does not understand\. Install `tinker>=0\.25,<0\.26`/,
    ],
    [
      'a later SDK',
      { tinker: '0.38.0' },
      {},
      /^warning tinker-sdk .* before 0\.26, and the launcher has 0\.38\.0/,
    ],
    ['no SDK', { tinker: null }, {}, /^error packages-missing .*missing in the launcher's Python: tinker\./],
    [
      'no module vllm',
      {},
      { vllm: false },
      /^error packages-missing .*0\.6\.0 imports `vllm` also with Tinker/,
    ],
    [
      'an older Python',
      {},
      { version: [3, 10, 4] as [number, number, number] },
      /^error python-version .*3\.11 or later/,
    ],
  ])('%s', async (_, packages: Record<string, string | null>, changes, expected) => {
    const { python } = remote;
    if (!python) throw new Error('The host has a Python.');
    const changed = { ...python, ...changes, packages: { ...python.packages, ...packages } };
    expect(await texts({ python: changed })).toEqual([expect.stringMatching(expected)]);
  });
});
