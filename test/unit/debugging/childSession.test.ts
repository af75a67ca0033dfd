import { describe, expect, it } from 'vitest';
import {
  childConfiguration,
  parentShowsStreams,
  restoreChildType,
  type ChildOptions,
} from '../../../src/debugging/node/childSession.ts';

const options: ChildOptions = {
  port: 9230,
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
      address: '127.0.0.1',
      port: 9230,
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
    const overrides = { smartStep: false, continueOnAttach: false, port: 1, request: 'launch', type: 'node' };
    expect(childConfiguration({ ...options, overrides })).toMatchObject({
      smartStep: false,
      continueOnAttach: false,
      port: 9230,
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
    expect(restored).toMatchObject({ type: 'pwa-node', request: 'attach', port: 9230 });
    expect(Object.keys(restored ?? {})).not.toContain('__agentjetChildType');
  });

  it('knows a configuration that is no child', () => {
    expect(restoreChildType({ type: 'agentjet' })).toBeUndefined();
  });
});
