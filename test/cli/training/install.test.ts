/** `agentjet host install --system`, up to what systemd does with the unit: here the test starts what it says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { parseOptions } from '../../../src/base/node/terminal/commandLine.ts';
import { installOptions } from '../../../src/training/cli/host/hostOptions.ts';
import { runInstall, installingUser } from '../../../src/training/cli/host/installCommand.ts';
import { unitName } from '../../../src/training/cli/host/systemdUnit.ts';
import { runCli } from '../harness/cli.ts';
import { emptyProject, type Project } from '../harness/project.ts';

/** Root installs for somebody else; whoever is not root can do so for themselves alone. */
const isRoot = process.getuid?.() === 0;
const sudoEnv = { ...process.env, ...(isRoot && { SUDO_USER: 'nobody' }) };
const user = process.platform === 'linux' ? installingUser(sudoEnv) : { ...userInfo(), name: '', home: '' };

function install(project: Project, args: readonly string[], env: NodeJS.ProcessEnv = sudoEnv): string {
  let text = '';
  const output = { write: (more: string) => (text += more), colour: false };
  const io = {
    stdout: output,
    stderr: output,
    readStdin: () => Promise.resolve(''),
    cwd: project.folder,
    env,
  };
  const context = { io, hostProgram: path.join(inject('dist'), 'host.cjs') };
  const values = parseOptions(['--system', ...args], installOptions, 'agentjet host install');
  runInstall(values, [], context, project.path('units'));
  return text;
}

/** A folder for which the user needs nobody. */
async function ownFolder(project: Project): Promise<string> {
  await chmod(project.folder, 0o755);
  const folder = project.path('home');
  await mkdir(folder, { mode: 0o700 });
  await chown(folder, user.uid, user.gid);
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.skipIf(process.platform !== 'linux')('a system service', () => {
  test('starts as the user who has called sudo, and answers', async () => {
    const project = await emptyProject();
    const data = path.join(await ownFolder(project), 'data');
    const listen = `127.0.0.1:${await freePort()}`;
    const told = install(project, ['--data', data, '--listen', listen, '--gpus', '0', '--json']);
    const installed = JSON.parse(told) as { readonly token: { readonly token: string } };
    expect(installed).toMatchObject({ scope: 'system', user: user.name, data });
    for (const name of ['', 'program', 'program/host.cjs', 'tokens.json']) {
      const { uid, gid, mode } = await stat(path.join(data, name));
      expect([uid, gid, mode & 0o077], name).toEqual([user.uid, user.gid, 0]);
    }
    expect([process.geteuid?.(), process.getegid?.()]).toEqual([process.getuid?.(), process.getgid?.()]);

    const unit = await readFile(project.path(`units/${unitName}`), 'utf8');
    const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
    expect(valueOf('User')).toBe(user.name);
    const [command = '', ...args] = valueOf('ExecStart').split(' ');
    const { uid, gid } = user;
    const child = spawn(command, args, {
      cwd: valueOf('WorkingDirectory'),
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(isRoot && { uid, gid }),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (line.includes('agentjet host token add')) break;
    }
    expect(lines.map((line) => line.trim())).toContain(`ws://${listen}`);
    const client = { env: { AGENTJET_HOME: project.path('client') }, input: installed.token.token };
    const added = await runCli(project, ['remote', 'add', 'box', `ws://${listen}`, '--token-stdin'], client);
    expect(added.code, added.stderr).toBe(0);

    // Again, after an update.
    const later = install(project, ['--data', data, '--listen', listen]);
    expect(later).not.toContain('ajh_');
  });

  test('is refused where its user could not start it', async () => {
    const project = await emptyProject();
    await ownFolder(project);
    const closed = project.path('closed');
    await mkdir(closed, { mode: isRoot ? 0o700 : 0o500 });
    const refused = (args: readonly string[], env?: NodeJS.ProcessEnv): unknown => {
      try {
        return install(project, args, env);
      } catch (error) {
        return error;
      }
    };
    expect(refused(['--data', path.join(closed, 'data')])).toMatchObject({
      code: 'host/cannot-install',
      message: expect.stringContaining(`${user.name} cannot write to the data folder: EACCES`) as unknown,
      hint: expect.stringContaining(`Choose a folder of ${user.name} with --data DIR`) as unknown,
    });
    await expect(stat(project.path('units'))).rejects.toMatchObject({ code: 'ENOENT' });
    const nobodyKnown = { ...sudoEnv, SUDO_USER: 'no-such-user' };
    if (isRoot) expect(refused(['--print'], nobodyKnown)).toMatchObject({ code: 'host/no-user' });
    // Who is not root has not called sudo, whatever the variable says.
    else expect(refused(['--print'], nobodyKnown)).toContain(`\nUser=${user.name}\n`);
  });

  test('has the data folder of its user', async () => {
    const project = await emptyProject();
    const printed = install(project, ['--print'], { ...sudoEnv, AGENTJET_HOME: '', XDG_CONFIG_HOME: '' });
    expect(printed).toContain(`\nWorkingDirectory=${path.join(user.home, '.agentjet/host')}\n`);
  });
});
