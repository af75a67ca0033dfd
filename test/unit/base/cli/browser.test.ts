import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../../../../src/base/node/terminal/browser.ts';

describe('hasBrowser', () => {
  it.each([
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['linux', {}, false],
    ['linux', { BROWSER: 'firefox' }, true],
    ['linux', { DISPLAY: ':0', BROWSER: 'none' }, false],
    ['linux', { DISPLAY: ':0', CI: 'true' }, false],
    ['linux', { DISPLAY: ':0', CI: 'false' }, true],
    ['darwin', {}, true],
    ['win32', {}, true],
    ['win32', { CI: '1' }, false],
  ] as const)('%s with %o: %s', (platform, environment, expected) => {
    expect(hasBrowser(environment, platform)).toBe(expected);
  });
});
