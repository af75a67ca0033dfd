/** One episode of a trace, run again from what the trace has of it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { failure, runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, type Project } from '../harness/project.ts';
import { openTrace } from '../harness/trace.ts';

const conf = ['--conf', 'small.yaml'];

/** Two agents, a tool whose results come in a row, and an answer that depends on the model's. */
const workflow = `import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';

export class Small extends Workflow {
  async execute({ task, taskThreadIndex }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const client = tuner.asOpenAIClient({ agentName: 'solver' });
    const judge = tuner.asOpenAIClient({ agentName: 'critic' });
    const messages: unknown[] = [
      { role: 'system', content: 'Solve.' },
      { role: 'user', content: [{ type: 'text', text: task.main_query }] },
    ];
    const ask = async (from = client) =>
      (await from.chat.completions.create({ model: 'm', messages: messages as never })).choices[0]?.message;
    const first = await ask();
    const call = (id: string) => ({ id, type: 'function', function: { name: 'add', arguments: '{}' } });
    messages.push({ role: 'assistant', content: first?.content, tool_calls: [call('c1'), call('c2')] });
    messages.push({ role: 'tool', tool_call_id: 'c1', content: '3' }, { role: 'tool', tool_call_id: 'c2', content: '4' });
    const second = await ask(judge);
    messages.push(second);
    messages.push({ role: 'user', content: 'Sure?' });
    const third = await ask();
    const text = [first, second, third].map((one) => one?.content ?? '').join('|');
    return { reward: [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1009, 7) / 1009, isSuccess: text.length % 2 === 0, metadata: { taskThreadIndex } };
  }
}
`;

async function recorded(project: Project, args: readonly string[] = []): Promise<string> {
  const { trace, episodes } = await runJson(project, [...conf, '--repeat', '3', ...args]);
  expect(episodes.map(({ error }) => error)).toEqual(episodes.map(() => null));
  return trace ?? '';
}

/** What training would make of an episode, and what its workflow was told. */
function contentOf(file: string, episode: number): unknown {
  const trace = openTrace(file);
  const { timelines, row } = trace.read((views) => views.episode(episode));
  const { returned, repeat, taskIndex } =
    trace.read((views) => views.recorded()).episodes.find((one) => one.episode === episode) ?? {};
  return {
    timelines: timelines.map(({ timeline }) =>
      trace.read((views) => views.tokens.window(episode, timeline, 0, 8_192)),
    ),
    ...{ returned, repeat, taskIndex, reward: row.reward, isSuccess: row.isSuccess, calls: row.calls },
  };
}

describe('an episode of a trace', () => {
  it('is run again as it was: task, repeat, numbers, tokens and reward', async () => {
    const project = await smallProject({ 'workflow.ts': workflow });
    const trace = await recorded(project, ['--seed', '7']);
    for (const episode of [1, 5]) {
      // The script would answer otherwise, if it were asked.
      const args = [
        '--replay',
        trace,
        '--episode',
        String(episode),
        '--model',
        'script',
        '--script',
        'no.ts',
      ];
      const again = await runJson(project, [...conf, ...args]);
      const before = openTrace(trace).read((views) => views.episode(episode)).row;
      expect(again.episodes).toMatchObject([
        {
          error: null,
          reward: before.reward,
          recorded: { reward: before.reward, isSuccess: before.isSuccess },
        },
      ]);
      expect(again.stderr).not.toMatch(/was not recorded|were not made/);
      expect(contentOf(again.trace ?? '', episode)).toEqual(contentOf(trace, episode));
    }
  });

  it('says where it parts from what was recorded', async () => {
    const project = await smallProject({ 'workflow.ts': workflow });
    const trace = await recorded(project);
    const again = ['--replay', trace, '--episode', '4', '--verbose'];
    await project.edit('workflow.ts', 'Sure?', 'Really?');
    const diverged = await runJson(project, [...conf, ...again]);
    expect(diverged.episodes).toMatchObject([{ error: { code: 'replay/diverged' } }]);
    expect(diverged.stderr).toContain('expected "Sure?", got "Really?"');
    expect(diverged.stderr).toMatch(/Episode 4 ended with an error, but was recorded with reward/);
    await project.edit('workflow.ts', 'const third = await ask();', "const third = { content: 'x' };");
    const short = await runJson(project, [...conf, ...again]);
    expect(short.stderr).toContain(
      '1 of the 3 recorded calls was not made. The first is LLM call 2 by agent "solver"',
    );
  });

  it('is refused where there is none', async () => {
    const project = await smallProject({ 'workflow.ts': workflow });
    const trace = await recorded(project);
    const missing = await failure(project, [...conf, '--replay', trace, '--episode', '99']);
    expect(missing).toContain('The trace has no episode 99.');
    const noTrace = await failure(project, [...conf, '--replay', 'calls.jsonl', '--episode', '1']);
    expect(noTrace).toContain('--episode needs a trace to replay.');
    await project.write({ 'tasks.jsonl': '{"task_id":"other","main_query":"1 + 1"}\n' });
    const noTask = await failure(project, [...conf, '--replay', trace, '--episode', '1']);
    expect(noTask).toContain('[task-reader/unknown-task-id]');
  });

  it('serves a whole run, too', async () => {
    const project = await smallProject({ 'workflow.ts': workflow });
    const trace = await recorded(project);
    const again = await runJson(project, [...conf, '--repeat', '3', '--replay', trace]);
    const rewards = openTrace(trace)
      .read((views) => views.recorded())
      .episodes.map(({ reward }) => reward);
    expect(again.episodes.map(({ reward }) => reward)).toEqual(rewards);
    expect(again.stderr).not.toMatch(/was not recorded/);
  });
});

const python = `from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask


class Small(Workflow):
    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        client = tuner.as_raw_openai_sdk_client()
        messages = [{"role": "system", "content": "Solve."}, {"role": "user", "content": workflow_task.task.main_query}]
        first = await client.chat.completions.create(messages=messages)
        messages += [{"role": "assistant", "content": first.choices[0].message.content}, {"role": "user", "content": "Sure?"}]
        second = await client.chat.completions.create(messages=messages)
        text = second.choices[0].message.content
        return WorkflowOutput(reward=len(text) / 100, is_success=True)
`;

describe('an episode of a workflow in Python', () => {
  let executable: string;
  beforeAll(async () => {
    executable = await ensurePython();
  }, 300_000);

  it('is run again as it was', async () => {
    const config = smallConfig.replace('workflow.ts->Small', 'workflow.py->Small');
    const project = await smallProject({ 'small.yaml': config, 'workflow.py': python });
    const trace = await recorded(project, ['--python', executable]);
    const again = await runJson(project, [
      ...[...conf, '--python', executable],
      ...['--replay', trace, '--episode', '2'],
    ]);
    expect(again.episodes).toMatchObject([{ error: null }]);
    expect(contentOf(again.trace ?? '', 2)).toEqual(contentOf(trace, 2));
  });
});
