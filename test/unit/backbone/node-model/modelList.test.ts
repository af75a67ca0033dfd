import { describe, expect, it } from 'vitest';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { resolveRun } from '../../../../src/backbone/node/options/resolveRun.ts';
import type { RunOptions } from '../../../../src/backbone/node/options/runOptions.ts';
import {
  findLocalServers,
  listModels,
  type FoundServer,
} from '../../../../src/backbone/node/model-tuner/modelList.ts';
import { attributeErrors } from '../../../../src/debugging/node/errors.ts';
import { openAiServer, sendJson, type OpenAiServer } from './openAiServer.ts';

function serverWith(...models: readonly string[]): Promise<OpenAiServer> {
  return openAiServer((response) =>
    sendJson(response, 200, { data: models.map((id) => ({ id, owned_by: 'llamacpp' })) }),
  );
}

const portOf = ({ baseUrl }: OpenAiServer): number => Number(new URL(baseUrl).port);

describe('listModels', () => {
  it('lists the models with the key of the server', async () => {
    const server = await serverWith('a', 'b');
    const list = await listModels({ baseUrl: `${server.baseUrl}/`, apiKey: 'secret' });
    expect(list).toEqual({ kind: 'models', models: ['a', 'b'], owner: 'llamacpp' });
    expect(server.received).toMatchObject([
      { path: '/v1/models', headers: { authorization: 'Bearer secret' } },
    ]);
  });

  it.each([401, 403])('says that a server which answers %i requires a key', async (status) => {
    const server = await openAiServer((response) => sendJson(response, status, {}));
    expect(await listModels(server)).toEqual({ kind: 'unauthorized' });
  });

  it.each([
    [404, 'no such page'],
    [200, '<html>'],
    [200, { data: 'none' }],
  ])('fails for a server without a list: %i, %j', async (status, body) => {
    const server = await openAiServer((response) => sendJson(response, status, body));
    expect(await listModels(server)).toMatchObject({ kind: 'failed', responded: true });
  });

  it('fails for a server that is not there, or that does not respond in time', async () => {
    expect(await listModels({ baseUrl: 'http://127.0.0.1:1/v1' })).toMatchObject({ responded: false });
    const silent = await openAiServer(() => undefined);
    expect(await listModels(silent, { limit: 50 })).toMatchObject({
      responded: false,
      reason: 'no response within 0.05 s',
    });
  });
});

describe('findLocalServers', () => {
  it('finds servers on the ports, and knows some by the owner of their models', async () => {
    const known = await serverWith('small');
    const locked = await openAiServer((response) => sendJson(response, 401, {}));
    const other = await openAiServer((response) => sendJson(response, 200, 'hello'));
    const found: FoundServer[] = [];
    const ports = [known, locked, other].map((server) => ({ name: 'Port', port: portOf(server) }));
    await findLocalServers((server) => found.push(server), neverCancelled, [
      ...ports,
      { name: 'None', port: 1 },
    ]);
    expect(found.map(({ name, list }) => [name, list.kind]).sort()).toEqual([
      ['Port', 'unauthorized'],
      ['llama.cpp', 'models'],
    ]);
  });
});

describe('an endpoint without a model', () => {
  const context = {
    files: { exists: () => Promise.resolve(true), readText: () => Promise.resolve(undefined) },
    environment: {},
    savedApiKey: () => Promise.resolve(undefined),
  };

  async function modelOf({ baseUrl }: { readonly baseUrl: string }): Promise<unknown> {
    const options: RunOptions = { config: '/project/agent.yaml', endpoint: { baseUrl } };
    try {
      const spec = await resolveRun(options, context, { debugging: false, errors: attributeErrors() });
      return spec.request.model;
    } catch (error) {
      if (error instanceof CodedError) return error.message;
      throw error;
    }
  }

  it('uses the only model of the server', async () => {
    const server = await serverWith('only');
    expect(await modelOf(server)).toEqual({ kind: 'endpoint', baseUrl: server.baseUrl, model: 'only' });
  });

  it('fails with the names if the server has several models', async () => {
    expect(await modelOf(await serverWith('one', 'two'))).toContain('one, two');
  });

  it('fails with the reason if the server does not list its models', async () => {
    expect(await modelOf({ baseUrl: 'http://127.0.0.1:1/v1' })).toContain('no server is listening');
    expect(await modelOf(await serverWith())).toContain('has no models');
  });
});
