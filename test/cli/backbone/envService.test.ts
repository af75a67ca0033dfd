/** Runs whose tasks, queries and rewards come from an environment service. */
import { expect, it, onTestFinished } from 'vitest';
import { startService } from '../../unit/backbone/env-service/service.ts';
import { runCli, runJson, startCli } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const guesses = smallWorkflow(`const { gymEnv, task } = workflowTask;
    if (!task.main_query.startsWith('Which is it?') || task.init_messages.length !== 2) throw new Error('no query');
    for (let guess = 1; guess < 6; guess++) {
      const { terminate } = await gymEnv.step({ role: 'assistant', content: String(guess) });
      if (terminate) break;
    }
    const reward = await gymEnv.evaluate({ sparse: false });
    return { reward, isSuccess: reward >= 1 };`);

async function startProject(workflow: string) {
  const service = await startService();
  onTestFinished(() => service.stop());
  const reader = `type: env_service
    env_service: { env_url: '${service.url}', env_type: guess, training_split: train }`;
  const config = smallConfig.replace(/type: jsonl[^]*tasks\.jsonl/, reader);
  return { service, project: await smallProject({ 'small.yaml': config, 'workflow.ts': workflow }) };
}

const args = (...more: string[]): string[] => ['--conf', 'small.yaml', ...more];

it('acts in the service and is told its rewards', async () => {
  const { service, project } = await startProject(guesses);
  const { code, episodes } = await runJson(project, args('--repeat', '2'));
  expect(code).toBe(0);
  expect(episodes.map(({ taskId, repeat, reward }) => [taskId, repeat, reward])).toEqual([
    ['3', 0, 1],
    ['3', 1, 1],
    ['7', 0, 0],
    ['7', 1, 0],
  ]);
  const ids = service.asked.flatMap(({ endpoint, body }) =>
    endpoint === 'create' ? [body['instance_id']] : [],
  );
  expect(new Set(ids).size).toBe(4);
  expect(service.instances.size).toBe(0);
});

it('releases what episodes leave behind that throw or run out of time', async () => {
  const { service, project } = await startProject(
    smallWorkflow(`if (workflowTask.taskId === '3') throw new Error('no idea');
    return new Promise(() => undefined);`),
  );
  const { code, episodes } = await runJson(project, args('--episode-timeout', '1'));
  expect(code).toBe(1);
  expect(episodes.map(({ error }) => error?.code)).toEqual(['episode/workflow-threw', 'episode/timed-out']);
  expect(service.endpoints().filter((endpoint) => endpoint === 'release')).toHaveLength(2);
  expect(service.instances.size).toBe(0);
});

it('releases what an interrupted run leaves behind', async () => {
  const { service, project } = await startProject(
    smallWorkflow(`console.log('waiting');
    return new Promise(() => undefined);`),
  );
  const running = startCli(project, args('--task-id', '3'));
  await running.wrote(/waiting/);
  running.child.kill('SIGINT');
  expect((await running.exited).code).toBe(130);
  expect(service.endpoints().at(-1)).toBe('release');
  expect(service.instances.size).toBe(0);
});

it('says what to do where nobody listens', async () => {
  const { service, project } = await startProject(guesses);
  await service.stop();
  const { code, stderr } = await runCli(project, args());
  expect(code).toBe(2);
  expect(at(project, stderr)).toContain(
    'PROJECT/small.yaml:5:29: The environment service at URL did not respond to get_env_profile: ',
  );
  expect(stderr).toContain('Start the service, or correct `ajet.task_reader.env_service.env_url`.');
});

function at(project: Project, text: string): string {
  return text.replaceAll(project.folder, 'PROJECT').replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL');
}
