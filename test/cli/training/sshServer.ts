/** An sshd of the test's own, on loopback, which lets in whoever runs the tests, with a home folder of the test's. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { onPath } from '../../tools/commands.mjs';
import { debianPackages, librariesOf, programIn } from '../../tools/debianPrograms.mjs';
import type { Project } from '../harness/project.ts';
import { descendants } from '../harness/processes.ts';

/** OpenSSH, of the system or of the user's cache. */
export interface OpenSsh {
  readonly sshd: string;
  readonly ssh: string;
  readonly keygen: string;
  readonly env: NodeJS.ProcessEnv;
  /** Lines that its configuration needs. */
  readonly config: readonly string[];
}

const alias = 'gpubox';
const packages = ['openssh-server', 'openssh-client'];

/** Where there is none, Debian's packages are fetched. */
export async function findOpenSsh(): Promise<OpenSsh> {
  const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin:/sbin`;
  const installed = openSsh((name) => onPath([name], searchPath));
  if (installed !== undefined) return installed;
  if (process.getuid?.() === 0 && onPath(['apt-get']) !== undefined) return installedOpenSsh();
  const folder = await debianPackages(packages);
  const fetched = openSsh((name) => programIn(folder, name));
  if (fetched === undefined) throw new Error(`${folder} lacks sshd: remove it and try again.`);
  // Newer ones have a session and its log-in in programs of their own, at compiled-in places.
  const parts = { SshdSessionPath: 'sshd-session', SshdAuthPath: 'sshd-auth' };
  const config = Object.entries(parts).flatMap(([key, name]) => {
    const file = path.join(folder, 'usr/lib/openssh', name);
    return existsSync(file) ? [`${key} ${file}`] : [];
  });
  return { ...fetched, config, env: { ...process.env, LD_LIBRARY_PATH: librariesOf(folder).join(':') } };
}

function openSsh(find: (name: string) => string | undefined): OpenSsh | undefined {
  const [sshd, ssh, keygen] = [find('sshd'), find('ssh'), find('ssh-keygen')];
  if (sshd === undefined || ssh === undefined || keygen === undefined) return undefined;
  return { sshd, ssh, keygen, env: process.env, config: [] };
}

/** The sshd of root wants a user of its own, which installing the package makes. */
function installedOpenSsh(): OpenSsh {
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, encoding: 'utf8' } as const;
  const commands = [['update'], ['install', '-y', '--no-install-recommends', ...packages]];
  let told = '';
  for (const args of commands) {
    const result = spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], options);
    told += result.stderr;
  }
  const installed = openSsh((name) => onPath([name], '/usr/bin:/usr/sbin'));
  if (installed === undefined) throw new Error(`openssh-server could not be installed: ${told}`);
  return installed;
}

export interface SshServer {
  /** `ssh:USER@127.0.0.1:PORT`. */
  readonly address: string;
  /** What its configuration calls the server. */
  readonly alias: string;
  /** A program that calls ssh so that it knows the server. */
  readonly ssh: string;
  /** The home folder of who logs in. */
  readonly home: string;
}

export async function sshServer(openSsh: OpenSsh, folder: Project): Promise<SshServer> {
  const file = (name: string): string => folder.path(`ssh/${name}`);
  const home = file('home');
  await mkdir(home, { recursive: true });
  for (const name of ['host_key', 'key']) {
    execFileSync(openSsh.keygen, ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)], { env: openSsh.env });
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
${openSsh.config.join('\n')}
SetEnv HOME=${home} PATH=${path.dirname(process.execPath)}:/usr/bin:/bin
`,
    'ssh/config': `Host ${alias}
  HostName 127.0.0.1
  Port ${port}
Host *
  IdentityFile ${file('key')}
  IdentitiesOnly yes
  UserKnownHostsFile ${file('known_hosts')}
  StrictHostKeyChecking accept-new
`,
    'ssh/ssh': `#!/bin/sh
export LD_LIBRARY_PATH='${openSsh.env['LD_LIBRARY_PATH'] ?? ''}'
exec '${openSsh.ssh}' -F '${file('config')}' "$@"
`,
  });
  await chmod(file('ssh'), 0o755);
  const server = spawn(openSsh.sshd, ['-D', '-e', '-f', file('sshd_config')], {
    env: openSsh.env,
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
  return { address: `ssh:${userInfo().username}@127.0.0.1:${port}`, alias, ssh: file('ssh'), home };
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
