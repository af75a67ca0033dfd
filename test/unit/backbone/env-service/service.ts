import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request meets instead of its answer. */
export type Fault =
  | 'hang'
  | 'cut'
  | 'cut-in-the-middle'
  | { readonly status?: number; readonly body: string };

/**
 * An environment service with state: in every instance a number is to be guessed between 1 and 9, which is the task's id.
 * Faults are met by requests of an endpoint in the order in which they were planned.
 */
export async function startService() {
  const asked: Asked[] = [];
  const instances = new Map<string, { readonly secret: number; guesses: number; solved: boolean }>();
  const faults: { readonly endpoint: string; readonly fault: Fault }[] = [];
  const waiting: { readonly count: number; readonly tell: () => void }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const endpoint = (request.url ?? '').slice(1);
      const body = JSON.parse(text) as Asked['body'];
      asked.push({ endpoint, body });
      const at = faults.findIndex((planned) => planned.endpoint === endpoint);
      const fault = at < 0 ? undefined : faults.splice(at, 1)[0]?.fault;
      if (fault === undefined) reply(response, answer(endpoint, body));
      else fail(response, fault);
      for (const { count, tell } of waiting) if (asked.length >= count) tell();
    });
  });
  const answer = (endpoint: string, body: Asked['body']): unknown => {
    const id = String(body['instance_id']);
    const instance = instances.get(id);
    switch (endpoint) {
      case 'get_env_profile':
        return { data: body['env_type'] === 'guess' ? [3, '7'] : [] };
      case 'create': {
        instances.set(id, { secret: Number(body['task_id']), guesses: 0, solved: false });
        const state = [
          { role: 'system', content: 'Guess a number between 1 and 9.' },
          { role: 'user', content: `Which is it? (instance ${id})` },
        ];
        return { data: { state, reward: 0, is_terminated: false, info: { instance_id: id } } };
      }
      case 'step': {
        if (instance === undefined) return { detail: 'no such instance' };
        const guess = Number((body['messages'] as { content: string }).content);
        instance.guesses += 1;
        instance.solved ||= guess === instance.secret;
        const content = instance.solved ? 'Right.' : guess < instance.secret ? 'Higher.' : 'Lower.';
        const state = [{ role: 'user', content }];
        return { data: { state, reward: 0.5, is_terminated: instance.solved, info: { guess } } };
      }
      case 'evaluate':
        return { data: instance?.solved === true ? 1 : 0 };
      case 'release':
        return { success: instances.delete(id) };
      default:
        return { detail: 'no such endpoint' };
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    instances,
    plan: (endpoint: string, ...planned: Fault[]): void => {
      faults.push(...planned.map((fault) => ({ endpoint, fault })));
    },
    /** Until so many requests have come altogether. */
    seen: (count: number): Promise<void> =>
      new Promise((tell) => {
        if (asked.length >= count) tell();
        else waiting.push({ count, tell });
      }),
    endpoints: (): readonly string[] => asked.map(({ endpoint }) => endpoint),
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function reply(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function fail(response: ServerResponse, fault: Fault): void {
  if (fault === 'hang') return;
  if (fault === 'cut') {
    response.destroy();
  } else if (fault === 'cut-in-the-middle') {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"data"', () => response.destroy());
  } else {
    response.writeHead(fault.status ?? 200).end(fault.body);
  }
}
