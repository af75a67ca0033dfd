/** An episode of training, run again here from the rollouts that training wrote. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { expect, inject, it } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { runTraceJob } from '../../../src/traces/node/client/traceJob.ts';
import { failure, runJson } from '../harness/cli.ts';
import { smallProject, type Project } from '../harness/project.ts';
import { openTrace } from '../harness/trace.ts';

const fixtures = path.join(import.meta.dirname, '../../fixtures/imports');

const workflow = `import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';
export class Small extends Workflow {
  async execute({ task }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const client = tuner.asOpenAIClient({ agentName: 'counter' });
    const messages: any[] = [{ role: 'user', content: 'Now: ' + task.main_query }];
    const said: unknown[] = [];
    for (;;) {
      const reply = (await client.chat.completions.create({ model: 'm', messages })).choices[0]?.message;
      messages.push(reply);
      said.push(reply?.content, ...(reply?.tool_calls ?? []).map((call: any) => call.function.name));
      if (!reply?.tool_calls?.length) break;
      messages.push({ role: 'tool', tool_call_id: reply.tool_calls[0].id, content: '0' });
    }
    return { reward: Number(task.metadata['reward'] ?? 1), metadata: { said, query: task.main_query } };
  }
}
`;

const queries = ['How many', 'How many are 1 apples? ünïcode ✓', 'How many are 0 apples? ünïcode ✓'];

async function project(more: readonly string[] = queries): Promise<Project> {
  const tasks = more.map((main_query, index) => JSON.stringify({ task_id: `row ${index}`, main_query }));
  return smallProject({ 'workflow.ts': workflow, 'tasks.jsonl': tasks.join('\n') });
}

async function imported(of: Project, file: string): Promise<string> {
  const job = { kind: 'import', file: path.join(fixtures, file), cacheFolder: of.path('imports') } as const;
  const control = { cancellation: neverCancelled, onProgress: () => undefined };
  const start = (given: readonly string[]) => {
    const child = spawn(process.execPath, [path.join(inject('dist'), 'traceServer.mjs'), ...given]);
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
    return Promise.resolve(child);
  };
  return (await runTraceJob(start, job, control)).file;
}

it('has the task that it was asked, and what the model said in training', async () => {
  const own = await project();
  const rollouts = await imported(own, 'explorer_output.jsonl');
  const { episodes, trace } = await runJson(own, [
    ...['--conf', 'small.yaml', '--replay', rollouts, '--episode', '3'],
  ]);
  expect(episodes).toMatchObject([{ taskId: 'row 1', reward: 1, error: null }]);
  const [returned] = openTrace(trace ?? '').read((views) => views.recorded()).episodes;
  expect(JSON.parse(returned?.returned?.output ?? '')).toMatchObject({
    metadata: { said: ['I look.', 'count', 'There are 1.'], query: queries[1] },
  });
});

type Row = readonly [task_id: string, main_query: string | undefined, metadata?: object];

/** With a trace of what AgentJet has logged, and what is to be named for an episode of it. */
async function logged(...rows: readonly Row[]) {
  const lines = rows.map(([task_id, main_query, metadata = {}]) =>
    JSON.stringify({ task_id, main_query, metadata }),
  );
  const own = await smallProject({ 'workflow.ts': workflow, 'tasks.jsonl': lines.join('\n') });
  const rollouts = await imported(own, 'rollout.json.log');
  const replay = (episode: number): string[] => [
    ...['--conf', 'small.yaml', '--replay', rollouts, '--episode', String(episode)],
  ];
  return { own, replay };
}

/** The task that an episode had here, and what the model said. */
async function again({ own, replay }: Awaited<ReturnType<typeof logged>>, episode: number): Promise<unknown> {
  const { episodes, trace } = await runJson(own, replay(episode));
  const [returned] = openTrace(trace ?? '').read((views) => views.recorded()).episodes;
  const output = returned?.returned?.output;
  const { metadata } = JSON.parse(output ?? '{}') as { readonly metadata?: object };
  return { taskId: episodes[0]?.taskId, error: episodes[0]?.error, ...metadata };
}

it('has the task that AgentJet has logged, and calls the tools that the model wrote', async () => {
  const given = await logged(
    ['row 0', 'Now'],
    ['task.7', '9 and 14?'],
    // Generated tasks have one id, if any.
    ['task.8', 'Another?'],
    ['task.8', 'What?'],
  );
  expect(await again(given, 2)).toEqual({
    ...{ taskId: 'task.7', error: null },
    ...{ said: ['Let me', 'add', 'It is\ufffd\ufffd'], query: '9 and 14?' },
  });
  // Of the other template, whose messages nothing but the loss tells apart.
  expect(await again(given, 4)).toEqual({
    ...{ taskId: 'task.8', error: null },
    ...{ said: ['No idea'], query: 'What?' },
  });
});

it('has the task of another id that it was asked, where its own asks something else', async () => {
  const given = await logged(['task.7', '9 and 14?'], ['row 1', 'How many'], ['row 2', 'What?']);
  // In validation, other tasks have the ids of training.
  expect(await again(given, 6)).toMatchObject({ taskId: 'row 1', query: 'How many', said: ['Two'] });
  expect(await again(given, 0)).toMatchObject({ taskId: 'row 2' });
});

it.each([undefined, 'Empty'])('has the task of its id that asks %j', async (query) => {
  const given = await logged(['task.7', query], ['task.9', 'Sure?']);
  expect(await again(given, 6)).toMatchObject({ taskId: 'task.7', error: null });
});

it('has no task of its id that asks something else', async () => {
  const { own, replay } = await logged(['task.7', '9 and 14?'], ['task.9', 'Empty']);
  expect(await failure(own, replay(6))).toMatch(/None of the \d tasks.*\[replay\/no-task\]/s);
});

it('says nothing where the model has said nothing', async () => {
  const given = await logged(['task.9', 'Silence?']);
  expect(await again(given, 8)).toMatchObject({ taskId: 'task.9', error: null });
});

it.each([
  [1 / 3, 'ended as recorded, with reward 0.3333333333333333'],
  [0.334, 'ended with reward 0.334, but was recorded with reward 0.333'],
])('compares the reward %d with the rounded one that is logged', async (reward, told) => {
  // Of its tokens, two are parts of a character.
  const { own, replay } = await logged(['task.7', 'How many ⌊?', { reward }]);
  expect((await runJson(own, [...replay(6), '--verbose'])).stderr).toContain(told);
});

it('tells what keeps it from being run', async () => {
  const own = await project(['Another question?']);
  const rollouts = await imported(own, 'explorer_output.jsonl');
  const replay = ['--conf', 'small.yaml', '--replay', rollouts];
  expect(await failure(own, [...replay, '--episode', '1'])).toMatch(
    /None of the \d tasks.*\[replay\/no-task\]/s,
  );
  expect(await failure(own, replay)).toContain('[replay/which-episode]');
  expect(await failure(own, [...replay, '--episode', '99'])).toContain('[trace/no-such-episode]');
  const others = await imported(own, 'requests.jsonl');
  expect(await failure(own, ['--conf', 'small.yaml', '--replay', others, '--episode', '1'])).toContain(
    '[trace/imported]',
  );
});
