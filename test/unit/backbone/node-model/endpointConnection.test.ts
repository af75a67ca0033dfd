import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ChatRequest, ModelReply } from '../../../../src/backbone/core/model-tuner/model.ts';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { createEndpointModel } from '../../../../src/backbone/node/model-tuner/endpointModel.ts';
import { chunkOf, completionOf } from '../model-tuner/tunerBench.ts';
import { beginStream, openAiServer, sendJson, type OpenAiServer, type Received } from './openAiServer.ts';

const request: ChatRequest = { model: 'any', messages: [{ role: 'user', content: 'hello' }] };

async function ask({ baseUrl }: OpenAiServer, asked = request): Promise<ModelReply['kind']> {
  const model = createEndpointModel({ baseUrl, model: 'qwen', logger: { log: () => undefined } });
  const call = { episode: 0, call: 0, agentName: 'a', targetTag: 't' };
  const reply = await model.respond(asked, neverCancelled, call);
  if (reply.kind === 'stream') for await (const chunk of reply.chunks) expect(chunk).toBeDefined();
  return reply.kind;
}

function answer(response: ServerResponse, { body }: Received): void {
  if (body['stream'] === true) {
    beginStream(response);
    response.end(`data: ${JSON.stringify(chunkOf({ content: 'yes' }))}\n\ndata: [DONE]\n\n`);
  } else {
    sendJson(response, 200, completionOf('yes'));
  }
}

describe('the connection to an endpoint', () => {
  it('is kept from call to call', async () => {
    const sockets = new Set<Socket>();
    const server = await openAiServer((response, received, socket) => {
      sockets.add(socket);
      answer(response, received);
    });
    for (let turn = 0; turn < 3; turn += 1) expect(await ask(server)).toBe('completion');
    expect(sockets.size).toBe(1);
  });

  it('serves calls after a stream, too', async () => {
    const sockets = new Set<Socket>();
    const server = await openAiServer((response, received, socket) => {
      sockets.add(socket);
      answer(response, received);
    });
    for (let turn = 0; turn < 5; turn += 1)
      expect(await ask(server, { ...request, stream: true })).toBe('stream');
    expect(sockets.size).toBeLessThan(5);
  });

  it('is made anew where the server has closed the one that was kept', async () => {
    const used = new Set<Socket>();
    let hungUp = 0;
    const server = await openAiServer((response, received, socket) => {
      if (used.has(socket)) {
        hungUp += 1;
        socket.destroy();
        return;
      }
      used.add(socket);
      answer(response, received);
    });
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await ask(server)).toBe('completion');
    }
    expect(hungUp).toBe(2);
  });
});
