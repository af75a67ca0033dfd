/** Sessions and the processes behind them: what ends ends wholly, and what runs at once does not mix. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { backboneProcesses, breakAt, Conversation, fileUri } from './debugging.ts';
import { lineWith, mark, targetSession, writeRun } from './runs.ts';

const forever = 'await new Promise((resolve) => setTimeout(resolve, 1e9));';
const child = "{ argv0: 'agentjet-test-child', stdio: 'ignore'";

/** Workflows that do not end by themselves, by what they do; all of them say so first. */
const endless: Readonly<Record<string, string>> = {
  'in an episode that waits': forever,
  'in a loop that never yields': 'while (workflowTask.taskId !== "") Math.random();',
  'in a workflow that ignores every signal it can': `for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGBREAK'] as const) process.on(name, () => undefined);
    process.on('exit', () => { for (;;); });
    ${forever}`,
  'in a workflow with children': `const { spawn } = await import('node:child_process');
    spawn('sleep', ['1000'], ${child} });
    ${forever}`,
  'in a workflow with a detached child': `const { spawn } = await import('node:child_process');
    spawn('sleep', ['1000'], ${child}, detached: true }).unref();
    ${forever}`,
};

describe('processes', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await nothingLeft();
  });

  const nothingLeft = (): Promise<void> =>
    debug.until('no process of a run is left', () => backboneProcesses().length === 0);

  const parents = (): readonly vscode.DebugSession[] =>
    debug.sessions().filter(({ type }) => type === 'agentjet');

  async function running(body: string): Promise<void> {
    await debug.launch({ config: await writeRun('running.ts', `    console.log('running');\n    ${body}`) });
    await debug.until('the workflow runs', () => debug.output().includes('running\n'));
  }

  for (const [where, body] of Object.entries(endless)) {
    it(`are gone after Stop ${where}`, async () => {
      await running(body);
      if (where.includes('child')) {
        await debug.until('the child runs', () =>
          backboneProcesses().some((name) => name.includes('test-child')),
        );
      }
      await vscode.debug.stopDebugging();
      await nothingLeft();
      await debug.ended();
    });
  }

  it('are gone after Stop without debugging', async () => {
    const config = await writeRun('running.ts', `    console.log('running');\n    ${forever}`);
    await debug.launch({ config }, true);
    await debug.until('the workflow runs', () => debug.output().includes('running\n'));
    await vscode.debug.stopDebugging();
    await nothingLeft();
    await debug.ended();
  });

  it('are gone, and the run with them, when the child session is stopped', async () => {
    await running(forever);
    await vscode.debug.stopDebugging(targetSession(debug));
    await nothingLeft();
    await debug.ended();
  });

  it('are new after Restart from the child', async () => {
    breakAt('held.ts', 5);
    await debug.launch({
      config: await writeRun('held.ts', `    const kept = 1;\n    return { reward: kept };`),
    });
    await debug.stopped();
    const [before] = backboneProcesses();
    await vscode.commands.executeCommand('workbench.action.debug.restart');
    const frame = await debug.stopped(2);
    await debug.until(
      'only a new process is left',
      () => backboneProcesses().length === 1 && backboneProcesses()[0] !== before,
    );
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.equal(debug.output().split(': reward 1').length - 1, 1);
  });

  it('of two sessions of one config do not mix', async () => {
    const config = await writeRun(
      'two.ts',
      `    const own = process.env['WHO'];\n    console.log('I am', own); ${mark}\n    return { reward: Number(own) };`,
    );
    breakAt('two.ts', await lineWith('two.ts', mark));
    for (const who of ['1', '2']) await debug.launch({ config, name: `run ${who}`, env: { WHO: who } });
    const frames = [await debug.stopped(1), await debug.stopped(2)];
    const values = await Promise.all(frames.map((frame) => debug.evaluate(frame, 'own')));
    assert.deepEqual([...values].sort(), ["'1'", "'2'"]);
    const first = frames[values.indexOf("'1'")];
    const second = frames[values.indexOf("'2'")];
    assert.ok(first && second);
    await vscode.debug.stopDebugging(parents().find(({ name }) => name === 'run 1'));
    await debug.until('one process is left', () => backboneProcesses().length === 1);
    await debug.request(second, 'continue');
    await debug.ended();
    assert.match(debug.output(), /reward 2/);
    assert.doesNotMatch(debug.output(), /reward 1|I am 1/);
  });

  it('of a running loop can be paused', async () => {
    await running('let turns = 0;\n    while (turns >= 0) turns++;');
    const target = targetSession(debug);
    const { threads } = (await target.customRequest('threads')) as { threads: { id: number }[] };
    await target.customRequest('pause', { threadId: threads[0]?.id });
    const frame = await debug.stopped();
    assert.equal(frame.file, fileUri('running.ts').fsPath);
    assert.ok(Number(await debug.evaluate(frame, 'turns')) > 0);
  });

  it('of episodes in parallel stop in each of them', async () => {
    const config = await writeRun(
      'many.ts',
      `    await new Promise((resolve) => setTimeout(resolve, 1));\n    const { taskId } = workflowTask;\n    await Promise.resolve(); ${mark}\n    return { reward: taskId.length };`,
      { tasks: 16 },
    );
    breakAt('many.ts', await lineWith('many.ts', mark));
    await debug.launch({ config, parallel: 4 });
    const seen = new Set<string>();
    for (let stop = 1; stop <= 16; stop++) {
      const frame = await debug.stopped(stop);
      seen.add(await debug.evaluate(frame, 'taskId'));
      await debug.request(frame, 'continue');
    }
    await debug.ended();
    assert.equal(seen.size, 16);
    assert.match(debug.output(), /16 episodes: /);
  });
});
