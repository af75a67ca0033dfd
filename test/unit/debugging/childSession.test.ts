import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  childConfiguration,
  cutStack,
  nameEpisodeErrors,
  parentShowsStreams,
  pythonConfiguration,
  restoreChildType,
  type ChildOptions,
} from '../../../src/debugging/node/childSession.ts';

const options: ChildOptions = {
  address: 'ws://127.0.0.1:9230/secret',
  config: '/project/agents/math.yaml',
  cwd: '/project',
  ownFolder: '/extension/dist',
  overrides: {},
};

describe('childConfiguration', () => {
  it('attaches to the run on loopback', () => {
    expect(childConfiguration(options)).toMatchObject({
      type: 'pwa-node',
      request: 'attach',
      websocketAddress: 'ws://127.0.0.1:9230/secret',
      continueOnAttach: true,
    });
  });

  it('looks for source maps where the user’s files are, and steps over ours', () => {
    const child = childConfiguration({ ...options, ownFolder: 'C:\\extension\\dist\\' });
    expect(child['resolveSourceMapLocations']).toEqual([
      '/project/**',
      '/project/agents/**',
      '!**/node_modules/**',
    ]);
    expect(child['skipFiles']).toEqual(['<node_internals>/**', 'C:/extension/dist/**']);
  });

  it('lets the user have the last word, save on where the process is', () => {
    const own = { websocketAddress: 'ws://127.0.0.1:1/', request: 'launch', type: 'node' };
    const overrides = { ...own, smartStep: false, continueOnAttach: false };
    expect(childConfiguration({ ...options, overrides })).toMatchObject({
      smartStep: false,
      continueOnAttach: false,
      websocketAddress: 'ws://127.0.0.1:9230/secret',
      request: 'attach',
      type: 'pwa-node',
    });
  });

  it.each([
    [{}, true],
    [{ outputCapture: 'std' }, true],
    [{ outputCapture: 'console' }, false],
  ])('has the output shown once, with %j', (overrides, byParent) => {
    const child = childConfiguration({ ...options, overrides });
    expect(child['outputCapture'] === 'std').toBe(byParent);
    expect(parentShowsStreams(overrides)).toBe(byParent);
  });
});

describe('the text of a value', () => {
  const source = String(childConfiguration(options)['customDescriptionGenerator']);
  const describeValue = runInThisContext(`(${source})`) as (usual: string) => string;
  const textOf = (value: object): string => describeValue.call(value, 'usual');

  it.each([
    [{ role: 'system', content: 'You count.' }, 'system: You count.'],
    [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }, 'user: [{"type":"text","text":"Go"}]'],
    [{ role: 'assistant', content: null }, 'assistant: null'],
    [{ role: 1, content: 'a' }, 'usual'],
    [{ content: 'a' }, 'usual'],
    [new Map(), 'usual'],
  ])('is a role and a text for a message: %j', (value, text) => expect(textOf(value)).toBe(text));
});

describe('pythonConfiguration', () => {
  it('keeps stepping out of our code, after the rules of the user', () => {
    const own = { path: '/project/vendor/**', include: false };
    const { config, ownFolder } = options;
    const overrides = { rules: [own] };
    const child = pythonConfiguration({ port: 1, token: 't', config, ownFolder, overrides });
    expect(child['rules']).toEqual([own, { path: '/extension/dist/python/**', include: false }]);
  });
});

describe('nameEpisodeErrors', () => {
  const texts = { label: 'Errors That End an Episode', description: 'Stops there.' };
  const filters = [
    { filter: 'all', label: 'Caught Exceptions', default: false },
    { filter: 'uncaught', label: 'Uncaught Exceptions', default: false, supportsCondition: true },
  ];
  const response = (command: string) => ({
    type: 'response',
    command,
    body: { exceptionBreakpointFilters: filters },
  });

  it('turns the filter for uncaught exceptions on, by its own name', () => {
    const message = structuredClone(response('initialize'));
    nameEpisodeErrors(message, texts);
    expect(message.body.exceptionBreakpointFilters).toEqual([
      filters[0],
      { filter: 'uncaught', ...texts, default: true, supportsCondition: true },
    ]);
  });

  it.each([response('attach'), { type: 'event', event: 'initialized' }, { command: 'initialize' }])(
    'leaves other messages as they are: %j',
    (message) => {
      const other = structuredClone(message);
      nameEpisodeErrors(other, texts);
      expect(other).toEqual(message);
    },
  );
});

describe('cutStack', () => {
  const frame = (name: string, presentationHint?: string) => ({ name, source: { presentationHint } });
  const whole = [
    frame('parse'),
    frame('callTool', 'deemphasize'),
    frame('execute'),
    { name: 'await', presentationHint: 'label' },
    frame('run', 'deemphasize'),
  ];
  const cut = (stackFrames: object[], totalFrames?: number, start = 0) => {
    const body = { stackFrames, totalFrames };
    cutStack({ type: 'response', command: 'stackTrace', body }, start);
    return [body.stackFrames.length, body.totalFrames];
  };

  it('ends a stack with the code of the user', () => {
    expect(cut(whole)).toEqual([3, 3]);
    expect(cut(whole.slice(1), 5, 1)).toEqual([2, 3]);
  });

  it('leaves a part of a stack, and one without code of the user, as they are', () => {
    expect(cut(whole, 9)).toEqual([5, 9]);
    expect(cut(whole.slice(3))).toEqual([2, undefined]);
  });
});

describe('restoreChildType', () => {
  it('gives a child back the type that the editor replaced', () => {
    const forced = { ...childConfiguration(options), type: 'agentjet' };
    const restored = restoreChildType(forced);
    expect(restored).toMatchObject({
      type: 'pwa-node',
      request: 'attach',
      websocketAddress: options.address,
    });
    expect(Object.keys(restored ?? {})).not.toContain('__agentjetChildType');
  });

  it('knows a configuration that is no child', () => {
    expect(restoreChildType({ type: 'agentjet' })).toBeUndefined();
  });
});
