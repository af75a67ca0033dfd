/** A GPU host beside an editor, on this machine: the one-file program, and a launcher that does what a script says. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { killSurvivors, processesWith } from '../../../src/node/process/kill.ts';
import { extensionUnderTest } from './session.ts';

const scriptedLauncher = path.resolve(import.meta.dirname, '../../tools/host/scriptedLauncher.ts');

export interface GpuHost {
  /** As it is typed into Add GPU Host. */
  readonly address: string;
  readonly token: string;
  /** A folder that is gone with the host. */
  readonly folder: string;
  /** Kills it as a crash would, and starts it again at the same address. */
  restart(): Promise<void>;
  /** Ends it and all that it has started. */
  close(): Promise<void>;
}

export async function startGpuHost(): Promise<GpuHost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-host-'));
  const launcher = path.join(folder, 'trinity');
  await writeFile(
    launcher,
    `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${scriptedLauncher}' "$@"\n`,
  );
  await chmod(launcher, 0o755);
  let running = await serve(folder, launcher, 0);
  const { address, token = '' } = running;
  const kill = async (): Promise<void> => {
    const ended = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await ended;
  };
  return {
    address,
    token,
    folder,
    restart: async () => {
      await kill();
      running = await serve(folder, launcher, Number(new URL(address).port));
    },
    close: async () => {
      await kill();
      killSurvivors(processesWith(`AGENTJET_TEST_HOST=${folder}`));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Serving {
  readonly child: ChildProcess;
  readonly address: string;
  /** Of the first start alone. */
  readonly token: string | undefined;
}

async function serve(folder: string, launcher: string, port: number): Promise<Serving> {
  const program = path.join(extensionUnderTest(), 'dist/host.cjs');
  const listen = ['--listen', `127.0.0.1:${port}`, '--data', path.join(folder, 'data')];
  const args = [program, ...listen, '--launcher', `trinity=${launcher}`, '--gpus', '2', '--json'];
  const env = { ...process.env, AGENTJET_TEST_HOST: folder };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout)) {
    const told = JSON.parse(line) as { address: string; token?: { token: string } };
    return { child, address: told.address, token: told.token?.token };
  }
  throw new Error('The host ended and did not listen.');
}
