import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { breakAt, Conversation, fileUri, lineOf, workspaceFolder } from '../e2e/suite/debugging.ts';
import { alternate } from './measure.mjs';

const runs = 9;
const ownLine = 'const systemPrompt = [';
const lineInExecute = "const client = tuner.asOpenAIClient({ agentName: 'math_agent' });";

/** Milliseconds from the request to the stop; the session is ended before it returns. */
async function timeToStop(text: string, configuration: vscode.DebugConfiguration): Promise<number> {
  const debug = new Conversation();
  try {
    const line = await lineOf('workflow.ts', text);
    breakAt('workflow.ts', line);
    const stopped = new Promise<number>((resolve) => {
      debug.onEvent((event) => {
        if (event === 'stopped') resolve(performance.now());
      });
    });
    const start = performance.now();
    const started = await vscode.debug.startDebugging(workspaceFolder(), configuration);
    assert.ok(started);
    const end = await stopped;
    assert.equal((await debug.stopped()).line, line + 1);
    return end - start;
  } finally {
    await debug.dispose();
  }
}

describe('F5', () => {
  it('is measured', async function () {
    this.timeout(600_000);
    const ours = (): Promise<number> =>
      timeToStop(lineInExecute, {
        type: 'agentjet',
        request: 'launch',
        name: 'ours',
        config: fileUri('math_agent.yaml').fsPath,
      });
    const alone = (): Promise<number> =>
      timeToStop(ownLine, {
        type: 'pwa-node',
        request: 'launch',
        name: 'peer',
        program: fileUri('workflow.ts').fsPath,
        console: 'internalConsole',
      });
    // The first of each pays for what an editor loads once.
    await ours();
    await alone();
    const samples = await alternate(runs, ours, alone);
    const file = process.env['AGENTJET_BENCH_SAMPLES'];
    assert.ok(file !== undefined, 'the bench names its file');
    writeFileSync(file, JSON.stringify({ inExecute: samples.ours, alone: samples.baseline }));
  });
});
