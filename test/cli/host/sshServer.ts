/** An sshd of the test's own, on loopback, which lets in whoever runs the tests, with a home folder of the test's. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Project } from '../harness/project.ts';
import { descendants } from '../harness/processes.ts';

const places = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/sbin/sshd'];

/** Where there is none, Debian's package is installed. */
export function findSshd(): string {
  const find = (): string | undefined => places.find((file) => existsSync(file));
  if (find() === undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const wait = ['-q', '-o', 'DPkg::Lock::Timeout=300'];
    execFileSync('apt-get', [...wait, 'update'], { env, stdio: 'ignore' });
    const what = ['install', '-y', '--no-install-recommends', 'openssh-server', 'openssh-client'];
    execFileSync('apt-get', [...wait, ...what], { env, stdio: 'ignore' });
  }
  const sshd = find();
  if (sshd === undefined) throw new Error('There is no sshd: install the package openssh-server.');
  return sshd;
}

export interface SshServer {
  /** `ssh:USER@127.0.0.1:PORT`. */
  readonly address: string;
  /** A program that calls ssh so that it knows the server. */
  readonly ssh: string;
  /** The home folder of who logs in. */
  readonly home: string;
}

export async function sshServer(sshd: string, folder: Project): Promise<SshServer> {
  const file = (name: string): string => folder.path(`ssh/${name}`);
  const home = file('home');
  await mkdir(home, { recursive: true });
  for (const name of ['host_key', 'key']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)]);
  }
  await writeFile(file('authorized_keys'), readFileSync(file('key.pub')));
  // Root's sshd wants it, and packages leave it to the system's start.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
  const port = await freePort();
  await folder.write({
    'ssh/sshd_config': `Port ${port}
ListenAddress 127.0.0.1
HostKey ${file('host_key')}
AuthorizedKeysFile ${file('authorized_keys')}
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
PidFile none
SetEnv HOME=${home} PATH=${path.dirname(process.execPath)}:/usr/bin:/bin
`,
    'ssh/config': `Host *
  IdentityFile ${file('key')}
  IdentitiesOnly yes
  UserKnownHostsFile ${file('known_hosts')}
  StrictHostKeyChecking accept-new
`,
    'ssh/ssh': `#!/bin/sh\nexec ssh -F '${file('config')}' "$@"\n`,
  });
  await chmod(file('ssh'), 0o755);
  const server = spawn(sshd, ['-D', '-e', '-f', file('sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
  onTestFinished(() => {
    for (const pid of [...descendants(server.pid ?? 0), server.pid ?? 0]) tryKill(pid);
  });
  const ended = once(server, 'exit').then(() => {
    throw new Error(`sshd ended: ${told}`);
  });
  await Promise.race([listens(port), ended]);
  return { address: `ssh:${userInfo().username}@127.0.0.1:${port}`, ssh: file('ssh'), home };
}

export function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Until something does. */
async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
    await after(20);
  }
}
