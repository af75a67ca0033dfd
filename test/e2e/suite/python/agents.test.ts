/** Agents in Python made with frameworks, under the debugger; what the command makes of all of them: test/cli/python/pythonAgents.test.ts. */
import assert from 'node:assert/strict';
import { openTraceReader } from '../../../../src/traces/node/store/openReader.ts';
import { breakAt, type Conversation, inConversation, fileUri, lineOf, type Frame } from '../debugging.ts';

/** In the order of frameworks/tasks.jsonl. */
const frameworks = ['langgraph_react', 'openai_sdk', 'raw_http', 'agentscope_2'];

describe('debugging an agent in Python', () => {
  let debug: Conversation;

  inConversation((one) => (debug = one));

  it('stops in execute, in the tool and in the judge, whatever it is made with', async () => {
    const places = [
      ['frameworks/by_framework.py', 'framework = import_module('],
      ['frameworks/calculator.py', 'if not set(expression)'],
      ['judge.py', 'found = re.search'],
    ] as const;
    const stops = await Promise.all(
      places.map(async ([file, text]) => ({ file, line: await lineOf(file, text) })),
    );
    for (const { file, line } of stops) breakAt(file, line);
    await debug.launch({
      config: fileUri('frameworks.yaml').fsPath,
      python: process.env['AGENTJET_E2E_PYTHON_AGENTS'],
      taskIds: frameworks,
      model: 'script',
      script: fileUri('frameworks/answers.mjs').fsPath,
    });
    let seen = 0;
    const next = async (at: number): Promise<Frame> => {
      const frame = await debug.stopped(++seen);
      const { file, line } = stops[at] ?? { file: '', line: 0 };
      assert.deepEqual([frame.file, frame.line], [fileUri(file).fsPath, line + 1]);
      return frame;
    };
    for (const framework of frameworks) {
      const inExecute = await next(0);
      assert.equal(await debug.evaluate(inExecute, 'workflow_task.task.task_id'), `'${framework}'`);
      await debug.request(inExecute, 'continue');
      const inTool = await next(1);
      assert.equal(await debug.evaluate(inTool, 'expression'), "'14 + 9 - 6'");
      await debug.request(inTool, 'continue');
      const inJudge = await next(2);
      assert.equal(
        await debug.evaluate(inJudge, "workflow_output.metadata['final_answer']"),
        "'So it is \\\\boxed{17}.'",
      );
      await debug.request(inJudge, 'continue');
    }
    await debug.ended();
    for (const framework of frameworks) {
      assert.match(debug.output(), new RegExp(`task ${framework}, repeat 0: reward 1, success, 2 calls`));
    }
    assert.deepEqual(conversations(), Array<unknown>(frameworks.length).fill(asInTypeScript));
  });

  /** Of each episode, who says what in its one timeline. */
  function conversations(): readonly (readonly string[])[] {
    const [, file = ''] = /^trace: (.+\.ajtrace)$/m.exec(debug.output()) ?? [];
    const trace = openTraceReader(file);
    try {
      return frameworks.map((_, episode) => {
        assert.equal(trace.read((views) => views.episode(episode)).timelines.length, 1);
        return trace
          .read((views) => views.conversations.ofTimeline(episode, 0))
          .map(({ role, author, lossMask }) => `${role} ${author} ${lossMask.includes(1)}`);
      });
    } finally {
      trace.close();
    }
  }
});

const asInTypeScript = [
  'system env false',
  'user env false',
  'assistant llm true',
  'tool env false',
  'assistant llm true',
];
