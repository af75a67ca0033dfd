/** A run is recorded, and goes again without what answered it. */
import { describe, expect, it } from 'vitest';
import { openAiServer, sendJson } from '../../unit/backbone/node-model/openAiServer.ts';
import { runCli, runJson, startCli } from '../harness/cli.ts';
import { smallProject, smallWorkflow } from '../harness/project.ts';

/** Two calls after one another, with a time, an id and a port in what they ask. */
const body = `const client = tuner.asOpenAIClient({ agentName: 'asker' });
    const ask = async (text: string): Promise<string> => {
      const content = text + ' ' + new Date().toISOString() + ' ' + workflowTask.episodeUuid + ' ' + tuner.asOaiBaseUrlApiKey().baseUrl;
      const { choices } = await client.chat.completions.create({
        model: 'any',
        messages: [{ role: 'user', content }],
      });
      return choices[0]?.message.content ?? '';
    };
    const question = process.env.QUESTION ?? 'How many?';
    await ask(workflowTask.task.main_query);
    return { reward: Number(await ask(question)) || 0 };`;

const files = { 'workflow.ts': smallWorkflow(body) };
const run = ['--conf', 'small.yaml', '--parallel', '1'];

function completion(content: string): unknown {
  const message = { role: 'assistant', content };
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  };
}

/** Without what is another in every run. */
function settledText<T>(value: T): T {
  if (typeof value === 'string') {
    return value.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '<time>').replaceAll(/[0-9a-f]{12,}/g, '<id>') as T;
  }
  if (Array.isArray(value)) return value.map(settledText) as T;
  if (typeof value !== 'object' || value === null || 'asymmetricMatch' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, settledText(child)])) as T;
}

describe('a recording', () => {
  it('answers in place of a server that has gone, with no key', async () => {
    const project = await smallProject(files);
    let answers = 0;
    const server = await openAiServer((response) => sendJson(response, 200, completion(String(answers++))));
    const live = [...run, '--model', 'endpoint', '--base-url', server.baseUrl, '--model-name', 'tiny'];
    const first = await runJson(project, [...live, '--record', 'calls.jsonl'], {
      env: { OPENAI_API_KEY: 'secret-key' },
    });
    expect(first.episodes).toMatchObject([{ reward: 1 }, { reward: 3 }]);
    expect(await project.read('calls.jsonl')).not.toContain('secret-key');
    const replay = [...run, '--replay', 'calls.jsonl'];
    const again = await runJson(project, [...replay, '--parallel', '2']);
    // Ids and times, which findings quote, and how many tokens they have are all that may differ.
    const settled = first.episodes.map((episode) => ({ ...episode, tokens: expect.any(Number) as number }));
    expect(settledText(again.episodes)).toEqual(settledText(settled));
    expect(settledText(again.report)).toEqual(settledText(first.report));
    expect(server.received).toHaveLength(4);
  });

  it('names where a run departs from it, and goes on with a model where it is told to', async () => {
    const project = await smallProject(files);
    await runCli(project, [...run, '--record', 'calls.jsonl', '--tasks', '1']);
    const replay = [...run, '--tasks', '1', '--replay', 'calls.jsonl'];
    const env = { QUESTION: 'How much?' };
    const failed = await runJson(project, replay, { env });
    expect(failed.episodes[0]?.error).toMatchObject({
      code: 'replay/diverged',
      message: expect.stringContaining('messages[0].content: expected "How many? ⟨time⟩') as string,
      location: { file: project.path('workflow.ts') },
    });
    const anew = await runCli(
      project,
      [...replay, '--on-replay-miss', 'call-model', '--record', 'calls.jsonl', '--force'],
      { env },
    );
    expect([anew.code, anew.stderr]).toEqual([0, expect.stringContaining('answers it')]);
    expect((await runJson(project, replay, { env })).episodes[0]?.error).toBeNull();
  });

  it('is never overwritten unasked, and survives the death of its run', async () => {
    const hang =
      'tuner.asOpenAIClient(); await new Promise((resolve) => setTimeout(resolve, 1e8)); return { reward: 1 };';
    const project = await smallProject(files);
    await project.write({ 'calls.jsonl': 'mine' });
    const refused = await runCli(project, [...run, '--record', 'calls.jsonl']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('recording/exists')]);
    await project.write({
      'workflow.ts': smallWorkflow(body.replace('return {', `console.log('held'); ${hang} return {`)),
    });
    const killed = startCli(project, [...run, '--record', 'late.jsonl']);
    await killed.wrote(/held/);
    killed.child.kill('SIGKILL');
    await killed.exited;
    const hinted = await runCli(project, [...run, '--replay', 'late.jsonl']);
    expect(hinted.stderr).toContain('late.jsonl.partial');
    await project.write(files);
    const { episodes } = await runJson(project, [...run, '--tasks', '1', '--replay', 'late.jsonl.partial']);
    expect(episodes[0]?.error).toMatchObject({ code: 'replay/diverged' });
  });
});

describe('faults', () => {
  it('are told, and their episodes with them', async () => {
    const project = await smallProject(files);
    const args = [...run, '--faults', 'rate=1,kinds=rate-limit', '--record', 'calls.jsonl'];
    const { code, episodes, report, stderr } = await runJson(project, [...args, '--verbose']);
    expect(code).toBe(1);
    const faults = [{ call: 0, agent: 'asker', kind: 'rate-limit' }];
    expect(episodes).toMatchObject([{ error: { code: 'faults/rate-limit' }, faults }, { faults }]);
    expect(report.findings[0]).toMatchObject({ code: 'lost-to-injected-fault', episodes: [0, 1] });
    expect(stderr).toContain('Injected fault (rate-limit) into LLM call 0 of task t1, repeat 0');
    const replayed = await runJson(project, [...run, '--replay', 'calls.jsonl']);
    expect(replayed.report).toEqual(report);
  });
});

it('a person is asked only at a terminal', async () => {
  const { code, stderr } = await runCli(await smallProject(files), [...run, '--model', 'human']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[cli/no-terminal]')]);
});
