import open from 'open';
import type { Environment } from '../process/environment.ts';

/** False in CI, with `BROWSER=none`, and on Linux without a display, such as over SSH. */
export function hasBrowser(environment: Environment, platform: NodeJS.Platform): boolean {
  const { BROWSER: browser = '', CI: ci = '' } = environment;
  if (browser === 'none' || (ci !== '' && ci !== 'false')) return false;
  if (browser !== '' || platform !== 'linux') return true;
  return (environment['DISPLAY'] ?? '') !== '' || (environment['WAYLAND_DISPLAY'] ?? '') !== '';
}

/** Opens an address in a browser, by default that of `BROWSER`. Ignores failures: the address is printed as well. */
export function openBrowser(url: string, environment: Environment, platform: NodeJS.Platform): void {
  if (!hasBrowser(environment, platform)) return;
  const name = environment['BROWSER'] ?? '';
  const ignore = (): void => undefined;
  open(url, name === '' ? {} : { app: { name } }).then((browser) => browser.on('error', ignore), ignore);
}
