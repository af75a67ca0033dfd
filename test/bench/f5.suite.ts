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

interface VscodeMarks {
  readonly MonacoPerformanceMarks: {
    getMarks(): readonly { readonly name: string; readonly startTime: number }[];
  };
}

/** Milliseconds that this editor took to load the extension's code, and to run its `activate`. */
function activation(): { readonly load: number; readonly activate: number } {
  const marks = (globalThis as unknown as VscodeMarks).MonacoPerformanceMarks.getMarks();
  const at = (mark: string): number => {
    const found = marks.find(({ name }) => name === `code/extHost/${mark}/agentjet.agentjet`);
    assert.ok(found, `VS Code sets the mark ${mark}`);
    return found.startTime;
  };
  return {
    load: at('didLoadExtensionCode') - at('willLoadExtensionCode'),
    activate: at('didActivateExtension') - at('willActivateExtension'),
  };
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
    writeFileSync(
      file,
      JSON.stringify({ inExecute: samples.ours, alone: samples.baseline, activation: activation() }),
    );
  });
});
