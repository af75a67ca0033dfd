import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import * as vscode from 'vscode';
import { debugpyPortField } from '../../src/debugging/node/childSession.ts';
import { breakAt, Conversation, fileUri, lineOf, workspaceFolder } from '../e2e/suite/debugging.ts';
import { alternate } from './measure.mjs';

const runs = 9;
const python = process.env['AGENTJET_E2E_PYTHON'] ?? '';

interface Sample {
  /** From the request to the stop. */
  readonly milliseconds: number;
  /** The most memory that the process which stopped has had. */
  readonly megabytes: number;
}

/** The session is ended before it returns. */
async function stopIn(file: string, text: string, configuration: vscode.DebugConfiguration): Promise<Sample> {
  const debug = new Conversation();
  try {
    const line = await lineOf(file, text);
    breakAt(file, line);
    const stopped = new Promise<number>((resolve) => {
      debug.onEvent((event) => {
        if (event === 'stopped') resolve(performance.now());
      });
    });
    const start = performance.now();
    assert.ok(await vscode.debug.startDebugging(workspaceFolder(), configuration));
    const milliseconds = (await stopped) - start;
    const frame = await debug.stopped();
    assert.equal(frame.line, line + 1);
    const most = await debug.evaluate(frame, '__import__("resource").getrusage(0).ru_maxrss');
    return { milliseconds, megabytes: Number(most) / 1024 };
  } finally {
    await debug.dispose();
  }
}

/** A port where every session finds an adapter of its own, started for it, as the Python Debugger extension does. */
async function debugpyAdapters(): Promise<Server> {
  const server = createServer((socket) => {
    const adapter = spawn(python, ['-m', 'debugpy.adapter'], { stdio: ['pipe', 'pipe', 'inherit'] });
    socket.on('error', () => adapter.kill());
    adapter.stdin.on('error', () => socket.destroy());
    socket.pipe(adapter.stdin);
    adapter.stdout.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('F5', () => {
  it('is measured', async function () {
    this.timeout(600_000);
    const adapters = await debugpyAdapters();
    const ours = (): Promise<Sample> =>
      stopIn('agent.py', 'query = workflow_task', {
        type: 'agentjet',
        request: 'launch',
        name: 'ours',
        config: fileUri('f5.yaml').fsPath,
        python,
      });
    const alone = (): Promise<Sample> =>
      stopIn('alone.py', 'query =', {
        type: 'agentjet-python',
        request: 'launch',
        name: 'peer',
        [debugpyPortField]: (adapters.address() as AddressInfo).port,
        program: fileUri('alone.py').fsPath,
        cwd: workspaceFolder().uri.fsPath,
        console: 'internalConsole',
        python: [python],
        pythonArgs: ['-X', 'frozen_modules=off'],
      });
    // The first of each pays for what an editor loads once.
    await ours();
    await alone();
    const samples = await alternate(runs, ours, alone);
    adapters.close();
    const file = process.env['AGENTJET_BENCH_SAMPLES'];
    assert.ok(file !== undefined, 'the bench names its file');
    writeFileSync(file, JSON.stringify({ ours: samples.ours, alone: samples.baseline }));
  });
});
