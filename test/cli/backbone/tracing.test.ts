/** Whole runs whose tasks are traced replies, out of a real database. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { failure, runCli, runJson } from '../harness/cli.ts';
import { smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const config = (filters: string): string => `ajet:
  experiment_name: small
  task_reader:
    type: tracing
    feedback_tracing:
      base_url: studio.db
      train_output_path: gathered/tasks.jsonl
      filters: ${filters}
  rollout:
    user_workflow: workflow.ts->Small
    num_repeat: 1
hydra:
  searchpath:
    - file://ajet/default_config
defaults:
  - ajet_default
  - _self_
`;

const workflow = smallWorkflow(
  'return { reward: Number(workflowTask.task.metadata.answer), isSuccess: true };',
);

const reviewer = `export default (request) => {
  const pair = request.messages.at(-1).content;
  return JSON.stringify({ reason: 'as told', result: /answer: [24]$/.test(pair) ? 'BAD' : 'GOOD' });
};`;

function message(role: string, content: string): string {
  return `Msg(id='a', name='x', content=[{'type': 'text', 'text': '${content}'}], role='${role}', metadata=None)`;
}

async function project(filters: string, table = 'span_table'): Promise<Project> {
  const made = await smallProject({
    'small.yaml': config(filters),
    'workflow.ts': workflow,
    'reviewer.mjs': reviewer,
  });
  const database = new DatabaseSync(made.path('studio.db'));
  database.exec(`CREATE TABLE ${table} (name TEXT, attributes TEXT)`);
  const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?)`);
  const attributes = (at: number): string =>
    JSON.stringify({
      input: { kwargs: { msg: message('user', 'x').replace(/content=\[.*\]/, `content='What is ${at}?'`) } },
      output: message('assistant', String(at)),
    });
  for (let at = 1; at <= 6; at++) insert.run('ReActAgent.reply', attributes(at));
  insert.run('ToolCall', 'not even JSON');
  database.close();
  return made;
}

describe('tracing', () => {
  it('runs the workflow on traced replies and gathers them as training does', async () => {
    const made = await project('null');
    const { code, episodes } = await runJson(made, ['--conf', 'small.yaml', '--tasks', '9']);
    expect(code).toBe(0);
    expect(episodes.map(({ reward }) => reward)).toHaveLength(4);
    expect((await made.read('gathered/tasks.jsonl')).trim().split('\n')).toHaveLength(6);
  });

  it('has a script review them', async () => {
    const made = await project('[{type: llm_evaluate, params: {max_thread: 2}}]');
    const args = ['--conf', 'small.yaml', '--tasks', '9', '--helper-script', 'reviewer.mjs'];
    const { code, episodes } = await runJson(made, args);
    expect(code).toBe(0);
    for (const { reward } of episodes) expect([1, 3, 5, 6]).toContain(reward);
    expect(episodes).toHaveLength(2);
    const { stderr } = await runCli(made, args);
    expect(stderr).toContain('has no parameter max_thread');
    expect(await made.list('gathered')).toEqual([]);
  });

  it('says what to set where nobody can review them', async () => {
    const made = await project('[{type: llm_evaluate}]');
    const env = { DASHSCOPE_API_KEY: undefined };
    const { code, stderr } = await runCli(made, ['--conf', 'small.yaml'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('[helper-llm/not-configured]');
    expect(stderr).toContain('--helper-base-url');
  });

  it('tells a database without traces from one that is none', async () => {
    const made = await project('null', 'spans');
    expect(await failure(made)).toContain('no such table: span_table. [task-reader/no-spans]');
    await made.write({ 'studio.db': 'This was never a database, however long it is.'.repeat(99) });
    expect(await failure(made)).toContain('[task-reader/unreadable-database]');
  });
});
