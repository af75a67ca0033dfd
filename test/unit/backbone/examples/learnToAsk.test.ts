import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noGymEnv } from '../../../../src/backbone/core/env-service/gymEnv.ts';
import type * as sdk from '../../../../src/sdk/core/index.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = path.join(root, 'media/examples/learn_to_ask');

type Ask = sdk.JudgeHelper['ask'];

interface Example {
  readonly Learn2AskJudge: new (config: Record<string, unknown>) => sdk.BaseJudge;
  readonly gradeQuestion: (
    grader: sdk.JudgeHelper,
    dialogue: readonly sdk.InitMessage[],
    question: string,
    facts: string,
  ) => Promise<{ readonly content: number; readonly format: number }>;
}

let example: Example;
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'learn-to-ask-'));
  const file = path.join(scratch, 'example.mjs');
  await build({
    stdin: {
      contents: "export * from './judge.ts'; export * from './grading.ts';",
      resolveDir: folder,
      loader: 'ts',
    },
    alias: { agentjet: path.join(root, 'src/sdk/core/index.ts') },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: file,
  });
  await writeFile(path.join(scratch, 'package.json'), '{"type": "module"}');
  example = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Example;
});

afterAll(() => rm(scratch, { recursive: true }));

/** What AgentJet's own example makes of a doctor's line; its reward is null where it raises. */
interface Case {
  readonly dialogue: readonly sdk.InitMessage[];
  readonly response: string;
  readonly truth: string;
  readonly facts: string;
  /** What its grader answers. */
  readonly grade: string;
  /** What that was asked about; null: it was not asked. */
  readonly asked: string | null;
  readonly reward: number | null;
}

function workflowTask(dialogue: Case['dialogue'], metadata: Record<string, unknown>): sdk.WorkflowTask {
  return {
    task: { main_query: '', init_messages: dialogue, task_id: 'a_1', env_type: 'no_env', metadata },
    taskId: 'a_1',
    envType: 'no_env',
    taskThreadIndex: 0,
    taskBatchIndex: 0,
    taskTag: '',
    episodeUuid: '',
    observationWindow: { step: [0], token: [0], stop: [false] },
    gymEnv: noGymEnv,
  };
}

async function judged(
  { dialogue, response, truth, facts }: Omit<Case, 'grade' | 'asked' | 'reward'>,
  ask: Ask,
): Promise<sdk.JudgeVerdict> {
  const judge = new example.Learn2AskJudge({});
  judge.helperLlm = { ask };
  const metadata = { decision_truth: truth, info_truth: facts };
  return judge.computeReward(workflowTask(dialogue, metadata), { metadata: { response } });
}

const someCase = { dialogue: [], response: 'Does it itch?', truth: 'continue', facts: 'itching eyes' };

describe('the judge of learn_to_ask', () => {
  it("rewards as AgentJet's own function does, and asks the grader about the same conversation", async () => {
    const file = path.join(root, 'test/fixtures/learn_to_ask/rewards.json');
    const cases = JSON.parse(await readFile(file, 'utf8')) as readonly Case[];
    const results = await Promise.all(
      cases.map(async (one) => {
        let asked: string | null = null;
        const ask: Ask = (messages) => {
          asked = messages.at(-1)?.content ?? null;
          return Promise.resolve(one.grade);
        };
        try {
          const verdict = await judged(one, ask);
          return { asked, reward: 'reward' in verdict ? verdict.reward : verdict[0] };
        } catch (error) {
          expect(String(error)).toMatch(/^Error: The grader's (format|content)_score is "/);
          return { asked, reward: null };
        }
      }),
    );
    expect(results).toEqual(cases.map(({ asked, reward }) => ({ asked, reward })));
    expect(cases.filter(({ reward }) => reward === null).length).toBeGreaterThan(10);
  });

  it('shows the facts to the grader', async () => {
    let instructions: string | undefined;
    await judged(someCase, (messages) => {
      instructions = messages[0]?.content;
      return Promise.resolve('');
    });
    expect(instructions).toMatch(/\n\nFacts: itching eyes$/);
  });

  it('takes the right decision for success', async () => {
    const grade = '<format_score>0</format_score><content_score>0</content_score>';
    expect(await judged(someCase, () => Promise.resolve(grade))).toEqual({ reward: 1, isSuccess: true });
    const early = { ...someCase, response: '<stop />' };
    const ask: Ask = () => Promise.reject(new Error('There is nothing to grade.'));
    expect(await judged(early, ask)).toEqual({ reward: 0, isSuccess: false });
  });

  it('says which field a row or an output lacks', async () => {
    const judge = new example.Learn2AskJudge({});
    const scored = async (row: Record<string, unknown>, metadata: Record<string, unknown>) =>
      judge.computeReward(workflowTask([], row), { metadata });
    const row = { decision_truth: 'stop', info_truth: '' };
    await expect(scored(row, {})).rejects.toMatchObject({
      name: 'JudgeInputError',
      source: 'output',
      message: "The judge needs metadata.response of the workflow's output to be a text.",
    });
    await expect(scored({ decision_truth: 'stop' }, { response: '<stop />' })).rejects.toMatchObject({
      source: 'task',
      message: 'The judge needs metadata.info_truth of the task to be a text.',
    });
  });
});

describe('the grader', () => {
  it('is asked about 16 questions at a time, the failed ones too, and each gets its own grade', async () => {
    let running = 0;
    let most = 0;
    const grader: sdk.JudgeHelper = {
      ask: async (messages) => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        const number = /question (\d+)/.exec(messages.at(-1)?.content ?? '')?.[1] ?? '';
        if (Number(number) % 7 === 0) throw new Error(number);
        return `<content_score>${number}</content_score>`;
      },
    };
    const grades = await Promise.allSettled(
      Array.from({ length: 50 }, (_, at) => example.gradeQuestion(grader, [], `question ${at}`, '')),
    );
    expect(most).toBe(16);
    expect(
      grades.map((grade) =>
        grade.status === 'fulfilled' ? grade.value.content : Number((grade.reason as Error).message),
      ),
    ).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });
});
