/** The debugger stops where an error is thrown: by itself if the error ends an episode, else with "Caught Exceptions". */
import assert from 'node:assert/strict';
import { backboneProcesses, breakAt, Conversation, fileUri } from '../debugging.ts';
import { lineWith, mark, writeConfig, writeFileOf } from '../runs.ts';

const start = `    workflowTask.task; ${mark}\n`;

function agent(body: string, more = ''): string {
  return `import { Workflow, type WorkflowTask } from 'agentjet';

export class Agent extends Workflow {
  async execute(workflowTask: WorkflowTask): Promise<{ reward: number }> {
${start}${body}
    return { reward: 1 };
  }
}
${more}`;
}

const thrower = `
async function failing(): Promise<void> {
  await Promise.resolve();
  throw new Error('below'); // throws
}
`;

/** By how; each throws on the line with the comment. */
const caught: Readonly<Record<string, string>> = {
  'around the throw': agent(
    "    try {\n      throw new Error('now'); // throws\n    } catch {\n      workflowTask.task;\n    }",
  ),
  'around an await': agent(
    '    try {\n      await failing();\n    } catch {\n      workflowTask.task;\n    }',
    thrower,
  ),
  'with catch()': agent('    await failing().catch(() => undefined);', thrower),
};

const judge = (body: string): string => `
import { BaseJudge } from 'agentjet';
export class Judge extends BaseJudge {
  override computeReward(): { reward: number; isSuccess: boolean } {
    ${body}
    return { reward: 1, isSuccess: true };
  }
}
`;
const now = "throw new Error('below'); // throws";
const unscored = (source: string): string =>
  source.replace('return { reward: 1 }', 'return { metadata: {} } as never');

/** By where; each throws on the line with the comment. */
const ending: Readonly<Record<string, string>> = {
  'in execute': agent(`    if (workflowTask.taskId !== '') ${now}`),
  'below an await': agent('    await failing();', thrower),
  'below Promise.all': agent('    await Promise.all([failing(), Promise.resolve()]);', thrower),
  'in computeReward': unscored(agent('', judge(`if (Date.now() > 0) ${now}`))),
};

describe('exceptions', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  /** Starts the workflow with these filters on, which the editor's API cannot set beforehand. */
  async function runWith(filters: readonly string[], source: string): Promise<string> {
    const file = 'module/throws.ts';
    await writeFileOf(file, source);
    breakAt(file, await lineWith(file, mark));
    await debug.launch({ config: await writeConfig(file) });
    const frame = await debug.stopped();
    await frame.session.customRequest('setExceptionBreakpoints', { filters });
    await debug.request(frame, 'continue');
    return file;
  }

  async function stopsAtThrow(file: string, count = 2): Promise<void> {
    const stop = await debug.stopped(count);
    assert.equal(stop.file, fileUri(file).fsPath);
    assert.equal(stop.line, (await lineWith(file, '// throws')) + 1);
    const { reason } = debug.events('stopped')[count - 1]?.body as { reason: string };
    assert.equal(reason, 'exception');
    await debug.request(stop, 'continue');
    await debug.ended();
    assert.equal(debug.events('stopped').length, count, 'no second stop for the same error');
  }

  for (const [where, source] of Object.entries(ending)) {
    it(`stops by default at an error that ends an episode, thrown ${where}`, async () => {
      const file = 'module/ends.ts';
      await writeFileOf(file, source);
      await debug.launch({ config: await writeConfig(file, { tasks: 1, judge: `${file}->Judge` }) });
      await stopsAtThrow(file, 1);
      assert.match(debug.output(), /task t0, repeat 0: .*ends\.ts:\d+:\d+: .*below/);
    });
  }

  it('shows where an error comes from in the files of the user', async () => {
    const file = 'module/ends.ts';
    await writeFileOf(file, agent('    await failing();', thrower));
    await debug.launch({ config: await writeConfig(file) }, true);
    await debug.ended();
    const own = debug.output().match(/^ +at .*$/gm) ?? [];
    assert.deepEqual(
      own.map((line) => /at (?:async )?([\w.]+) /.exec(line)?.[1]),
      ['failing', 'Agent.execute'],
    );
  });

  for (const [where, source] of Object.entries(caught)) {
    it(`the filter for errors that end an episode does not stop where the workflow catches ${where}`, async () => {
      await runWith(['uncaught'], source);
      await debug.ended();
      assert.equal(debug.events('stopped').length, 1);
      assert.match(debug.output(), /reward 1/);
    });

    it(`"caught" stops where the workflow catches ${where}`, async () => {
      await stopsAtThrow(await runWith(['all'], source));
      assert.match(debug.output(), /reward 1/);
    });
  }
});
