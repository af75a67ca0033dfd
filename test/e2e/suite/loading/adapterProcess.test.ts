/** The adapter as a process of its own, which `debugServer` in a launch configuration leads to. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { backboneProcesses, breakAt, Conversation, fileUri } from '../debugging.ts';
import { lineWith, mark, query, writeConfig } from '../runs.ts';

describe('the adapter in its own process', () => {
  const file = 'module/plain.ts';
  const accessToken = 'token-of-this-test';
  let debug: Conversation;
  let adapter: ChildProcessByStdio<null, Readable, null>;
  let debugServer: number;

  before(async () => {
    const folder = process.env['AGENTJET_E2E_EXTENSION'];
    assert.ok(folder !== undefined, 'the harness names the extension');
    const script = path.join(folder, 'dist/debugAdapter.js');
    const env = { ...process.env, AGENTJET_ADAPTER_TOKEN: accessToken };
    adapter = spawn('node', [script, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'], env });
    const [text] = (await once(adapter.stdout, 'data')) as [Buffer];
    debugServer = Number(/127\.0\.0\.1:(\d+)/.exec(text.toString())?.[1]);
  });

  after(async () => {
    const ended = once(adapter, 'exit');
    adapter.kill();
    await ended;
  });

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  it('stops in the workflow and runs on to the reward', async () => {
    const line = await lineWith(file, mark);
    breakAt(file, line);
    await debug.launch({ config: await writeConfig(file), debugServer, accessToken });
    const frame = await debug.stopped();
    assert.deepEqual([frame.file, frame.line], [fileUri(file).fsPath, line + 1]);
    assert.equal(await debug.evaluate(frame, 'workflowTask.task.main_query'), `'${query}'`);
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.match(debug.output(), /reward 12/);
  });

  it('runs without debugging', async () => {
    await debug.launch({ config: await writeConfig(file), debugServer, accessToken }, true);
    await debug.ended();
    assert.match(debug.output(), /reward 12/);
  });

  it('ends the run when it is stopped at a breakpoint', async () => {
    breakAt(file, await lineWith(file, mark));
    await debug.launch({ config: await writeConfig(file), debugServer, accessToken });
    await debug.stopped();
  });
});
