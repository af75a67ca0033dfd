/** An OpenAI-compatible server, for tests of a user's own endpoint. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Endpoint {
  readonly baseUrl: string;
  /** The `authorization` header of each request so far. */
  readonly authorizations: readonly (string | undefined)[];
}

/** Answers every request with `content` until the test ends. With `letGo`, answers wait until it is aborted. */
export async function startEndpoint(content: string, letGo?: AbortSignal): Promise<Endpoint> {
  const authorizations: (string | undefined)[] = [];
  const answer = (response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(completion(content)));
  };
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    request.resume();
    if (letGo === undefined || letGo.aborted) answer(response);
    else letGo.addEventListener('abort', () => answer(response));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, authorizations };
}

function completion(content: string): object {
  return {
    id: 'one',
    object: 'chat.completion',
    created: 1,
    model: 'remote',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  };
}
