/** What training would get of a run: printed from its trace, for people and for programs. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { failure, runCli } from '../harness/cli.ts';
import { smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const trace = 'saved_experiments/small/small.ajtrace';

/** Two calls that merge, and one of another agent; the second repeat asks once. */
const workflow = smallWorkflow(`const client = tuner.asOpenAIClient();
    const system = { role: 'system' as const, content: 'Be brief.' };
    const user = { role: 'user' as const, content: 'How many?' };
    const ask = async (messages: Parameters<typeof client.chat.completions.create>[0]['messages']) =>
      (await client.chat.completions.create({ model: 'any', messages })) as { choices: { message: { content: string } }[] };
    const content = (await ask([system, user])).choices[0]!.message.content;
    if (workflowTask.taskThreadIndex % 2 === 1) return { reward: 0, isSuccess: false };
    await ask([system, user, { role: 'assistant', content }, { role: 'user', content: 'Sure?' }]);
    await ask([{ role: 'system', content: 'Doubt.' }, user]);
    return { reward: 1, isSuccess: true };`);

async function ran(multiTurn = ''): Promise<Project> {
  const answers = JSON.stringify(['It is 5.', 'Yes.', 'No.']);
  const project = await smallProject({ 'workflow.ts': workflow, 'answers.json': answers });
  await project.edit(
    'small.yaml',
    'num_repeat: 1',
    `num_repeat: 2\n    multi_turn: {${multiTurn || 'max_sample_per_task: 30'}}`,
  );
  const model = ['--model', 'script', '--script', 'answers.json', '--tasks', '1'];
  const { code } = await runCli(project, ['--conf', 'small.yaml', ...model]);
  expect(code).toBe(0);
  return project;
}

async function lines(project: Project, ...args: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await runCli(project, ['samples', trace, '--json', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('prints prompt and response, what counts in the loss, rewards and advantages', async () => {
  const project = await ran();
  const { code, stdout, stderr } = await runCli(project, ['samples', trace]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatchSnapshot();
  const [first, ...others] = await lines(project);
  const fields = Object.entries(first ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  expect(fields.join('\n')).toMatchSnapshot();
  expect(others).toHaveLength(2);
  const one = await lines(project, '--episode', '1', '--task', 't1');
  expect(one).toEqual([others[1]]);
  const { stdout: part } = await runCli(project, ['samples', trace, '--episode', '1']);
  expect(part).toContain('\n1 of 3 samples of 2 episodes\n');
});

it('names what is dropped: of an episode with too many timelines, and of a batch that cannot be shared out', async () => {
  const project = await ran('max_sample_per_task: 1');
  const dropped = async (...args: string[]): Promise<unknown[]> =>
    (await lines(project, ...args)).map(({ agentjet }) => (agentjet as { dropped: unknown }).dropped);
  const byEpisode = await dropped();
  expect(byEpisode.toSorted()).toEqual(['max_sample_per_task', null, null]);
  expect((await dropped('--world-size', '4')).toSorted()).toEqual([
    'max_sample_per_task',
    'world_size',
    'world_size',
  ]);
  const { stdout } = await runCli(project, ['samples', trace]);
  expect(stdout).toContain('dropped: the episode has more timelines than max_sample_per_task');
  expect(stdout).toContain('3 samples of 2 episodes; 1 dropped\n');
});

it('refuses what is no trace, and what the trace has not', async () => {
  const project = await ran();
  expect(await failure(project, ['samples'])).toContain('agentjet samples needs <trace>. [cli/usage]');
  expect(await failure(project, ['samples', 'no.ajtrace'])).toContain('[trace/no-such-file]');
  expect(await failure(project, ['samples', 'small.yaml'])).toContain('[trace/not-a-trace]');
  const other = path.join(import.meta.dirname, '../../fixtures/imports/traces.jsonl');
  const env = { AGENTJET_HOME: project.folder };
  const { stdout } = await runCli(project, ['trace', other, '--summary', '--json'], { env });
  const { trace: imported } = JSON.parse(stdout) as { readonly trace: string };
  expect(await failure(project, ['samples', imported])).toContain('[trace/imported]');
  expect(await failure(project, ['samples', trace, '--episode', '7'])).toContain('--episode 7');
  expect(await failure(project, ['samples', trace, '--task', 'nine'])).toContain('The first tasks: t1.');
  expect(await failure(project, ['samples', trace, 'more'])).toContain('Unexpected argument "more".');
  expect(await failure(project, ['samples', trace, '--world-size', '0'])).toContain(
    '--world-size must be a whole number',
  );
});
