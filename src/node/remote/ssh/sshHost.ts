import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import type { Disposable } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import type { Clock } from '../../../base/ports.ts';
import { systemClock } from '../../clock.ts';
import { sshErrors } from './errors.ts';
import { lastLine, startOverSsh, type SshHostPlace, type SshOptions } from './start.ts';
import { sshArguments, type SshTarget } from './target.ts';

/** A host that is reached through ssh, at an address of this machine that stays the same. */
export interface SshHost extends Disposable {
  readonly url: string;
  readonly fingerprint: string | undefined;
  readonly id: string;
  /** Where one was asked for. */
  readonly token: string | null;
  /** The way was lost and is open again: what waits to connect need not wait any longer. */
  readonly onOpened: Event<void>;
}

/**
 * Has a host run on a machine and opens a way to it, which is opened again, the host started again if need be, whenever it
 * is lost, until disposed. Rejects with `ssh/…` where the first attempt fails.
 */
export async function openSshHost(target: SshTarget, options: SshOptions): Promise<SshHost> {
  const place = await startOverSsh(target, options);
  const port = await freePort();
  const tunnel = new Tunnel(target, options, port, systemClock);
  await tunnel.open(place);
  return {
    url: `${new URL(place.url).protocol}//127.0.0.1:${port}`,
    fingerprint: place.fingerprint ?? undefined,
    id: place.id,
    token: place.token,
    onOpened: tunnel.onOpened,
    dispose: () => tunnel.dispose(),
  };
}

const delays = { first: 500, most: 30_000 } as const;

/** Said by the other side once all is set up. */
const ready = 'agentjet-ready';

class Tunnel implements Disposable {
  readonly #target: SshTarget;
  readonly #options: SshOptions;
  readonly #port: number;
  readonly #clock: Pick<Clock, 'after'>;
  #ssh: ChildProcess | undefined;
  #retry: Disposable | undefined;
  #delay: number = delays.first;
  #disposed = false;
  readonly #opened = new Emitter<void>();
  readonly onOpened = this.#opened.event;

  constructor(target: SshTarget, options: SshOptions, port: number, clock: Pick<Clock, 'after'>) {
    this.#target = target;
    this.#options = options;
    this.#port = port;
    this.#clock = clock;
  }

  /** Resolves once it can be used. */
  async open({ url }: SshHostPlace): Promise<void> {
    const { hostname, port } = new URL(url);
    const forward = `127.0.0.1:${this.#port}:${hostname}:${port}`;
    // What is started there ends with its input, which ends with this process, however that ends.
    const child = spawn(
      this.#options.ssh,
      sshArguments(this.#target, {
        asks: this.#options.asks,
        options: ['-o', 'ExitOnForwardFailure=yes', '-L', forward],
        command: `exec sh -c 'echo ${ready}; exec cat'`,
      }),
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    this.#ssh = child;
    let told = '';
    child.stdin.on('error', () => undefined); // it has ended, which is told
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told = (told + text).slice(-2_000);
      // The way is there, and nobody at its end: the host is to be started again.
      if (text.includes('open failed: connect failed')) child.kill();
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (!text.includes(ready)) return;
        this.#delay = delays.first;
        resolve();
      });
      child.once('error', (error) => reject(sshErrors.missing(this.#options.ssh, error)));
      child.once('close', () => reject(sshErrors.failed(this.#target, lastLine(told))));
    });
    child.once('close', () => this.#lost());
    if (this.#disposed) child.kill();
  }

  dispose(): void {
    this.#disposed = true;
    this.#retry?.dispose();
    this.#ssh?.kill();
  }

  #lost(): void {
    if (this.#disposed) return;
    this.#retry = this.#clock.after(this.#delay, () => void this.#again());
    this.#delay = Math.min(delays.most, 2 * this.#delay);
  }

  async #again(): Promise<void> {
    const { onProgress, ask } = this.#options;
    onProgress('The way through ssh is lost; it is opened again.');
    try {
      const options = { ...this.#options, ask: { ...ask, token: null } };
      await this.open(await startOverSsh(this.#target, options));
      this.#opened.fire();
    } catch (error) {
      onProgress(error instanceof Error ? error.message : String(error));
      this.#lost();
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
