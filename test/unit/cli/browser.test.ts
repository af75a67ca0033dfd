import { describe, expect, it } from 'vitest';
import { browserCommand } from '../../../src/node/cli/browser.ts';

const url = 'http://127.0.0.1:1/#token=t';

describe('browserCommand', () => {
  it.each([
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
    ['linux', {}, undefined],
    ['linux', { BROWSER: 'firefox' }, 'firefox'],
    ['linux', { DISPLAY: ':0', BROWSER: 'none' }, undefined],
    ['linux', { DISPLAY: ':0', CI: 'true' }, undefined],
    ['linux', { DISPLAY: ':0', CI: 'false' }, 'xdg-open'],
    ['darwin', {}, 'open'],
    ['win32', {}, 'rundll32'],
    ['win32', { CI: '1' }, undefined],
  ] as const)('%s with %o: %s', (platform, environment, command) => {
    const found = browserCommand(url, environment, platform);
    expect(found?.[0]).toBe(command);
    if (found) expect(found[1].at(-1)).toBe(url);
  });
});
