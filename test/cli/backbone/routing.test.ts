/** A game of two sides, of which one is trained and a debug model plays the other. */
import { describe, expect, it } from 'vitest';
import { openAiServer, sendJson } from '../../unit/backbone/node-model/openAiServer.ts';
import { completionOf } from '../../unit/backbone/model-tuner/tunerBench.ts';
import { runCli, runJson, type JsonResults } from '../harness/cli.ts';
import { smallProject, smallWorkflow, type Project } from '../harness/project.ts';
import { openTrace } from '../harness/trace.ts';

const conf = ['--conf', 'small.yaml', '--tasks', '1', '--verbose'];
const scripted = [...conf, '--model', 'script', '--script', 'answers.json'];

/** Each side says one word. */
function game(targets: string, adapter = 'asOpenAIClient({ agentName: side, targetTag: side })'): string {
  const body = `const words = ['werewolf', 'villager'].map(async (side) => {
      const client = tuner.${adapter};
      const completion = await client.chat.completions.create({
        model: 'any',
        messages: [
          { role: 'system', content: \`You are a \${side}.\` },
          { role: 'user', content: 'Speak.' },
        ],
      });
      return completion.choices[0]?.message.content;
    });
    return { reward: (await Promise.all(words)).join() === 'trained,trained' ? 1 : 0.5 };`;
  return smallWorkflow(body).replace(
    'async execute',
    `override trainableTargets: string[] | null = ${targets};\n  override async execute`,
  );
}

function project(workflow: string): Promise<Project> {
  const trained = JSON.stringify(['trained', 'trained']);
  const debug = JSON.stringify(['untrained', 'untrained']);
  return smallProject({ 'workflow.ts': workflow, 'answers.json': trained, 'debug.json': debug });
}

function ofRouting({ findings }: JsonResults['report']): string[] {
  return findings
    .map(({ code }) => code)
    .filter((code) => /^(all-calls-untrained|untrained-target-trained)$/.test(code));
}

describe('two sides', () => {
  it('are both trained by default', async () => {
    const { episodes, report } = await runJson(await project(game('null')), scripted);
    expect(episodes).toMatchObject([{ llmCalls: 2, timelines: 2, reward: 1 }]);
    expect(ofRouting(report)).toEqual([]);
  });

  it('are both trained by an empty list, which is told', async () => {
    const { episodes, stderr } = await runJson(await project(game('[]')), scripted);
    expect(episodes).toMatchObject([{ llmCalls: 2, timelines: 2 }]);
    expect(stderr).toContain('[model-tuner/empty-targets]');
  });

  it.each([
    ['the workflow names it', "['werewolf']", []],
    ['the command names it', "['villager']", ['--trainable-targets', 'werewolf']],
  ])('has one trained where %s; a debug model plays the other, untracked', async (_, targets, args) => {
    const debug = ['--debug-model', 'gpt-4o=debug.json', ...args];
    const results = await runJson(await project(game(targets)), [...scripted, ...debug]);
    expect(results.episodes).toMatchObject([{ llmCalls: 1, timelines: 1, reward: 0.5, error: null }]);
    expect(results.stderr).toContain('Debug model gpt-4o: ');
    const trace = openTrace(results.trace ?? '');
    const calls = [0, 1].map((call) => trace.read((views) => views.call(0, call)));
    const tracked = calls.map(({ row, reply, options }) => {
      const { debug_model } = JSON.parse(options) as { debug_model?: string };
      return [row.tag, row.status, reply?.text ?? null, debug_model ?? null];
    });
    expect(tracked.sort()).toEqual([
      ['villager', 200, null, 'gpt-4o'],
      ['werewolf', 200, 'trained', null],
    ]);
  });

  it.each([[[]], [['--trainable-targets', 'villager']]])(
    'tells the workflow which is trained: %j',
    async (args) => {
      const workflow = game("['werewolf']").replace(
        'return {',
        "return this.trainableTargets?.join() === 'villager' ? { reward: 9 } : {",
      );
      const debug = ['--debug-model', 'gpt-4o=debug.json', ...args];
      const { episodes } = await runJson(await project(workflow), [...scripted, ...debug]);
      expect(episodes).toMatchObject([{ reward: args.length === 0 ? 0.5 : 9 }]);
    },
  );

  it('has the debug model at the server of the environment, which chooses the sampling itself', async () => {
    const server = await openAiServer((response) => sendJson(response, 200, completionOf('untrained')));
    const env = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'secret' };
    const { episodes } = await runJson(await project(game("['werewolf']")), scripted, { env });
    expect(episodes).toMatchObject([{ llmCalls: 1, reward: 0.5 }]);
    expect(server.received).toMatchObject([
      { headers: { authorization: 'Bearer secret' }, body: { model: 'gpt-4o' } },
    ]);
    expect(server.received[0]?.body).not.toHaveProperty('temperature');
  });

  it('uses the built-in model where nothing is configured, and says so', async () => {
    const { episodes, stderr } = await runJson(await project(game("['werewolf']")), conf);
    expect(episodes).toMatchObject([{ llmCalls: 1, timelines: 1, error: null }]);
    expect(stderr).toMatch(
      /Debug model gpt-4o: built-in \(seed \d+\), since no server is configured; set one with/,
    );
  });

  it('leaves nothing to train where no target that was used is named', async () => {
    const args = [...scripted, '--trainable-targets', 'wolf', '--debug-model', 'gpt-4o=debug.json'];
    const { episodes, report, stderr } = await runJson(await project(game('null')), args);
    expect(episodes).toMatchObject([{ llmCalls: 0, timelines: 0, reward: 0.5 }]);
    expect(ofRouting(report)).toEqual(['all-calls-untrained']);
    expect(stderr).toContain('names the target "wolf", but no agent of the run uses it');
  });

  it('trains what comes by base URL and key, whatever its target, and says so', async () => {
    const own = `asOaiBaseUrlApiKey({ agentName: side, targetTag: side })`;
    const workflow = game("['werewolf']", own).replace(
      /const completion = await client.chat.completions.create\((\{[^]*?\n {6}\})\);/,
      `const response = await fetch(\`\${client.baseUrl}/chat/completions\`, {
        method: 'POST',
        headers: { authorization: \`Bearer \${client.apiKey}\` },
        body: JSON.stringify($1),
      });
      const completion: any = await response.json();`,
    );
    const { episodes, report } = await runJson(await project(workflow), scripted);
    expect(episodes).toMatchObject([{ llmCalls: 2, timelines: 2, reward: 1, error: null }]);
    expect(ofRouting(report)).toEqual(['untrained-target-trained']);
  });
});

describe('on the command line', () => {
  it.each([
    [['--debug-model', 'gpt-4o'], 'is not NAME=MODEL'],
    [['--debug-model', 'gpt-4o=gpt-5'], '--debug-model (gpt-4o) must be'],
    [['--trainable-targets', ' , '], 'is empty'],
  ])('%j is refused', async (args, told) => {
    const { code, stderr } = await runCli(await project(game('null')), [...conf, ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(told);
  });
});
