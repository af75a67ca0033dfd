import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { backoff } from '../../../../base/core/backoff.ts';
import type { Disposable } from '../../../../base/core/disposable.ts';
import { Emitter, type Event } from '../../../../base/core/event.ts';
import { systemClock } from '../../../../base/node/clock.ts';
import { freePort } from '../../../../base/node/freePort.ts';
import { sshErrors, lastLine, startOverSsh, type StartedSshHost, type SshOptions } from './start.ts';
import { sshArguments, type SshTarget } from './target.ts';
import { messageOf } from '../../../../base/core/errors.ts';

export interface SshHost extends Disposable {
  /** The URL on the host itself, to which {@link route} leads. */
  readonly url: string;
  /**
   * Returns the local end of the tunnel, or undefined while the tunnel is down.
   * It is private: on loopback, any user of this machine could take a port that ssh has left, and would receive the
   * token.
   */
  readonly route: () => NetConnectOpts | undefined;
  readonly fingerprint: string | undefined;
  readonly id: string;
  /** The new token, if requested. */
  readonly token: string | null;
  /** Fires when the tunnel is open again, so that waiting clients reconnect at once. */
  readonly onOpened: Event<void>;
}

/**
 * Starts a host and opens a tunnel to it. Restores both after each loss until disposed. Rejects with `ssh/…` if the
 * first attempt fails.
 */
export async function openSshHost(target: SshTarget, options: SshOptions): Promise<SshHost> {
  const place = await startOverSsh(target, options);
  const tunnel = new Tunnel(target, options, await nearEnd(process.platform));
  await tunnel.open(place).catch((error: unknown) => {
    tunnel.dispose();
    throw error;
  });
  const { url, id, token } = place;
  const { route, onOpened } = tunnel;
  const fingerprint = place.fingerprint ?? undefined;
  return { url, id, token, fingerprint, route, onOpened, dispose: () => tunnel.dispose() };
}

interface NearEnd extends Disposable {
  /** The local part of `-L`, and further options of ssh. */
  readonly bind: string;
  readonly options: readonly string[];
  readonly route: NetConnectOpts;
}

/** Returns a Unix socket in a private folder. The ssh of Windows supports only ports. */
async function nearEnd(platform: NodeJS.Platform): Promise<NearEnd> {
  if (platform === 'win32') {
    const port = await freePort();
    const host = '127.0.0.1';
    return { bind: `${host}:${port}`, options: [], route: { host, port }, dispose: () => undefined };
  }
  // The path of a socket has at most about 100 bytes, and ssh expands some characters in it.
  const parent = /^[\w./-]{1,70}$/.test(tmpdir()) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(path.join(parent, 'agentjet-ssh-'));
  const socket = path.join(folder, 'tunnel');
  return {
    bind: socket,
    options: ['-o', 'StreamLocalBindUnlink=yes'],
    route: { path: socket },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const delays = { first: 500, most: 30_000 } as const;
/** The remote command prints this when the tunnel is ready. */
const ready = 'agentjet-ready';

class Tunnel implements Disposable {
  readonly #target: SshTarget;
  readonly #options: SshOptions;
  readonly #end: NearEnd;
  #ssh: ChildProcess | undefined;
  #retry: Disposable | undefined;
  /** Lost tunnels in a row. */
  #losses = 0;
  #isOpen = false;
  #disposed = false;
  readonly #opened = new Emitter<void>();
  readonly onOpened = this.#opened.event;
  readonly route = (): NetConnectOpts | undefined => (this.#isOpen ? this.#end.route : undefined);

  constructor(target: SshTarget, options: SshOptions, end: NearEnd) {
    this.#target = target;
    this.#options = options;
    this.#end = end;
  }

  async open({ url }: StartedSshHost): Promise<void> {
    const { hostname, port } = new URL(url);
    const { bind, options: more } = this.#end;
    const options = ['-o', 'ExitOnForwardFailure=yes', ...more, '-L', `${bind}:${hostname}:${port}`];
    // The remote command ends with its input, and so with this process.
    const child = spawn(
      this.#options.ssh,
      sshArguments(this.#target, {
        asks: this.#options.asks,
        options,
        command: `exec sh -c 'echo ${ready}; exec cat'`,
      }),
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    this.#ssh = child;
    child.once('exit', () => (this.#isOpen = false));
    let stderr = '';
    child.stdin.on('error', () => undefined); // its end is handled below
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-2_000);
      // The tunnel is open, but no host listens. Restart both.
      if (text.includes('open failed: connect failed')) child.kill();
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (!text.includes(ready)) return;
        this.#losses = 0;
        this.#isOpen = child.exitCode === null && child.signalCode === null;
        resolve();
      });
      child.once('error', (error) => reject(sshErrors.missing(this.#options.ssh, error)));
      child.once('close', () => reject(sshErrors.failed(this.#target, lastLine(stderr))));
    });
    child.once('close', () => this.#lost());
    if (this.#disposed) child.kill();
  }

  dispose(): void {
    this.#disposed = true;
    this.#retry?.dispose();
    this.#ssh?.kill();
    this.#end.dispose();
  }

  #lost(): void {
    if (this.#disposed) return;
    this.#losses += 1;
    this.#retry = systemClock.after(backoff(this.#losses, delays), () => void this.#again());
  }

  async #again(): Promise<void> {
    const { onProgress, ask } = this.#options;
    onProgress('The SSH tunnel is lost. Reconnecting.');
    try {
      const options = { ...this.#options, ask: { ...ask, token: null } };
      await this.open(await startOverSsh(this.#target, options));
      this.#opened.fire();
    } catch (error) {
      onProgress(messageOf(error));
      this.#lost();
    }
  }
}
