/** Ways of running other than as training rolls out. */
import { expect, it } from 'vitest';
import { runCli, runJson } from './harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow } from './harness/project.ts';

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
