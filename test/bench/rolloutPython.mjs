/**
 * Episodes a second in Python, before a model that takes 50 ms for an answer: a debug run over the same conversations
 * held by the same client with the model's server itself. Both are timed by that server, from the first request to the
 * last answer, so that neither pays for its start.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { ensurePython } from '../tools/pythonEnvironments.mjs';
import { debugRun, inRunFolder } from './debugRun.mjs';
import { alternate, leastRuns } from './measure.mjs';

const episodes = 200;
const parallel = 16;
const callsOfAnEpisode = 5;
const answerTime = 50;

export const rolloutPythonBenches = [
  {
    name: 'rollout-python',
    metric: `episodes a second of a debug run, ${episodes} of ${callsOfAnEpisode} calls, ${parallel} at a time`,
    baselineName: "the same Python client with the model's server, no gateway between",
    target: 0.7,
    atLeast: true,
    measure: async () => {
      const model = await startModel();
      try {
        return await inRunFolder('python', episodes, (folder) => measureSides(folder, model));
      } finally {
        model.close();
      }
    },
  },
];

async function measureSides(folder, model) {
  const python = await ensurePython();
  const rate = async (run) => {
    model.forget();
    await run(folder, python, model.url);
    return model.episodesPerSecond();
  };
  return alternate(
    leastRuns,
    () => rate(withRun),
    () => rate(withoutRun),
  );
}

async function withRun(folder, python, baseUrl) {
  await debugRun(folder, {
    episodes,
    calls: callsOfAnEpisode,
    request: {
      model: { kind: 'endpoint', baseUrl, model: 'any' },
      firstTasks: episodes,
      repeat: 1,
      python: { executable: python },
    },
  });
}

async function withoutRun(folder, python, baseUrl) {
  const script = path.join(folder, 'direct.py');
  const child = spawn(python, [script, baseUrl, String(episodes), String(parallel)], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`direct.py exited with ${code}`);
}

const completion = JSON.stringify({
  id: 'chatcmpl-1',
  created: 1_700_000_000,
  model: 'any',
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', content: 'One, two, three, and so on.' },
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 8, total_tokens: 18 },
});

/** An OpenAI-compatible server which notes when it was first asked and last answered. */
async function startModel() {
  let calls = [];
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.once('end', () => {
      const call = { asked: performance.now(), answered: undefined };
      if (incoming.url.endsWith('/chat/completions')) calls.push(call);
      setTimeout(() => {
        call.answered = performance.now();
        response.writeHead(200, { 'content-type': 'application/json' }).end(completion);
      }, answerTime);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => server.close(),
    forget: () => (calls = []),
    episodesPerSecond: () => {
      if (calls.length !== episodes * callsOfAnEpisode)
        throw new Error(`The model was asked ${calls.length} times.`);
      const from = Math.min(...calls.map(({ asked }) => asked));
      const to = Math.max(...calls.map(({ answered }) => answered));
      return episodes / ((to - from) / 1000);
    },
  };
}
