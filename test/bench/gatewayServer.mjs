/**
 * `model`: an OpenAI-compatible server that answers at once. `bare URL`: an HTTP proxy to it, and nothing else. `ours
 * URL`: the Model Tuner's gateway before it. Each listens on loopback and prints `{port, apiKey}`.
 */
import { Agent, createServer, request } from 'node:http';
import { createEndpointModel } from '../../src/backbone/node/model-tuner/endpointModel.ts';
import { systemClock } from '../../src/base/node/clock.ts';
import { startModelServer } from '../../src/backbone/node/model-tuner/modelServer.ts';
import { createGateway } from '../../src/backbone/core/model-tuner/gateway.ts';

const pieces = Array.from({ length: 16 }, (_, index) => `The answer, part ${index}, has a few words in it. `);
const about = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm' };
const completion = JSON.stringify({
  ...about,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', content: pieces.join('') },
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 160, total_tokens: 170 },
});
const chunk = (delta, finish_reason) =>
  `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

function model() {
  return createServer(async (incoming, response) => {
    const parts = [];
    for await (const part of incoming) parts.push(part);
    if (!JSON.parse(Buffer.concat(parts).toString('utf8')).stream) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const content of pieces) response.write(chunk({ role: 'assistant', content }, null));
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
}

function bare(url) {
  const agent = new Agent({ keepAlive: true });
  return createServer((incoming, response) => {
    const { method, headers } = incoming;
    const onward = request(url, { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', (error) => response.destroy(error));
    incoming.pipe(onward);
  });
}

function listening(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port, apiKey: '' }));
  });
}

async function ours(url) {
  const logger = { log: () => undefined };
  const baseUrl = url.replace(/\/chat\/completions$/, '');
  const gateway = createGateway({
    model: createEndpointModel({ baseUrl, model: 'm', logger }),
    sampling: { temperature: 1, topP: 1, maxTokens: 4_080 },
    seed: 1,
    clock: systemClock,
    logger,
    observer: { onCall: () => undefined },
  });
  const server = await startModelServer(gateway.handle);
  const episode = gateway.openEpisode({
    episodeUuid: 'ab'.repeat(16),
    episode: 0,
    seed: 1,
    address: server.baseUrl,
  });
  const apiKey = episode.apiKeyFor({ agentName: 'agent', targetTag: 'target' });
  return { port: Number(new URL(server.baseUrl).port), apiKey };
}

const [kind, url] = process.argv.slice(2);
const kinds = { model: () => listening(model()), bare: () => listening(bare(url)), ours: () => ours(url) };
process.stdout.write(`${JSON.stringify(await kinds[kind]())}\n`);
