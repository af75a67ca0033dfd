/** Ending a run before its time: what is reported, and that nothing of it stays. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startCli } from '../harness/cli.ts';
import { descendants, living } from '../harness/processes.ts';
import { smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const small = ['--conf', 'small.yaml', '--parallel', '1'];

/** The first episode ends; the second starts a child, says so and goes on for ever. */
function endlessRun(lastLine: string): Promise<Project> {
  const body = `if (workflowTask.taskId === 't1') return { reward: 1 };
    const { spawn } = await import('node:child_process');
    spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
    console.log('under way');
    ${lastLine}
    return {};`;
  return smallProject({ 'workflow.ts': smallWorkflow(body) });
}

const waiting = 'await new Promise(() => setInterval(() => {}, 1000));';
const blocking = 'for (;;);';

it('Ctrl-C ends the episodes and reports what there is', async () => {
  const project = await endlessRun(waiting);
  const run = startCli(project, small);
  await run.wrote(/under way/);
  const started = descendants(run.pid);
  expect(started.length).toBeGreaterThanOrEqual(2);
  run.child.kill('SIGINT');
  const { code, stdout, stderr } = await run.exited;
  expect(code).toBe(130);
  expect(stdout).toMatch(/^t1 .* 1 /m);
  expect(stdout).toMatch(/^t2 .*error/m);
  expect(stderr).toContain('[episode/cancelled]');
  expect(stderr).not.toContain('run/process-died');
  await nothingStays(started);
});

it('a second Ctrl-C kills a run that does not listen', async () => {
  const project = await endlessRun(blocking);
  const run = startCli(project, small);
  await run.wrote(/under way/);
  const started = descendants(run.pid);
  run.child.kill('SIGINT');
  await run.wrote(/Press Ctrl-C again to kill/);
  run.child.kill('SIGINT');
  const { code, stdout, stderr } = await run.exited;
  expect(code).toBe(130);
  expect(stdout).toMatch(/^t1 .* 1 /m);
  expect(stdout).toMatch(/^t2 .*error/m);
  expect(stderr).toContain('[episode/killed]');
  await nothingStays(started);
});

it('SIGTERM is a Ctrl-C from a program', async () => {
  const project = await endlessRun(waiting);
  const run = startCli(project, [...small, '--json']);
  await run.wrote(/under way/);
  run.child.kill('SIGTERM');
  const { code, stdout } = await run.exited;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({
    episodes: [{ reward: 1 }, { error: { code: 'episode/cancelled' } }],
  });
});

it('nothing of a run outlives a command that was killed', async () => {
  const project = await endlessRun(waiting);
  const run = startCli(project, small);
  await run.wrote(/under way/);
  const started = descendants(run.pid);
  run.child.kill('SIGKILL');
  expect(await run.exited).toMatchObject({ signal: 'SIGKILL' });
  await nothingStays(started);
});

it('a reader that has read enough ends neither in a crash nor in a wait', async () => {
  const body =
    "for (let i = 0; i < 2000; i++) console.log('line', i, '.'.repeat(200));\n    return { reward: 1 };";
  const project = await smallProject({ 'workflow.ts': smallWorkflow(body) });
  const run = startCli(project, small);
  await once(run.child.stdout, 'data');
  run.child.stdout.destroy();
  const { code, stderr } = await run.exited;
  expect(stderr).not.toMatch(/EPIPE|dist\/.*\.mjs/);
  expect(code).toBe(0);
});

/** What was killed takes its time to end. */
async function nothingStays(pids: readonly number[]): Promise<void> {
  await expect.poll(() => living(pids)).toEqual([]);
}
