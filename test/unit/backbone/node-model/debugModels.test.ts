import { describe, expect, it } from 'vitest';
import { ModelFailureError, type ChatModel } from '../../../../src/backbone/core/model-tuner/model.ts';
import {
  DebugModels,
  type DebugModelsOptions,
} from '../../../../src/backbone/node/model-tuner/debugModels.ts';
import { parseDebugModel } from '../../../../src/backbone/node/options/resolveRun.ts';
import type { ModelChoice } from '../../../../src/backbone/core/protocol/run.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { saying } from '../model-tuner/tunerBench.ts';

function modelsOf(changes: Partial<DebugModelsOptions> = {}) {
  const opened: ModelChoice[] = [];
  const logged: string[] = [];
  const models = new DebugModels({
    choices: {},
    trained: { kind: 'embedded' },
    environment: {},
    open: (choose): Promise<ChatModel> => {
      const choice = choose();
      opened.push(choice);
      const model = { description: choice.kind, respond: () => Promise.resolve(saying('hi')) };
      return Promise.resolve(model);
    },
    logger: { log: (level, message) => logged.push(`${level}: ${message}`) },
    ...changes,
  });
  return { models, opened, logged };
}

const server: ModelChoice = { kind: 'endpoint', baseUrl: 'http://127.0.0.1:1/v1', model: 'm' };

describe('a debug model', () => {
  it('is the one that is configured, opened once', async () => {
    const { models, opened } = modelsOf({ choices: { 'gpt-4o': server } });
    await Promise.all([models.get('gpt-4o'), models.get('gpt-4o')]);
    expect(opened).toEqual([server]);
  });

  it.each([
    [{ OPENAI_API_KEY: 'k' }, { baseUrl: 'https://api.openai.com/v1', model: 'gpt-4o', apiKey: 'k' }],
    [
      { OPENAI_API_KEY: '', OPENAI_BASE_URL: 'http://h/v1' },
      { baseUrl: 'http://h/v1', model: 'gpt-4o' },
    ],
  ])('is by default at the server of the environment: %j', async (environment, expected) => {
    const { models, opened } = modelsOf({ environment });
    await models.get('gpt-4o');
    expect(opened).toEqual([{ kind: 'endpoint', ...expected }]);
  });

  it('is the embedded one where nothing needs a server, and says so', async () => {
    const { models, opened, logged } = modelsOf();
    await models.get('constructor');
    expect(opened).toEqual([{ kind: 'embedded' }]);
    expect(logged).toEqual([
      'info: Debug model constructor: embedded, since no server is configured; set one with --debug-model constructor=URL (launch.json: debugModels).',
    ]);
  });

  it('need not be anywhere where a recording answers', async () => {
    const replay = { description: 'replay', respond: () => Promise.resolve(saying('hi')) };
    const { models, logged } = modelsOf({ trained: server, open: () => Promise.resolve(replay) });
    await models.get('gpt-4o');
    expect(logged).toEqual(['info: Debug model gpt-4o: replay.']);
  });

  it('is missed where only the model being trained has a server', async () => {
    const { models } = modelsOf({ trained: server });
    const failure = await models.get('gpt-4o').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelFailureError);
    expect(failure).toMatchObject({
      failure: { status: 500, report: { code: 'model-tuner/no-debug-model' } },
    });
  });

  it('fails its calls with the reason for which it cannot be opened', async () => {
    const none = new CodedError({ code: 'model/script-not-found', message: 'There is none.' });
    const open = (): Promise<never> => Promise.reject(none);
    const { models } = modelsOf({ open });
    await expect(models.get('gpt-4o')).rejects.toMatchObject({
      failure: { error: { message: 'There is none.' }, report: { code: 'model/script-not-found' } },
    });
  });
});

describe('a debug model as text', () => {
  it.each([
    ['embedded', { kind: 'embedded' }],
    ['judge.ts', { kind: 'script', file: 'judge.ts' }],
    ['http://h:1/v1', { kind: 'endpoint', baseUrl: 'http://h:1/v1', model: 'gpt-4o' }],
    ['Qwen/Qwen3-8B@https://h/v1', { kind: 'endpoint', baseUrl: 'https://h/v1', model: 'Qwen/Qwen3-8B' }],
    ['gpt-4o', undefined],
    ['', undefined],
  ])('%s', (text, expected) => {
    expect(parseDebugModel('gpt-4o', text, (file) => file, undefined)).toEqual(expected);
  });

  it('is completed by a path and a key', () => {
    const resolve = (file: string): string => `/w/${file}`;
    expect(parseDebugModel('gpt-4o', 'a.ts', resolve, 'k')).toEqual({ kind: 'script', file: '/w/a.ts' });
    const endpoint = { kind: 'endpoint', baseUrl: 'http://h/v1', model: 'm' } as const;
    const parsed = (key?: string) => parseDebugModel('gpt-4o', 'm@http://h/v1', resolve, key);
    expect(parsed('k')).toEqual({ ...endpoint, apiKey: 'k' });
    expect(parsed()).toEqual(endpoint);
  });
});
