import { spawn } from 'node:child_process';
import type { Environment } from '../process/environment.ts';

/**
 * The program that shows an address to the user, or undefined where there is nobody to show it to: in CI, with
 * `BROWSER=none`, and on a Linux without a display, such as over SSH.
 */
export function browserCommand(
  url: string,
  environment: Environment,
  platform: NodeJS.Platform,
): readonly [command: string, args: readonly string[]] | undefined {
  const { BROWSER: browser = '', CI: ci = '' } = environment;
  if (browser === 'none' || (ci !== '' && ci !== 'false')) return undefined;
  if (browser !== '') return [browser, [url]];
  if (platform === 'darwin') return ['open', [url]];
  // Not `start`, which is a shell's: a shell would read the address in its own way.
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  const hasDisplay = (environment['DISPLAY'] ?? '') !== '' || (environment['WAYLAND_DISPLAY'] ?? '') !== '';
  return hasDisplay ? ['xdg-open', [url]] : undefined;
}

/** Shows an address to the user where that can be done; the address was printed, so failing is no harm. */
export function openBrowser(url: string, environment: Environment, platform: NodeJS.Platform): void {
  const program = browserCommand(url, environment, platform);
  if (program === undefined) return;
  const [command, args] = program;
  const child = spawn(command, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.on('error', () => undefined); // there is no such program
  child.unref();
}
