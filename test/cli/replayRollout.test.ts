/** An episode of training, run again here from the rollouts that training wrote. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { expect, inject, it } from 'vitest';
import { neverCancelled } from '../../src/base/cancellation.ts';
import { runTraceJob } from '../../src/node/trace/client/traceJob.ts';
import { failure, runJson } from './harness/cli.ts';
import { smallProject, type Project } from './harness/project.ts';
import { openTrace } from './harness/trace.ts';

const fixtures = path.join(import.meta.dirname, '../fixtures/imports');

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
    return { reward: 1, metadata: { said, query: task.main_query } };
  }
}
`;

const queries = ['How many', 'How many are 1 apples? ünïcode ✓', 'How many are 0 apples? ünïcode ✓'];

async function project(more: readonly string[] = queries): Promise<Project> {
  const tasks = more.map((main_query, index) => JSON.stringify({ task_id: `row ${index}`, main_query }));
  return smallProject({ 'workflow.ts': workflow, 'tasks.jsonl': tasks.join('\n') });
}

async function imported(of: Project, file: string): Promise<string> {
  const args = ['--import', path.join(fixtures, file), '--cache', of.path('imports')];
  const job = { cancellation: neverCancelled, onProgress: () => undefined };
  const start = (given: readonly string[]) => {
    const child = spawn(process.execPath, [path.join(inject('dist'), 'traceServer.mjs'), ...given]);
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
    return Promise.resolve(child);
  };
  return (await runTraceJob(start, { ...job, args })).file;
}

it('has the task that it was asked, and what the model said in training', async () => {
  const own = await project();
  const rollouts = await imported(own, 'explorer_output.jsonl');
  const { episodes, trace } = await runJson(own, [
    ...['--conf', 'small.yaml', '--replay', rollouts, '--episode', '3'],
  ]);
  expect(episodes).toMatchObject([{ taskId: 'row 1', reward: 1, error: null }]);
  const [returned] = openTrace(trace ?? '').recorded().episodes;
  expect(JSON.parse(returned?.returned?.output ?? '')).toMatchObject({
    metadata: { said: ['I look.', 'count', 'There are 1.'], query: queries[1] },
  });
});

it('has the task of the id that AgentJet has logged, and calls the tools that the model wrote', async () => {
  const tasks = [
    ['row 0', 'Now'],
    ['task.7', '9 + 14?'],
    // Generated tasks have one id, if any.
    ['task.8', 'Another?'],
    ['task.8', 'What?'],
  ];
  const lines = tasks.map(([task_id, main_query]) => JSON.stringify({ task_id, main_query }));
  const own = await smallProject({ 'workflow.ts': workflow, 'tasks.jsonl': lines.join('\n') });
  const rollouts = await imported(own, 'rollout.json.log');
  const replay = ['--conf', 'small.yaml', '--replay', rollouts];
  const { episodes, trace } = await runJson(own, [...replay, '--episode', '2']);
  expect(episodes).toMatchObject([{ taskId: 'task.7', reward: 1, error: null }]);
  const [returned] = openTrace(trace ?? '').recorded().episodes;
  expect(JSON.parse(returned?.returned?.output ?? '')).toMatchObject({
    metadata: { said: ['Let me', 'add', 'It is\ufffd\ufffd'], query: '9 + 14?' },
  });
  // Of the other template, whose messages nothing but the loss tells apart.
  const other = await runJson(own, [...replay, '--episode', '4']);
  expect(other.episodes).toMatchObject([{ taskId: 'task.8', error: null }]);
  const [second] = openTrace(other.trace ?? '').recorded().episodes;
  expect(JSON.parse(second?.returned?.output ?? '')).toMatchObject({
    metadata: { said: ['No idea'], query: 'What?' },
  });
});

it('tells what keeps it from being run', async () => {
  const own = await project(['Another question?']);
  const rollouts = await imported(own, 'explorer_output.jsonl');
  const replay = ['--conf', 'small.yaml', '--replay', rollouts];
  expect(await failure(own, [...replay, '--episode', '1'])).toMatch(/of none.*\[replay\/no-task\]/s);
  expect(await failure(own, replay)).toContain('[replay/which-episode]');
  expect(await failure(own, [...replay, '--episode', '99'])).toContain('[trace/no-such-episode]');
  const others = await imported(own, 'requests.jsonl');
  expect(await failure(own, ['--conf', 'small.yaml', '--replay', others, '--episode', '1'])).toContain(
    '[trace/imported]',
  );
});
