/** A GPU host on this machine: the one-file program, with a launcher that follows a script. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { killSurvivors, processesWith } from '../../../src/base/node/process/kill.ts';
import { extensionUnderTest } from './session.ts';

const scriptedLauncher = path.resolve(import.meta.dirname, '../../tools/host/scriptedLauncher.ts');

export interface GpuHost {
  /** The URL that a user enters in Add GPU Host. */
  readonly address: string;
  readonly token: string;
  /** The folder of the host. `close` removes it. */
  readonly folder: string;
  /** Kills the host, as a crash would. */
  kill(): Promise<void>;
  /** Starts a killed host again at the same address. */
  start(): Promise<void>;
  /** Kills the host and starts it again. */
  restart(): Promise<void>;
  /** Suspends the process until `resume`. */
  pause(): void;
  resume(): void;
  /** Revokes the owner's token and returns a new one. */
  newToken(): Promise<string>;
  /** Ends the host and all processes that it has started. */
  close(): Promise<void>;
}

export interface GpuHostOptions {
  /** Flags of the program, e.g. `--tls`. */
  readonly flags?: readonly string[];
}

export async function startGpuHost({ flags = [] }: GpuHostOptions = {}): Promise<GpuHost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-host-'));
  const launcher = path.join(folder, 'trinity');
  await writeFile(
    launcher,
    `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${scriptedLauncher}' "$@"\n`,
  );
  await chmod(launcher, 0o755);
  let running = await serve(folder, launcher, 0, flags);
  const { address, token = '' } = running;
  const kill = async (): Promise<void> => {
    if (running.child.exitCode !== null || running.child.signalCode !== null) return;
    const ended = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await ended;
  };
  const start = async (): Promise<void> => {
    running = await serve(folder, launcher, Number(new URL(address).port), flags);
  };
  return {
    address,
    token,
    folder,
    kill,
    start,
    restart: async () => {
      await kill();
      await start();
    },
    pause: () => void running.child.kill('SIGSTOP'),
    resume: () => void running.child.kill('SIGCONT'),
    newToken: async () => {
      const tokens = async (...words: readonly string[]): Promise<string> => {
        const args = [hostProgram(), 'token', ...words, '--data', path.join(folder, 'data')];
        return (await promisify(execFile)(process.execPath, args)).stdout;
      };
      await tokens('remove', 'owner');
      const made = await tokens('add', 'owner', '--scope', 'start', '--scope', 'cancel', '--json');
      return (JSON.parse(made) as { token: string }).token;
    },
    close: async () => {
      await kill();
      killSurvivors(processesWith(`AGENTJET_TEST_HOST=${folder}`));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const hostProgram = (): string => path.join(extensionUnderTest(), 'dist/host.cjs');

interface Serving {
  readonly child: ChildProcess;
  readonly address: string;
  /** Present on the first start only. */
  readonly token: string | undefined;
}

async function serve(
  folder: string,
  launcher: string,
  port: number,
  flags: readonly string[],
): Promise<Serving> {
  const listen = ['--listen', `127.0.0.1:${port}`, '--data', path.join(folder, 'data')];
  const launchers = ['trinity', 'ajet'].flatMap((name) => ['--launcher', `${name}=${launcher}`]);
  const own = [...launchers, '--gpus', '2', '--json', ...flags];
  const args = [hostProgram(), ...listen, ...own];
  const env = { ...process.env, AGENTJET_TEST_HOST: folder };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout)) {
    const started = JSON.parse(line) as { address: string; token?: { token: string } };
    return { child, address: started.address, token: started.token?.token };
  }
  throw new Error('The GPU host exited before it listened. See its output above.');
}
