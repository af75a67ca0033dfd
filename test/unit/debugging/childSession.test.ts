import { describe, expect, it } from 'vitest';
import {
  childConfiguration,
  parentShowsStreams,
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
