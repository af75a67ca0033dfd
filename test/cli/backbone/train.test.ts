/** Training through a Tinker server: a scripted server, whose replies the tests choose, and the real command. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { onTestFinished, describe, expect, it } from 'vitest';
import { openTrace } from '../harness/trace.ts';
import { runCli, startCli, type Outcome } from '../harness/cli.ts';
import { descendants, living } from '../harness/processes.ts';
import { rows, smallProject, smallWorkflow, type Project } from '../harness/project.ts';
import { TinkerServer, type ReplyRequest, type TinkerServerOptions } from '../../tools/tinkerServer.ts';

/** Its tokenizer comes with AgentJet. */
const model = 'Qwen/Qwen2.5-0.5B-Instruct';
const [good, bad, end] = [32, 33, 151_645] as const; // A, B and <|im_end|>

/** Half of the replies are good, by their seed. */
const mixed = ({ seed = 0 }: ReplyRequest): readonly number[] => [seed % 2 === 0 ? good : bad, end];

async function startServer(options: TinkerServerOptions = {}): Promise<TinkerServer> {
  const server = await TinkerServer.start({ models: [model], reply: mixed, ...options });
  onTestFinished(() => server.close());
  return server;
}

const config = `ajet:
  model: { path: ${model} }
  data: { train_batch_size: 2 }
  task_reader:
    type: jsonl_dataset_file
    jsonl_dataset_file:
      training: { file_path: tasks.jsonl }
      validation: { file_path: tasks.jsonl }
  rollout:
    user_workflow: workflow.ts->Small
    num_repeat: 4
    temperature: 1.0
  trainer_common:
    total_epochs: 2
    save_freq: 3
    test_freq: 2
    val_pass_n: 1
    use_kl_loss: false
    optim: { lr: 0.001 }
hydra: { searchpath: ['file://ajet/default_config'] }
defaults: [ajet_default, _self_]
`;

const workflow = smallWorkflow(`const client = tuner.asOpenAIClient();
    const messages = [{ role: 'system', content: 's' }, { role: 'user', content: workflowTask.task.main_query }];
    const reply = await client.chat.completions.create({ model: 'm', messages });
    return { reward: reply.choices[0].message.content === 'A' ? 1 : 0 };`);

/** Four tasks: two steps in an epoch. */
function project(changes: readonly (readonly [from: string, to: string])[] = []): Promise<Project> {
  const changed = changes.reduce((text, [from, to]) => text.replace(from, to), config);
  return smallProject({ 'train.yaml': changed, 'workflow.ts': workflow, 'tasks.jsonl': rows(4) });
}

function train(folder: Project, server: TinkerServer, ...more: readonly string[]): Promise<Outcome> {
  return runCli(folder, [...trainArguments(server), ...more]);
}

const trainArguments = (server: Pick<TinkerServer, 'url'>) =>
  ['--conf', 'train.yaml', '--backbone', 'tinker', '--tinker-url', server.url] as const;

interface State {
  readonly step: number;
  readonly status: string;
  readonly reason?: string;
  readonly checkpoints: readonly { readonly step: number; readonly path: string }[];
  readonly usage: {
    readonly prefill: number;
    readonly sample: number;
    readonly train: number;
    readonly seconds: number;
    readonly cost?: number;
  };
}

function folderOf(text: string): string {
  return /^results: (.*)$/m.exec(text)?.[1] ?? '';
}

function stateIn(folder: string): State {
  return JSON.parse(readFileSync(`${folder}/training.json`, 'utf8')) as State;
}

describe('a training', () => {
  it('rolls out, updates, validates and saves, as the config says', async () => {
    const server = await startServer();
    const { code, stdout, stderr } = await train(await project(), server);
    expect(stderr.match(/^(?:step|validation after step|checkpoint of step) \d/gm)).toEqual([
      'step 1',
      'step 2',
      'validation after step 2',
      'step 3',
      'checkpoint of step 3',
      'step 4',
      'validation after step 4',
      'checkpoint of step 4',
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^trained 4 steps; mean reward by step: [\d. ]+$/m);
    const folder = folderOf(stderr);
    expect(stateIn(folder)).toMatchObject({ step: 4, status: 'completed' });
    const [session] = server.sessions.values();
    expect(session).toMatchObject({ beats: expect.any(Number) as number });
    expect(server.sent('unload_model')).toHaveLength(1);

    const datums = server.sent('forward_backward').flatMap(({ body }) => body.pass?.datums ?? []);
    expect(datums.length).toBeGreaterThan(0);
    for (const { tokens, inputs } of datums) {
      const { target_tokens: targets = [], advantages = [], weights = [], logprobs = [] } = inputs;
      // The reply, and the end token that the model sampled.
      const counted = targets.filter((_, at) => weights[at] === 1);
      expect([
        [good, end],
        [bad, end],
      ]).toContainEqual(counted);
      const [advantage = 0] = advantages.filter((_, at) => weights[at] === 1);
      expect(Math.sign(advantage)).toBe(counted[0] === good ? 1 : -1);
      expect(logprobs.filter((_, at) => weights[at] === 1).every((logprob) => logprob < 0)).toBe(true);
      expect(tokens.slice(1)).toEqual(targets.slice(0, -1));
    }
    const trace = openTrace(`${folder}/steps/step-0001.ajtrace`);
    expect(trace.read((views) => views.episodes(0, 100)).total).toBe(8);
  });

  it('continues after a kill at any moment with the same steps, and trains none twice', async () => {
    const server = await startServer();
    const folder = await project();
    const run = startCli(folder, [...trainArguments(server), '--seed', '7', '--repeat', '3']);
    await run.wrote(/^checkpoint of step 3/m);
    const processes = descendants(run.pid);
    for (const pid of processes) process.kill(pid, 'SIGKILL');
    const { stderr } = await run.exited;
    await expect.poll(() => living(processes)).toEqual([]);
    server.restart();

    const saved = folderOf(stderr);
    const { code, stderr: second } = await runCli(folder, ['resume', saved]);
    expect(second.match(/^step \d/gm)).toEqual(['step 4']);
    expect(code).toBe(0);
    expect(server.sent('load_weights').map(({ body }) => body.path)).toEqual([
      stateIn(saved).checkpoints[0]?.path,
    ]);
    const lines = readFileSync(`${saved}/metrics.jsonl`, 'utf8').trim().split('\n');
    const steps = lines.map((line) => JSON.parse(line) as { kind: string; step: number });
    expect(steps.filter(({ kind }) => kind === 'step').map(({ step }) => step)).toEqual([1, 2, 3, 4]);
    expect(stateIn(saved).checkpoints.map(({ step }) => step)).toEqual([3, 4]);
    // With the options of the first run.
    expect(stateIn(saved)).toMatchObject({ seed: 7, options: { repeat: 3 } });
    expect(second).toMatch(/6 episodes \(2 tasks × 3\)/);
  });

  it('continues before a checkpoint that was deleted, and not if all were', async () => {
    const server = await startServer();
    const folder = await project();
    const { stderr } = await train(folder, server);
    const saved = folderOf(stderr);
    const sampler = /^checkpoint of step 4: (.*)$/m.exec(stderr)?.[1] ?? '';
    const remove = (...steps: readonly string[]): Promise<Outcome> =>
      runCli(folder, ['checkpoints', 'delete', saved, ...steps.flatMap((step) => ['--step', step]), '--yes']);
    expect((await remove('4')).code).toBe(0);
    const debugged = await runCli(folder, [
      ...['--conf', 'train.yaml', '--checkpoint', sampler, '--tinker-url', server.url, '--tasks', '1'],
    ]);
    expect(debugged.stderr).toMatch(/Weights may have been deleted.*/);
    expect(debugged.stderr).toContain('[tinker/no-weights]');

    const { code, stderr: second } = await runCli(folder, ['resume', saved]);
    expect(second).toContain('The checkpoint of step 4 was deleted, so the training continues after step 3.');
    expect(second.match(/^step \d/gm)).toEqual(['step 4']);
    expect(code).toBe(0);
    expect(stateIn(saved)).toMatchObject({ checkpoints: [{ step: 3 }, { step: 4 }], deleted: [] });

    await remove('3', '4');
    const last = await runCli(folder, ['resume', saved]);
    expect([last.code, last.stderr]).toEqual([2, expect.stringContaining('[trainer/checkpoints-deleted]')]);
    expect(server.models.size).toBe(0);
  });

  it('ends at Ctrl-C with a checkpoint of its last step', async () => {
    const server = await startServer();
    const release = server.hold('asample');
    const folder = await project([['total_epochs: 2', 'total_epochs: 200']]);
    const run = startCli(folder, trainArguments(server));
    await server.received('asample', 1);
    release();
    await run.wrote(/^step 2 of/m);
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.exited;
    expect(code).toBe(130);
    const { step, status, checkpoints } = stateIn(folderOf(stderr));
    expect(status).toBe('cancelled');
    expect(checkpoints.at(-1)?.step).toBe(step);
    expect(stdout).toContain(`continue with: agentjet resume ${folderOf(stderr)}`);
    expect(server.sent('unload_model')).toHaveLength(1);
  });

  it.each(['save_weights_for_sampler', 'forward_backward'])(
    'ends at Ctrl-C with its last checkpoint while the server never finishes %s',
    async (path) => {
      const server = await startServer();
      const folder = await project([
        ['total_epochs: 2', 'total_epochs: 200'],
        ['save_freq: 3', 'save_freq: 1'],
        ['test_freq: 2', 'test_freq: -1'],
      ]);
      const run = startCli(folder, trainArguments(server));
      await run.wrote(/^checkpoint of step 2/m);
      const { length } = server.sent(path);
      server.hold(path);
      await server.received(path, length + 1);
      run.child.kill('SIGINT');
      const { code, stderr } = await run.exited;
      expect(code).toBe(130);
      const { step, status, checkpoints } = stateIn(folderOf(stderr));
      expect(status).toBe('cancelled');
      expect(checkpoints.at(-1)?.step).toBe(step);
      expect(server.sent('unload_model')).toHaveLength(1);
    },
  );

  it('changes no weights where all rewards of each task are equal, and says so', async () => {
    const server = await startServer({ reply: () => [good, end] });
    const { code, stderr } = await train(await project(), server, '--steps', '1');
    expect(stderr).toMatch(/^step 1 of 1: mean reward 1, nothing trained, because all rewards/m);
    expect(server.sent('forward_backward')).toEqual([]);
    expect(server.sent('optim_step')).toEqual([]);
    expect(code).toBe(0);
  });

  it('stops before the update if trainer and sampler mean different tokens', async () => {
    let isTraining = (): boolean => false;
    const server = await startServer({ logprobOf: () => (isTraining() ? -9 : -0.1) });
    isTraining = () => server.sent('forward_backward').length > 0;
    const { code, stderr } = await train(await project(), server);
    expect(stderr).toContain('[trainer/logprobs-wrong]');
    const trace = openTrace(`${folderOf(stderr)}/steps/step-0001.ajtrace`);
    expect(trace.read((views) => views.run()).end).toMatchObject({ status: 'completed' });
    expect(server.sent('optim_step')).toEqual([]);
    expect(code).toBe(2);
  });

  it('compares with the base model at each step', async () => {
    const server = await startServer();
    const folder = await project([['use_kl_loss: false', 'use_kl_loss: true']]);
    const { code, stderr } = await train(folder, server, '--steps', '3');
    expect(code).toBe(0);
    const lines = readFileSync(`${folderOf(stderr)}/metrics.jsonl`, 'utf8')
      .trim()
      .split('\n');
    const steps = lines.map((line) => JSON.parse(line) as { kind: string; values: object });
    for (const { values } of steps.filter(({ kind }) => kind === 'step'))
      expect(values).toMatchObject({ 'actor/kl_loss': expect.any(Number) as number });
    expect(steps.filter(({ kind }) => kind === 'step')).toHaveLength(3);
  });

  it('trains only what the training report counts', async () => {
    const server = await startServer();
    const folder = await project();
    await folder.edit('workflow.ts', "{ role: 'system', content: 's' }, ", '');
    const { stderr } = await train(folder, server, '--steps', '1');
    expect(stderr).toMatch(/8 episodes do not train: .*\[missing-system-message\] \[trainer\/not-trained\]/);
    expect(server.sent('forward_backward')).toEqual([]);
  });
});

describe('the budget', () => {
  const price = ['--price', `${model}=100,200,300`] as const;

  it('counts what the server processed, and shows an estimate and a projection', async () => {
    const server = await startServer();
    const { code, stdout, stderr } = await train(await project(), server, ...price);
    expect(code).toBe(0);
    const { usage } = stateIn(folderOf(stderr));
    const { prefill, sample, train: trained } = usage;
    expect({ prefill, sample, train: trained }).toEqual(tokensOf(server));
    expect(usage.cost).toBeCloseTo((prefill * 100 + sample * 200 + trained * 300) / 1e6, 9);
    expect(usage.seconds).toBeGreaterThan(0);
    expect(stderr).toMatch(
      /^upper bound for 32 episodes of .* LLM calls?, without validations: .*, a cost of/m,
    );
    expect(stderr.match(/^projection: .*$/gm)).toEqual([
      expect.stringMatching(/the other 3 steps take .* s, [\d,]+ tokens, a cost of [\d.]+$/),
    ]);
    const used = new RegExp(
      `^used in all: .*, ${prefill.toLocaleString('en')} prompt tokens, .*, a cost of`,
      'm',
    );
    expect(stdout).toMatch(used);
    const last =
      readFileSync(`${folderOf(stderr)}/metrics.jsonl`, 'utf8')
        .trim()
        .split('\n')
        .at(-2) ?? '';
    expect((JSON.parse(last) as { values: object }).values).toMatchObject({
      'usage/sample_tokens': expect.any(Number) as number,
      'usage/hours': expect.any(Number) as number,
      'usage/cost': expect.any(Number) as number,
    });
  });

  it.each([
    ['tokens', ['--max-tokens', '420'], /limit of 420 tokens/],
    ['the cost', ['--max-cost', '0.06', ...price], /limit of a cost of 0\.06/],
  ])('of %s ends the training with a checkpoint, and a higher one continues it', async (_, flags, text) => {
    const server = await startServer();
    const folder = await project();
    const { code, stdout, stderr } = await train(folder, server, ...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(text);
    expect(stderr).toContain('[model/limit-reached]');
    const saved = folderOf(stderr);
    const { step, status, reason, checkpoints, usage } = stateIn(saved);
    expect([status, checkpoints.at(-1)?.step]).toEqual(['limit-reached', step]);
    expect(reason).toMatch(text);
    expect(step).toBeGreaterThan(0);
    expect(stdout).toContain(`continue with: agentjet resume ${saved}`);
    // No step is half trained.
    expect(server.sent('optim_step')).toHaveLength(step);
    expect(server.sent('unload_model')).toHaveLength(1);

    const again = await runCli(folder, ['resume', saved]);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(text);
    const [limit = ''] = flags;
    const more = await runCli(folder, ['resume', saved, limit, '100000']);
    expect(more.code).toBe(0);
    const end = stateIn(saved);
    expect(end).toMatchObject({ step: 4, status: 'completed' });
    expect(end.usage.prefill).toBeGreaterThan(usage.prefill);
    expect(end.usage).toMatchObject(tokensOf(server));
  });

  it('of hours ends a step while the server answers nothing', async () => {
    const server = await startServer();
    const release = server.hold('asample');
    const hours = 1 / 3_600;
    const { code, stderr } = await train(await project(), server, '--max-hours', String(hours));
    release();
    expect(code).toBe(2);
    expect(stderr).toMatch(/limit of [\d.]+ h /);
    const { step, status, usage } = stateIn(folderOf(stderr));
    expect([status, step]).toEqual(['limit-reached', 0]);
    expect(usage.seconds).toBeGreaterThanOrEqual(1);
  });

  it('of a validation ends the training too', async () => {
    const server = await startServer();
    const folder = await project([['test_freq: 2', 'test_freq: 1']]);
    const used = stateIn(folderOf((await train(folder, server, '--steps', '1')).stderr)).usage;
    const limit = used.prefill + used.sample + used.train - 1;
    const { code, stderr } = await train(folder, server, '--max-tokens', String(limit));
    expect(code).toBe(2);
    expect(stderr).not.toContain('validation after');
    expect(stateIn(folderOf(stderr))).toMatchObject({ status: 'limit-reached', step: 1 });
  });
});

/** The tokens of all requests that a server got and of its replies, of which each has two. */
function tokensOf(server: TinkerServer): { prefill: number; sample: number; train: number } {
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  const asked = server.sent('asample').map(({ body }) => body);
  const datums = server.sent('forward_backward').flatMap(({ body }) => body.pass?.datums ?? []);
  return {
    prefill: sum(asked.flatMap(({ prompt }) => prompt.chunks.map(({ tokens }) => tokens.length))),
    sample: 2 * sum(asked.map(({ num_samples }) => num_samples)),
    train: sum(datums.map(({ tokens }) => tokens.length)),
  };
}

describe('bad input', () => {
  it.each([
    ['no model of that name', { models: ['other', 'third'] }, [], 'trainer/no-such-model', 'other, third'],
    [
      'a batch that the tasks cannot fill',
      {},
      [['batch_size: 2', 'batch_size: 5']],
      'trainer/batch-size',
      'train.yaml:3',
    ],
    [
      'a model whose tokenizer is not here',
      {},
      [[`path: ${model}`, 'path: Some/Model']],
      'trainer/tokenizer',
      '',
    ],
    [
      'another algorithm',
      {},
      [['use_kl_loss: false', 'algorithm: { adv_estimator: gae }']],
      'trainer/unsupported',
      'train.yaml:18',
    ],
    [
      'a format of tool calls that AgentJet does not read',
      {},
      [['num_repeat: 4', 'num_repeat: 4\n    vllm_tool_parser: openai']],
      'model/tool-parser',
      'train.yaml:12',
    ],
  ] as const)('%s is refused before anything is trained', async (_, options, changes, code, told) => {
    const server = await startServer(options);
    const folder = await project(changes);
    const outcome = await train(folder, server);
    expect(outcome.stderr).toContain(`[${code}`);
    expect(outcome.stderr).toContain(told);
    expect(outcome.code).toBe(2);
    expect(server.sent('asample')).toEqual([]);
    expect([...server.models.values()]).toEqual([]);
    expect(existsSync(folder.path('saved_experiments'))).toBe(false);
  });

  it.each([
    ['a limit of the cost without prices', ['--max-cost', '5'], '[trainer/no-price', `--price ${model}=`],
    [
      'prices of another model',
      ['--max-cost', '5', '--price', 'other=1,2,3'],
      '[trainer/no-price',
      'the prices are of other',
    ],
    [
      'a price that is incomplete',
      ['--price', `${model}=1,2`],
      '[cli/usage',
      'is not NAME=PREFILL,SAMPLE,TRAIN',
    ],
    ['a price that is not a number', ['--price', `${model}=1,2,x`], '[cli/usage', 'train'],
    ['a limit that is not positive', ['--max-hours', '0'], '[cli/usage', '--max-hours'],
  ] as const)('%s is refused before anything is trained', async (_, flags, code, told) => {
    const server = await startServer();
    const folder = await project();
    const outcome = await train(folder, server, ...flags);
    expect(outcome.stderr).toContain(code);
    expect(outcome.stderr).toContain(told);
    expect(outcome.code).toBe(2);
    expect([...server.models.values()]).toEqual([]);
    expect(existsSync(folder.path('saved_experiments'))).toBe(false);
  });

  it('a limit of the cost is refused where nothing is trained', async () => {
    const { code, stderr } = await runCli(await project(), ['--conf', 'train.yaml', '--max-cost', '5']);
    expect(stderr).toContain('--max-cost must be left out');
    expect(code).toBe(2);
  });

  it('a workflow that always fails ends the training with its error', async () => {
    const server = await startServer();
    const folder = await project();
    await folder.edit('workflow.ts', 'const client', "throw new Error('not like this');\n    const client");
    const { code, stderr } = await train(folder, server);
    expect(stderr).toContain('not like this');
    expect(stderr).toContain('[trainer/all-failed]');
    expect(code).toBe(2);
    expect(server.sent('unload_model')).toHaveLength(1);
  });

  it('another batch size is refused at a resume, and the metrics stay', async () => {
    const server = await startServer();
    const folder = await project([['save_freq: 3', 'save_freq: 1']]);
    const saved = folderOf((await train(folder, server, '--steps', '2')).stderr);
    const metrics = readFileSync(`${saved}/metrics.jsonl`, 'utf8');
    const state = readFileSync(`${saved}/training.json`, 'utf8');
    // The state after a kill during the second step.
    const first = { ...(JSON.parse(state) as State), checkpoints: stateIn(saved).checkpoints.slice(0, 1) };
    writeFileSync(`${saved}/training.json`, JSON.stringify(first));
    await folder.edit('train.yaml', 'train_batch_size: 2', 'train_batch_size: 1');
    const { code, stderr } = await runCli(folder, ['resume', saved]);
    expect(stderr).toContain('[trainer/other-batch]');
    expect(code).toBe(2);
    expect(readFileSync(`${saved}/metrics.jsonl`, 'utf8')).toBe(metrics);
  });

  it('a folder without a training cannot be resumed', async () => {
    const { code, stderr } = await runCli(await project(), ['resume', '.']);
    expect(stderr).toContain('[trainer/no-training]');
    expect(code).toBe(2);
  });
});

it('a checkpoint answers in a debug run', async () => {
  const server = await startServer();
  const folder = await project();
  const { stderr } = await train(folder, server, '--steps', '1');
  const sampler = /^checkpoint of step 1: (.*)$/m.exec(stderr)?.[1] ?? '';
  const run = ['--conf', 'train.yaml', '--checkpoint', sampler, '--tinker-url', server.url, '--tasks', '1'];
  const { code, stderr: debugged } = await runCli(folder, run);
  expect(debugged).toContain(`model ${sampler} on SkyRL 0.4`);
  expect(code).toBe(0);
  expect(server.sent('unload_model')).toHaveLength(2);
});
