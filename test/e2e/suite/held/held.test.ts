import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { breakAt, Conversation, lineOf } from '../debugging.ts';

describe('a run that a debugger holds', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(() => debug.dispose());

  it('times nothing out for a minute', async function () {
    this.timeout(150_000);
    breakAt('tools.ts', await lineOf('tools.ts', 'const parsed: unknown = JSON.parse(argumentsJson)'));
    await debug.launch({ tasks: 1, repeat: 1, episodeTimeout: 20 });
    const frame = await debug.stopped();
    const held = Date.now();
    await debug.until('a minute has passed', () => Date.now() - held > 60_000, 70_000);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await debug.request(frame, 'continue');
    await debug.ended();
    assert.match(debug.output(), /task train-001, repeat 0: reward [01]/);
  });
});
