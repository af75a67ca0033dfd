/** What training would make of a run's calls: told at its end, and kept in its trace. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { openAiServer, sendJson } from '../../unit/backbone/node-model/openAiServer.ts';
import { failure, runCli, runJson, startCli, type JsonResults } from '../harness/cli.ts';
import { exampleProject, smallProject, smallWorkflow, type Project } from '../harness/project.ts';
import { openTrace, writeTimeline } from '../harness/trace.ts';

const example = ['--conf', 'math_agent.yaml'];
const small = ['--conf', 'small.yaml', '--tasks', '1'];
const tokenizer = path.resolve(import.meta.dirname, '../../fixtures/tokenizer/byte-level');

const ask = smallWorkflow(`const { choices } = await tuner.asOpenAIClient().chat.completions.create({
      model: 'any',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: workflowTask.task.main_query },
      ],
    });
    return { reward: choices[0]?.logprobs === null ? 1 : 0 };`);

function traceOf({ trace }: JsonResults): TraceReader {
  if (trace === null) throw new Error('There is no trace.');
  return openTrace(trace);
}

function scripted(project: Project, reply: unknown, ...args: string[]): ReturnType<typeof runJson> {
  const model = ['--model', 'script', '--script', 'answers.json', ...args];
  return project
    .write({ 'answers.json': JSON.stringify([reply]) })
    .then(() => runJson(project, [...small, ...model]));
}

describe('the example', () => {
  it('makes of each episode one timeline, most of whose tokens are not trained', async () => {
    const results = await runJson(await exampleProject(), example);
    for (const { llmCalls, timelines, tokens, trainableTokens } of results.episodes) {
      expect({ llmCalls, timelines }).toEqual({ llmCalls: 2, timelines: 1 });
      expect(trainableTokens).toBeGreaterThan(0);
      expect(tokens).toBeGreaterThan(2 * (trainableTokens ?? 0));
    }
    const { totals, end } = traceOf(results).read((views) => views.run());
    expect(end?.status).toBe('completed');
    const sum = (count: (episode: JsonResults['episodes'][number]) => number | null): number =>
      results.episodes.reduce((total, episode) => total + (count(episode) ?? 0), 0);
    expect(totals).toMatchObject({
      ended: 16,
      calls: 32,
      timelines: 16,
      tokens: sum(({ tokens }) => tokens),
      trainableTokens: sum(({ trainableTokens }) => trainableTokens),
    });
  });

  it('has timelines whose tokens are the conversation, with the replies and no more in the loss', async () => {
    const results = await runJson(await exampleProject(), [...example, '--tasks', '1', '--repeat', '1']);
    const trace = traceOf(results);
    expect(writeTimeline(trace, 0, 0)).toMatchSnapshot();
    const { lossMask, logprobs } = trace.read((views) => views.tokens.window(0, 0, 0, 1000));
    const given = lossMask.filter((mask, at) => mask === 1 && logprobs[at] !== null).length;
    expect(given).toBeGreaterThan(20);
    expect(logprobs.every((logprob, at) => logprob === null || lossMask[at] === 1)).toBe(true);
  });

  it('tells which episodes would train, as the terminal does', async () => {
    const { report, episodes, groups } = await runJson(await exampleProject(), example);
    expect(report).toEqual({
      trains: 12,
      doesNotTrain: 4,
      findings: [
        {
          code: 'equal-rewards',
          severity: 'warning',
          level: 'group',
          message: expect.stringContaining('same reward') as string,
          hint: expect.stringContaining('num_repeat') as string,
          count: 4,
          episodes: [12, 13, 14, 15],
          groups: [3],
        },
        expect.objectContaining({ code: 'approximate-tokenizer', level: 'run', count: 0 }),
      ],
      tokenizer: { name: 'built-in', exact: false, file: null },
    });
    expect(groups.map(({ advantages }) => advantages.map((one) => one && Number(one.toFixed(3))))).toEqual([
      [-1.5, 0.5, 0.5, 0.5],
      [0.5, 0.5, 0.5, -1.5],
      [0.5, -1.5, 0.5, 0.5],
      [0, 0, 0, 0],
    ]);
    expect(episodes[12]?.findings.map(({ code }) => code)).toEqual(['equal-rewards']);
    expect(new Set(episodes.slice(12).map(({ reward }) => reward))).toEqual(new Set([1]));
  });

  it('comes out the same twice, to the last token', async () => {
    const project = await exampleProject();
    const told = async (): Promise<unknown> => {
      const results = await runJson(project, [...example, '--parallel', '3']);
      const trace = traceOf(results);
      return results.episodes.map((_, episode) =>
        trace.read((views) => views.tokens.window(episode, 0, 0, 1000)),
      );
    };
    expect(await told()).toEqual(await told());
  });
});

describe('a model’s own tokenizer', () => {
  it('counts exactly where it is named', async () => {
    const project = await smallProject({ 'workflow.ts': ask });
    const results = await scripted(project, 'It is 5.', '--tokenizer', tokenizer);
    expect(results.report.tokenizer).toEqual({
      name: 'byte-level',
      exact: true,
      file: path.join(tokenizer, 'tokenizer.json'),
    });
    expect(writeTimeline(traceOf(results), 0, 0).replaceAll(/[[\]]/g, '')).toContain('It is 5.<|im_end|>');
  });

  it('is not replaced in silence where it is not there', async () => {
    const told = await failure(await smallProject(), [...small, '--tokenizer', 'nowhere']);
    expect(told).toMatch(/^exit 2\n.*\[cli\/no-file\]/);
  });

  it('is replaced with a warning where the model’s folder has a broken one', async () => {
    const project = await smallProject({ 'workflow.ts': ask, 'qwen/tokenizer.json': '{"model": ' });
    await project.edit('small.yaml', 'ajet:', 'ajet:\n  model: {path: qwen}');
    const { code, stdout, stderr } = await runCli(project, small);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: .*tokenizer\.json.*\[tokenizer\/broken\]$/m);
    expect(stdout).toContain('\nwarning: tokenizer: built-in, approximate');
  });
});

describe('a degenerate reply', () => {
  it('costs the episode its reward and what comes after it, which the report says', async () => {
    const twice = smallWorkflow(`const client = tuner.asOpenAIClient();
    for (const content of ['first', 'second']) {
      const messages = [{ role: 'system' as const, content: 'Be brief.' }, { role: 'user' as const, content }];
      await client.chat.completions.create({ model: 'any', messages });
    }
    return { reward: 1 };`);
    const answers = JSON.stringify(['a → b', 'It is 5.']);
    const project = await smallProject({ 'workflow.ts': twice, 'answers.json': answers });
    const results = await runJson(project, [...small, '--model', 'script', '--script', 'answers.json']);
    expect(results.episodes).toMatchObject([{ reward: 1, llmCalls: 2, timelines: 1 }]);
    const own = results.report.findings.filter(({ code }) => code.endsWith('-reply'));
    expect(own).toMatchObject([
      {
        code: 'degenerate-reply',
        severity: 'warning',
        message: expect.stringContaining('`→` (U+2192)') as string,
      },
      { code: 'after-degenerate-reply', severity: 'warning' },
    ]);
  });
});

describe('a prompt that leaves no room for a reply', () => {
  /** Goes on until it is told that the context is full, streamed or not, by the client or by base URL and key. */
  const untilFull =
    smallWorkflow(`const messages: { role: 'system' | 'user' | 'assistant'; content: string }[] = [
      { role: 'system', content: 'Be brief.' },
    ];
    const { baseUrl, apiKey } = tuner.asOaiBaseUrlApiKey();
    const client = tuner.asOpenAIClient();
    const { getContextTracker } = tuner;
    let turns = 0;
    while (!getContextTracker().contextOverflow) {
      messages.push({ role: 'user', content: 'and then what happened to the old lighthouse keeper? '.repeat(5) });
      const { choices } = await client.chat.completions.create({ model: 'any', messages });
      messages.push({ role: 'assistant', content: choices[0]?.message.content ?? '' });
      turns += 1;
    }
    const streamed = await client.chat.completions.create({ model: 'any', messages, stream: true });
    let told = '';
    for await (const chunk of streamed) told += chunk.choices[0]?.delta.content ?? '';
    const response = await fetch(baseUrl + '/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'any', messages }),
    });
    const { id, choices, usage } = await response.json();
    const texts = [messages.at(-1)?.content, told, choices[0].message.content];
    return { reward: turns, metadata: { texts, id, usage: usage ?? null } };`);
  const lengths = `ajet:
  data: {max_prompt_length: 100, max_response_length: 200}`;
  const canned = 'ajet_proxy: Exceeded max model context length.';

  it('is not asked: every client gets the canned reply, and nothing of the call is recorded', async () => {
    const project = await smallProject({
      'workflow.ts': untilFull,
      'answers.ts': "export default () => 'He left.';\n",
    });
    await project.edit('small.yaml', 'ajet:', lengths);
    await project.edit(
      'small.yaml',
      '  rollout:',
      '  rollout:\n    max_model_len: 300\n    max_response_length_in_one_turn: 50',
    );
    const model = ['--model', 'script', '--script', 'answers.ts', '--record', 'calls.jsonl'];
    const results = await runJson(project, [...small, ...model]);
    const trace = traceOf(results);
    const { calls, timelines } = trace.read((views) => views.episode(0));
    const asked = calls.length - 3;
    expect(asked).toBeGreaterThan(1);
    expect(results.episodes).toMatchObject([{ reward: asked + 1, llmCalls: asked, timelines: 1 }]);
    expect(timelines).toMatchObject([{ calls: calls.slice(0, asked).map(({ call }) => call) }]);
    const last = trace.read((views) => views.call(0, asked));
    expect(last.reply).toMatchObject({ author: 'llm(do_not_train)', text: canned });
    expect(JSON.parse(last.options)).toMatchObject({ canned_reply: 'overflow_response' });
    expect(
      JSON.parse(trace.read((views) => views.recorded()).episodes[0]?.returned?.output ?? ''),
    ).toMatchObject({
      metadata: { texts: [canned, canned, canned], id: 'overflow_response', usage: null },
    });
    expect(results.report.findings.filter(({ code }) => code === 'context-overflow')).toMatchObject([
      {
        severity: 'error',
        message: expect.stringMatching(
          /^In call \d+ and 2 more calls, .*max_model_len minus .*As in training, the model is not called/,
        ) as string,
      },
    ]);
    const recorded = (await project.read('calls.jsonl'))
      .split('\n')
      .filter((line) => line.includes('"call":'));
    expect(recorded).toHaveLength(asked);
    const again = await runJson(project, [...small, '--replay', 'calls.jsonl']);
    expect(again.episodes).toMatchObject([{ reward: asked + 1, llmCalls: asked, timelines: 1 }]);
  });
});

describe('the tokens that a server tells of', () => {
  const told = (choice: object): object => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: '5' }, finish_reason: 'stop', ...choice }],
  });
  const endpoint = (baseUrl: string): string[] => [
    ...[...small, '--tokenizer', tokenizer, '--model', 'endpoint'],
    ...['--base-url', baseUrl, '--model-name', 'm'],
  ];

  it('are those of the timeline: their ids and log probabilities', async () => {
    const entry = (token: string, logprob: number): object => ({
      token,
      bytes: null,
      logprob,
      top_logprobs: [],
    });
    const logprobs = { content: [entry('token_id:17', -0.25), entry('token_id:300', -0.5)], refusal: null };
    const answer = { ...told({ logprobs }), prompt_token_ids: [17, 300] };
    const server = await openAiServer((response) => sendJson(response, 200, answer));
    const results = await runJson(await smallProject({ 'workflow.ts': ask }), endpoint(server.baseUrl));
    expect(server.received[0]?.body).toMatchObject({ logprobs: true, return_token_ids: true });
    // The workflow, which asked for none, was given none.
    expect(results.episodes).toMatchObject([{ reward: 1, error: null }]);
    const { ids, logprobs: kept } = traceOf(results).read((views) => views.tokens.window(0, 0, 0, 1000));
    const at = kept.findIndex((logprob) => logprob !== null);
    expect([ids.slice(at, at + 2), kept.slice(at, at + 2)]).toEqual([
      [17, 300],
      [-0.25, -0.5],
    ]);
    // Those of its prompt are compared, too.
    expect(results.report.findings.map(({ code }) => code)).toContain('prompt-drift');
  });

  it('are done without where it refuses to tell', async () => {
    const server = await openAiServer((response, { body }) => {
      const refused = ['logprobs', 'return_token_ids'].find((name) => name in body);
      if (refused === undefined) sendJson(response, 200, told({}));
      else sendJson(response, 400, { error: { message: `Unrecognized argument: ${refused}` } });
    });
    const project = await smallProject({ 'workflow.ts': ask });
    const { code, stderr } = await runCli(project, endpoint(server.baseUrl));
    expect(code).toBe(0);
    expect(stderr.match(/does not support (logprobs|return_token_ids)/g)).toHaveLength(2);
  });
});

describe('the trace of a run that does not come to its own end', () => {
  it('has what was interrupted: episode and call', async () => {
    const project = await smallProject({
      'workflow.ts': ask,
      'answers.ts': "export default () => {\n  console.log('asked');\n  return new Promise(() => {});\n};\n",
    });
    const run = startCli(project, [...small, '--model', 'script', '--script', 'answers.ts']);
    await run.wrote(/asked/);
    run.child.kill('SIGINT');
    expect(await run.exited).toMatchObject({ code: 130 });
    const trace = openTrace(project.path('saved_experiments/small/small.ajtrace'));
    expect(trace.read((views) => views.run()).end?.status).toBe('cancelled');
    const { row, calls, timelines } = trace.read((views) => views.episode(0));
    expect(row.error?.code).toBe('episode/cancelled');
    expect(calls).toMatchObject([{ status: 499, error: expect.stringContaining('canceled') as string }]);
    expect(timelines).toEqual([]);
  });

  it('has each episode that ended before the process was killed', async () => {
    const project = await smallProject({
      'workflow.ts': smallWorkflow(
        "if (workflowTask.taskId === 't2') process.kill(process.pid, 'SIGKILL');\n    return { reward: 1 };",
      ),
    });
    await runCli(project, ['--conf', 'small.yaml', '--parallel', '1']);
    const trace = openTrace(project.path('saved_experiments/small/small.ajtrace'));
    expect(trace.read((views) => views.run())).toMatchObject({ end: null, live: false });
    expect(
      trace.read((views) => views.episodes(0, 9)).rows.map(({ state, reward }) => [state, reward]),
    ).toEqual([
      ['ended', 1],
      ['lost', null],
    ]);
  });
});
