/** Ways of running other than as training rolls out, or as the examples do. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { normalised, runCli, runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow } from '../harness/project.ts';

const args = (...more: string[]): string[] => ['--conf', 'small.yaml', ...more];

it('tries an episode again that fails, and keeps its calls out of the timelines', async () => {
  const workflow = smallWorkflow(`const client = tuner.asOpenAIClient();
    const messages = [{ role: 'system' as const, content: 's' }, { role: 'user' as const, content: 'q' }];
    await client.chat.completions.create({ model: 'any', messages });
    const seen = globalThis as unknown as { uuids?: Set<string> };
    seen.uuids = (seen.uuids ?? new Set()).add(workflowTask.episodeUuid);
    if (seen.uuids.size < 2) throw new Error('not yet');
    return { reward: 1, isSuccess: true };`);
  const project = await smallProject({ 'workflow.ts': workflow });
  const { code, episodes } = await runJson(project, args('--task-id', 't1', '--attempts', '3'));
  expect(code).toBe(0);
  expect(episodes).toMatchObject([{ reward: 1, llmCalls: 1, timelines: 1, attempts: 2, error: null }]);
});

it('validates as training does', async () => {
  const config = smallConfig
    .replace('      training:', '      validation:')
    .replace('hydra:', '  trainer_common: { val_pass_n: 2 }\nhydra:');
  const workflow = smallWorkflow(`const { taskId, taskTag, taskBatchIndex } = workflowTask;
    if (taskTag !== \`T\${taskId}#R0\`) throw new Error(taskTag);
    return { reward: taskId === 't1' || taskBatchIndex > 1 ? 1 : 0 };`);
  const project = await smallProject({ 'small.yaml': config, 'workflow.ts': workflow });
  const { code, stdout } = await runCli(project, args('--mode', 'validate'));
  expect(code).toBe(0);
  const told = 'validation (2 passes of 2 tasks): TGC@1 0.75, TGC@2 1, TGC@2-all-pass 0.5, mean reward 0.75';
  expect(stdout).toContain(told);
  const json = await runCli(project, args('--mode', 'validate', '--json'));
  expect(JSON.parse(json.stdout)).toMatchObject({
    validation: { pass_n: 2, 'TGC@1': 0.75, num_pass_n_tasks: 2 },
  });
});

it('says that a workflow changes its task', async () => {
  const workflow = smallWorkflow(`(workflowTask.task as { main_query: string }).main_query = 'other';
    return { reward: 1 };`);
  const project = await smallProject({ 'workflow.ts': workflow });
  const { stdout } = await runCli(project, args());
  expect(stdout).toContain('The workflow changes `main_query` of its task.');
});

it('starts more episodes than train, stops those that are not needed, and says which train', async () => {
  const config = smallConfig.replace(
    'num_repeat: 1',
    'num_repeat: 2\n    enable_oversample: true\n    submit_oversample_multiplier: 2',
  );
  // Of four episodes of a task the last waits to be stopped: t1 has two rewards soon, t2 the same one all the time.
  const workflow = smallWorkflow(`const { taskThreadIndex: own, observationWindow } = workflowTask;
    if (own % 4 === 3) {
      while (observationWindow.stop[own] !== true) await new Promise((resolve) => setTimeout(resolve, 1));
      await tuner.asOpenAIClient().chat.completions.create({
        model: 'any',
        messages: [{ role: 'system', content: 'Too late.' }],
      });
    }
    return { reward: own < 4 ? own : 1, isSuccess: own >= 4 };`);
  const project = await smallProject({ 'small.yaml': config, 'workflow.ts': workflow });
  const { code, stdout } = await runCli(project, args('--parallel', '8', '--json'));
  expect(code).toBe(0);
  const { episodes } = JSON.parse(stdout) as { episodes: OversampledEpisode[] };
  expect(episodes).toHaveLength(8);
  const [last, other] = [episodes[3], episodes[7]];
  expect([last?.stopped, other?.stopped]).toEqual([true, true]);
  for (const one of [last, other]) {
    expect(one?.findings.map(({ code }) => code)).toContain('externally-interrupted');
  }
  const trained = episodes.filter(({ selected }) => selected !== 0);
  expect(trained.reduce((sum, { selected = 1 }) => sum + selected, 0)).toBe(4);
  for (const { findings } of episodes.filter(({ selected }) => selected === 0)) {
    expect(findings.map(({ code }) => code)).toContain('not-selected');
  }
});

interface OversampledEpisode {
  readonly stopped?: boolean;
  readonly selected?: number;
  readonly findings: readonly { readonly code: string }[];
}

it('names the line of LLM calls that bypass the tuner, however they are made', async () => {
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const workflow = `import { request } from 'node:http';
import { Workflow } from 'agentjet';
export class Small extends Workflow {
  async execute(workflowTask, tuner) {
    await tuner.asOpenAIClient().chat.completions.create({
      model: 'any',
      messages: [{ role: 'system', content: 's' }],
    });
    await fetch('${url}/chat/completions', { method: 'POST', body: '{}' });
    if (workflowTask.taskId === 't2') {
      await new Promise((resolve) => {
        request('${url}/messages', { method: 'POST' }, (response) => response.resume().on('end', resolve)).end('{}');
      });
    }
    await fetch('${url}/models');
    return { reward: 1, isSuccess: true };
  }
}
`;
  const config = smallConfig.replace('workflow.ts', 'workflow.mjs');
  const project = await smallProject({ 'small.yaml': config, 'workflow.mjs': workflow });
  const { code, episodes } = await runJson(project, args());
  expect(code).toBe(0);
  const told = episodes.map(({ findings }) =>
    findings
      .filter(({ code }) => code === 'bypassed-tuner')
      .map(({ message }) => normalised(message, project)),
  );
  const at = (line: number): unknown =>
    expect.stringMatching(
      `^1 LLM call went to .* not through the tuner, from <folder>/workflow.mjs:${line},`,
    );
  expect(told).toEqual([[at(9)], [at(9), at(12)]]);
});

it('sends no tools to the model where they are disabled', async () => {
  const config = smallConfig.replace('num_repeat: 1', 'num_repeat: 1\n    force_disable_toolcalls: true');
  const project = await smallProject({
    'small.yaml': config,
    'echo.ts': 'export default (request: { tools?: unknown[] }) => String(request.tools?.length ?? 0);\n',
    'workflow.ts': smallWorkflow(`const { choices } = await tuner.asOpenAIClient().chat.completions.create({
      model: 'any',
      messages: [{ role: 'system', content: 's' }],
      tools: [{ type: 'function', function: { name: 'add', parameters: {} } }],
    });
    return { reward: Number(choices[0]?.message.content) };`),
  });
  const { stderr } = await runCli(project, args('--model', 'script', '--script', 'echo.ts'));
  expect(stderr).toMatch(/t1, repeat 0: reward 0,/);
  expect(stderr).toContain('Agent "default_agent_name" offers tools, which are removed');
});
