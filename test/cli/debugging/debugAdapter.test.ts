/** The debug adapter with a client that is no VS Code, over standard input and output, and real runs behind it. */
import { expect, it } from 'vitest';
import { RunningAdapter } from '../harness/adapter.ts';
import { attachAndContinue } from '../harness/inspector.ts';
import { living } from '../harness/processes.ts';
import { exampleProject, smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const startsChildren = { supportsStartDebuggingRequest: true };

function small(project: Project): object {
  return { config: project.path('small.yaml'), cwd: project.folder, tasks: 1 };
}

/** A run whose only episode has a child and never ends. */
function endlessRun(lastLine: string): Promise<Project> {
  const body = `const { spawn } = await import('node:child_process');
    spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
    console.log('under way');
    ${lastLine}
    return {};`;
  return smallProject({ 'workflow.ts': smallWorkflow(body) });
}

const waiting = 'await new Promise(() => setInterval(() => {}, 1000));';
const blocking = 'for (;;);';

/** What was killed takes its time to end. */
async function nothingStays(pids: readonly number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  await expect.poll(() => living(pids)).toEqual([]);
}

async function endsWithItsClient(adapter: RunningAdapter): Promise<void> {
  adapter.client.toAdapter.end();
  expect(await adapter.exited).toEqual([0, null]);
}

it('a run without debugging is told from its start to its rewards', async () => {
  const project = await exampleProject();
  const adapter = new RunningAdapter();
  const { client } = adapter;
  const config = project.path('math_agent.yaml');
  const launched = await adapter.launch({ config, cwd: project.folder, noDebug: true, tasks: 2, repeat: 2 });
  expect(launched).toMatchObject({ success: true });
  await client.event('terminated');
  const told = adapter.output('stdout');
  for (const task of ['train-001', 'train-002']) {
    for (const repeat of [0, 1])
      expect(told).toMatch(new RegExp(`task ${task}, repeat ${repeat}: reward [01]`));
  }
  expect(told).toMatch(/mean reward/);
  expect(client.messages.find(({ event }) => event === 'exited')?.body).toEqual({ exitCode: 0 });
  expect(client.messages.filter(({ event }) => event === 'terminated')).toHaveLength(1);
  expect(client.messages.filter(({ type }) => type === 'request')).toEqual([]);
  expect(await client.request('disconnect')).toMatchObject({ success: true });
  await endsWithItsClient(adapter);
});

it('a client that cannot start the JavaScript debugger gets to know why nothing runs', async () => {
  const adapter = new RunningAdapter();
  const { client } = adapter;
  const launched = adapter.launch(small(await smallProject()), startsChildren);
  const request = await client.until(
    ({ command, type }) => command === 'startDebugging' && type === 'request',
  );
  const started = adapter.processes();
  client.answer(request, false, 'no debugger of type pwa-node');
  const answer = await launched;
  expect(answer.success).toBe(false);
  expect(answer.message).toContain('could not be started: no debugger of type pwa-node.');
  expect(answer.message).toContain('or run without debugging. [debug/child-not-started]');
  await client.event('terminated');
  expect(client.messages.find(({ event }) => event === 'exited')?.body).toEqual({ exitCode: 2 });
  await nothingStays(started);
  await endsWithItsClient(adapter);
});

it.each(['disconnect', 'terminate'])(
  'a client that starts a debugger which never attaches can %s',
  async (command) => {
    const adapter = new RunningAdapter();
    const { client } = adapter;
    const launched = adapter.launch(small(await smallProject()), startsChildren);
    client.answer(await client.until(({ type }) => type === 'request'), true);
    expect(await launched).toMatchObject({ success: true });
    const started = adapter.processes();
    expect(await client.request(command)).toMatchObject({ success: true });
    if (command === 'terminate') await client.event('terminated');
    await nothingStays(started);
    await endsWithItsClient(adapter);
  },
);

it('a client that never answers can disconnect all the same', async () => {
  const adapter = new RunningAdapter();
  const { client } = adapter;
  const launched = adapter.launch(small(await smallProject()), startsChildren);
  await client.until(({ type }) => type === 'request');
  const started = adapter.processes();
  expect(await client.request('disconnect')).toMatchObject({ success: true });
  expect(await launched).toMatchObject({ success: false });
  await nothingStays(started);
  await endsWithItsClient(adapter);
});

it('a client that knows of no child sessions is told where to attach, and the run goes on from there', async () => {
  const adapter = new RunningAdapter();
  expect(await adapter.launch(small(await smallProject()))).toMatchObject({ success: true });
  const [, address = ''] = await adapter.printed(/attach it to (ws:\S+)\./);
  await attachAndContinue(address);
  await adapter.printed(/task t1, repeat 0: reward 1/);
  await adapter.client.event('terminated');
  await endsWithItsClient(adapter);
});

it.each([
  ['waits', waiting],
  ['blocks', blocking],
])('a disconnect in the middle of a run that %s leaves no process', async (_, lastLine) => {
  const adapter = new RunningAdapter();
  const project = await endlessRun(lastLine);
  await adapter.launch({ ...small(project), noDebug: true });
  await adapter.printed(/under way/);
  const started = adapter.processes();
  expect(await adapter.client.request('disconnect')).toMatchObject({ success: true });
  await nothingStays(started);
  await endsWithItsClient(adapter);
});

it('a client that goes away in the middle of a run ends it', async () => {
  const adapter = new RunningAdapter();
  await adapter.launch({ ...small(await endlessRun(waiting)), noDebug: true });
  await adapter.printed(/under way/);
  const started = adapter.processes();
  await endsWithItsClient(adapter);
  await nothingStays(started);
});

it('nothing of a run outlives an adapter that was killed', async () => {
  const adapter = new RunningAdapter();
  await adapter.launch({ ...small(await endlessRun(waiting)), noDebug: true });
  await adapter.printed(/under way/);
  const started = adapter.processes();
  adapter.child.kill('SIGKILL');
  await adapter.exited;
  await nothingStays(started);
});
