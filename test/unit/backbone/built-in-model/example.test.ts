import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { noGymEnv } from '../../../../src/backbone/core/env-service/gymEnv.ts';
import { createChatModel } from '../../../../src/backbone/core/model-tuner/tuner.ts';
import { createBuiltInModel } from '../../../../src/backbone/core/model-tuner/built-in/builtInModel.ts';
import type { ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import type * as sdk from '../../../../src/sdk/core/index.ts';
import { anyCall } from './request.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = path.join(root, 'media/examples/math_agent');

/** The example as its user's run loads it, with the real SDK. */
interface Example {
  readonly MathAgentWorkflow: new () => sdk.Workflow;
  readonly MathAnswerJudge: new (config: Record<string, unknown>) => sdk.BaseJudge;
  readonly evaluate: (expression: string) => number;
  readonly runCalculate: (argumentsJson: string) => string;
}

let example: Example;
let scratch: string;

beforeAll(async () => {
  const entry = ["export * from './workflow.ts'", "export * from './judge.ts'", "export * from './tools.ts'"];
  const { outputFiles } = await build({
    stdin: { contents: entry.join(';\n'), resolveDir: folder, loader: 'ts' },
    alias: { agentjet: path.join(root, 'src/sdk/core/index.ts') },
    nodePaths: [path.join(root, 'node_modules')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  scratch = await mkdtemp(path.join(tmpdir(), 'math-agent-'));
  const file = path.join(scratch, 'example.mjs');
  await writeFile(file, outputFiles[0]?.text ?? '');
  example = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Example;
});

afterAll(() => rm(scratch, { recursive: true }));

interface Row {
  readonly task_id: string;
  readonly main_query: string;
  readonly metadata: { readonly question: string; readonly answer: string };
}

async function readRows(split: 'train' | 'validation'): Promise<Row[]> {
  const text = await readFile(path.join(folder, 'data', `${split}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

function workflowTask(row: Row): sdk.WorkflowTask {
  const task = { ...row, init_messages: [], env_type: 'no_env' };
  return {
    task,
    taskId: row.task_id,
    envType: 'no_env',
    taskThreadIndex: 0,
    taskBatchIndex: 0,
    taskTag: '',
    episodeUuid: '',
    observationWindow: { step: [0], token: [0], stop: [false] },
    gymEnv: noGymEnv,
  };
}

/** A tuner whose requests the built-in model answers, sampled as episode `seed` would be. */
function tunerOf(temperature: number, seed: number, requests: ChatRequest[] = []): sdk.AjetTuner {
  const model = createBuiltInModel({ seed: 12345 });
  const fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
    const body = JSON.parse(String(init?.body)) as ChatRequest;
    requests.push(body);
    const sampled = { ...body, temperature, seed: seed * 100 + requests.length };
    const reply = await model.respond(sampled, neverCancelled, anyCall);
    if (reply.kind !== 'completion') throw new Error('the model refused the example');
    return Response.json(reply.completion);
  };
  const address = { baseUrl: 'http://127.0.0.1/v1', apiKey: 'key', model: 'any' };
  const openClient = (): OpenAI =>
    new OpenAI({ baseURL: address.baseUrl, apiKey: address.apiKey, fetch, maxRetries: 0 });
  return {
    config: {},
    asOpenAIClient: openClient,
    asOaiBaseUrlApiKey: () => address,
    getContextTracker: () => ({ contextOverflow: false }),
    asChatModel: () => createChatModel({ modelName: 'ajet', obeysChoice: false, openClient }),
    auxiliaryModels: {},
  };
}

async function episode(
  row: Row,
  temperature: number,
  seed: number,
): Promise<{ output: sdk.WorkflowOutput; reward: number }> {
  const task = workflowTask(row);
  const output = await new example.MathAgentWorkflow().execute(task, tunerOf(temperature, seed));
  const verdict = await new example.MathAnswerJudge({}).computeReward(task, output);
  if (!('reward' in verdict)) throw new Error('the judge of the example returns an object');
  return { output, reward: verdict.reward };
}

describe('the data', () => {
  it.each([
    ['train', 60],
    ['validation', 20],
  ] as const)(
    '%s has %d problems or more, each with an answer that its own steps prove',
    async (split, least) => {
      const rows = await readRows(split);
      expect(rows.length).toBeGreaterThanOrEqual(least);
      expect(new Set(rows.map(({ task_id: id }) => id)).size).toBe(rows.length);
      for (const { main_query: query, metadata } of rows) {
        expect(metadata.question).toBe(query);
        const [steps = '', final = '', ...more] = metadata.answer.split('#### ');
        expect(more).toEqual([]);
        const values = [...steps.matchAll(/: ([\d.+\-*/ ]+) = ([\d.]+)\.(?: |$)/g)].map(
          ([, expression = '', value = '']) => {
            expect(String(example.evaluate(expression)), query).toBe(value);
            return value;
          },
        );
        expect(values.at(-1), query).toBe(final);
      }
    },
  );

  it('has no problem in both splits', async () => {
    const train = new Set((await readRows('train')).map(({ main_query: query }) => query));
    expect((await readRows('validation')).filter(({ main_query: query }) => train.has(query))).toEqual([]);
  });
});

describe('the agent with the built-in model', () => {
  it('solves at least 60 % of the data at temperature 1, and more at 0', async () => {
    const rows = [...(await readRows('train')), ...(await readRows('validation'))];
    const rate = async (temperature: number): Promise<number> => {
      const rewards = await Promise.all(
        rows.map(async (row, index) => (await episode(row, temperature, index)).reward),
      );
      return rewards.reduce((sum, reward) => sum + reward, 0) / rows.length;
    };
    const sampled = await rate(1);
    expect(sampled).toBeGreaterThanOrEqual(0.6);
    expect(await rate(0)).toBeGreaterThan(sampled);
  });

  it('gives rewards that differ between repeats of the first tasks', async () => {
    const rows = (await readRows('train')).slice(0, 4);
    const rewards = await Promise.all(
      rows.flatMap((row, index) =>
        [0, 1, 2, 3].map(async (repeat) => (await episode(row, 1, index * 4 + repeat)).reward),
      ),
    );
    expect(new Set(rewards)).toEqual(new Set([0, 1]));
  });

  it('asks, calls the calculator, and asks again with its result', async () => {
    const [row] = await readRows('train');
    if (row === undefined) throw new Error('no data');
    const requests: ChatRequest[] = [];
    const output = await new example.MathAgentWorkflow().execute(workflowTask(row), tunerOf(0, 1, requests));
    expect(requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool'],
    ]);
    expect(requests[1]?.messages[3]).toMatchObject({ content: '17' });
    expect(output).toMatchObject({ reward: null, metadata: { calls: 2 } });
    expect(output.metadata?.['final_answer']).toContain('\\boxed{17}');
  });
});

describe('the calculator', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['24 / 4 / 2', 3],
    ['-(2 - 5) * +2', 6],
    ['.5 * 8', 4],
    ['0.1 + 0.2', 0.3],
    [' ( ( 7 ) ) ', 7],
  ])('evaluates %s', (expression, value) => {
    expect(example.evaluate(expression)).toBe(value);
  });

  it.each(['', '1 +', '(1', '1)', '2 3', '1 / 0', 'process.exit()', '1 ** 2', 'x', '1.2.3'])(
    'refuses %j',
    (expression) => {
      expect(() => example.evaluate(expression)).toThrow(/\w/);
    },
  );

  it('returns what went wrong as text that the model can read', () => {
    expect(example.runCalculate('{"expression":"6 * 7"}')).toBe('42');
    for (const broken of ['', 'not json', '{}', '{"expression":5}', 'null', '{"expression":"1/0"}']) {
      expect(example.runCalculate(broken)).toMatch(/^Error: /);
    }
  });
});

describe('the judge', () => {
  const judge = (answer: unknown, finalAnswer: unknown): ReturnType<sdk.BaseJudge['computeReward']> => {
    const task = workflowTask({
      task_id: 't',
      main_query: '',
      metadata: { question: '', answer: answer as string },
    });
    return new example.MathAnswerJudge({}).computeReward(task, { metadata: { final_answer: finalAnswer } });
  };

  it.each([
    ['… #### 42', 'So \\boxed{42}.', 1],
    ['… #### 42', 'So \\boxed{42.0}.', 0],
    ['… #### 42', 'So \\boxed{ 42 }.', 0],
    ['… #### 42', 'So 42.', 0],
    ['a #### 1 b ####  7 ', '\\boxed{7} or \\boxed{1}', 1],
    ['7', '\\boxed{7}', 1],
  ])('compares %j with %j', (answer, finalAnswer, reward) => {
    expect(judge(answer, finalAnswer)).toEqual({ reward, isSuccess: reward === 1 });
  });

  it('says what it lacks', () => {
    expect(() => judge('#### 1', undefined)).toThrow('final_answer');
    expect(() => judge(undefined, '\\boxed{1}')).toThrow('metadata.answer');
  });
});
