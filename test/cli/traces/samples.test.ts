/** What training would get of a run: printed from its trace, for people and for programs. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import { aCall, aMessage, anEpisode, aResult, aRun, tokensOf } from '../../unit/traces/samples.ts';
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

it('shows the numbers of the trainer for a trained sample', async () => {
  const project = await smallProject();
  const writer = openTraceWriter(project.path('step.ajtrace'), aRun({ repeat: 1, tasks: 1, episodes: 1 }));
  writer.episodeStarted(anEpisode(0));
  const logprobs = Float32Array.of(-1, -2, NaN);
  const reply = aMessage('abc', { author: 'llm', lossMask: Uint8Array.of(1, 1, 0), logprobs });
  const messages = [aMessage('Hi'), reply].map((message, position) => ({ position, message }));
  writer.callEnded(aCall(0, 0), messages, tokensOf('Hiabc'));
  const timeline = { calls: [0], messages: [0, 1], tokens: 5, trainableTokens: 2 };
  writer.episodeEnded({ result: aResult(0, { reward: 1 }), timelines: [timeline] }, []);
  const ofSample = { advantage: -0.5, clip: { low: 0.75, high: 1.25 }, baseLogprobs: null };
  writer.trained([{ episode: 0, timeline: 0, ...ofSample, logprobs: Float32Array.of(NaN, NaN, -1, -1) }]);
  writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  const { stdout } = await runCli(project, ['samples', 'step.ajtrace']);
  expect(stdout).toContain(
    'trained: advantage -0.500, ratios 1.000–2.718, 1 outside of the clip range 0.75–1.25',
  );
  const { stdout: json } = await runCli(project, ['samples', 'step.ajtrace', '--json']);
  expect((JSON.parse(json) as { agentjet: object }).agentjet).toMatchObject({
    training: {
      ...{ advantage: -0.5, clip_range: [0.75, 1.25] },
      trainer_logprobs: [null, null, -1, -1, null],
      kl: [null, null, null, null, null],
    },
  });
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
