/** `agentjet host` and `agentjet remote`, as users run them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { HostStatus } from '../../../src/training/core/protocol/hostRpc.ts';
import type { RunRecord } from '../../../src/training/core/protocol/runs.ts';
import { debianProgram } from '../../tools/debianPrograms.mjs';
import { runCli } from '../harness/cli.ts';
import { emptyProject, smallConfig } from '../harness/project.ts';
import { gpuMachine, startRun } from './gpuHost.ts';
import { tryKill } from './sshServer.ts';

const linux = process.platform === 'linux';

describe.skipIf(!linux)('a GPU host', () => {
  test('in one file trains, outlives its client and itself, and goes on from a checkpoint', async () => {
    const machine = await gpuMachine();
    // No Ray, whatever else runs on this machine.
    machine.more = { RAY_ADDRESS: '127.0.0.1:1' };
    const { project } = machine;
    const go = machine.folder.path('go');
    await machine.script([
      { do: 'print', text: 'hello\n' },
      { do: 'checkpoint', step: 1 },
      { do: 'print', text: 'ready\n' },
      { do: 'await', file: go },
      { do: 'print', text: 'through\n' },
    ]);
    const host = await machine.host(['--listen', '127.0.0.1:0']);
    await machine.add('box', host);
    const { command, run } = await startRun(machine);
    command.child.kill('SIGINT');
    const left = await command.exited;
    expect(left.code).toBe(130);
    const [again = ''] = /remote logs \S+ --follow --since \d+ --host box$/m.exec(left.stderr) ?? [];
    expect(left.stdout).toMatch(/^hello$/m);

    const unread = machine.start(['remote', 'logs', run, '--follow']);
    unread.child.stdout.destroy();
    expect((await unread.exited).code).toBe(130);

    await host.end('SIGKILL');
    const { port } = new URL(host.url);
    const next = machine.start(['host', ...machine.hostArguments, '--listen', `127.0.0.1:${port}`]);
    const [told] = await next.wrote(/^\{.*\}$/m);
    expect(JSON.parse(told)).toMatchObject({ host: { id: host.host.id }, address: host.address });
    expect(JSON.parse(told)).not.toHaveProperty('token');
    expect(await machine.record(run)).toMatchObject({ state: 'running', devices: [0, 1], owner: 'owner' });

    const back = machine.start(again.split(' '));
    await back.wrote(/taken over|took/i);
    expect((await machine.remote(['cancel', 'unknown'])).stderr).toContain('[remote/no-such-run]');
    // The end of its id is enough.
    expect((await machine.remote(['cancel', run.slice(-6)])).code).toBe(0);
    const cancelled = await back.exited;
    expect([cancelled.code, cancelled.stdout]).toEqual([130, '']);
    expect(cancelled.stderr).toContain('State: canceled. Canceled by owner.');

    const pulled = await machine.remote(['pull', run]);
    expect(pulled.code, pulled.stderr).toBe(0);
    const weights = project.path(`checkpoints/${run}/global_step_1/actor/model_world_size_1_rank_0.pt`);
    expect(await readFile(weights)).toEqual(Buffer.alloc(1_000, 1));

    await writeFile(go, '');
    // Weights that were handed over alone are no checkpoint to go on from, and make none older.
    const { jobFolder } = await machine.record(run);
    await mkdir(path.join(jobFolder ?? '', 'global_step_9', 'actor', 'huggingface'), { recursive: true });
    await writeFile(path.join(jobFolder ?? '', 'global_step_9/actor/huggingface/config.json'), '{}');
    const unready = await machine.remote(['resume', run]);
    expect([unready.code, unready.stdout]).toEqual([2, '']);
    expect(unready.stderr).toMatch(/^train\.yaml: error: Ray does not respond: /m);
    expect(unready.stderr).toMatch(/\[remote\/would-fail\]$/m);
    const resumed = await machine.remote(['resume', run, '--force', '--follow']);
    expect(resumed.code, resumed.stderr).toBe(0);
    const [, second = ''] = /^(\S+)\nhello\nready\nthrough\n$/.exec(resumed.stdout) ?? [];
    expect(resumed.stderr).toContain('Restored: weights, optimizer');
    expect(resumed.stderr).toContain('Restored: the position in the data set');
    expect(resumed.stderr).toContain('Not restored: unfinished episodes');
    expect(await machine.record(second)).toMatchObject({
      state: 'finished',
      from: { run, step: 1, as: 'resume' },
      jobFolder: (await machine.record(run)).jobFolder,
    });
    expect((await machine.remote(['logs', second])).stdout).toBe('hello\nready\nthrough\n');

    const config = await machine.remote(['config', second]);
    expect(config.code, config.stderr).toBe(0);
    expect(config.stdout).toMatch(
      `# train.yaml, as started by run ${second}\n# launcher trinity, backbone trinity\n# resume of run ${run} from step 1\n\n`,
    );
    expect(config.stdout).toMatch(/^ {2}total_steps: 10 +# train\.yaml:11$/m);
    expect(config.stdout).toMatch(/^checkpoint_root_dir: \S+\/checkpoints +# set by the host$/m);
    expect(await machine.json(['config', second])).toMatchObject({
      run: second,
      config: { name: 'first', trainer: { total_steps: 10, save_interval: expect.any(Number) as unknown } },
    });
    const changed = await machine.remote(['config', 'diff', run, second]);
    expect(changed.stdout).toMatch(/^~ checkpoint_root_dir: \.\/checkpoints -> \S+\/checkpoints\n$/);
    expect(await machine.json(['config', 'diff', run, run])).toEqual([]);
    await rm(machine.folder.path(`data/runs/${run}/effective.yaml`));
    const earlier = await machine.remote(['config', run]);
    expect(earlier).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('[host/no-config]') as unknown,
    });
    next.child.kill('SIGTERM');
    expect((await next.exited).code).toBe(0);
  });

  test('is known by its certificate, and its clients by their tokens', async () => {
    const machine = await gpuMachine();
    const host = await machine.host(['--listen', '127.0.0.1:0', '--tls']);
    const { fingerprint, url, address, token } = host;
    expect(address).toBe(`${url}#${fingerprint ?? ''}`);
    const refused = async (args: readonly string[], given = token?.token): Promise<string> => {
      const { code, stderr } = await machine.remote(args, { env: { AGENTJET_HOST_TOKEN: given } });
      expect(code).toBe(2);
      expect(stderr).not.toContain(token?.token);
      return /\[([a-z/-]+)\]$/m.exec(stderr)?.[1] ?? stderr;
    };
    expect(await refused(['add', 'box', url])).toBe('remote/unknown-certificate');
    expect(await refused(['add', 'box', url, '--fingerprint', 'a'.repeat(64)])).toBe('host/not-connected');
    expect(await refused(['add', 'box', address], 'ajh_other')).toBe('host/not-connected');
    expect(await refused(['add', 'box', address], '')).toBe('remote/needs-token');
    const clear = url.replace(/^wss:.*:/, 'ws://gpu.example:');
    expect(await refused(['add', 'box', clear], '')).toBe('host/bad-address');
    expect(await refused(['status'])).toBe('remote/which-host');
    const shown = await machine.atTerminal(
      ['remote', 'add', 'box', url],
      [
        [/Enter yes to trust it: /, 'yes'],
        [/Token: /, token?.token ?? ''],
      ],
    );
    expect(shown).toContain(`\r\n  ${fingerprint ?? ''}\r\n`);
    expect(shown).toMatch(/box is \S+, version \S+ Scopes of the token: view, start, cancel\.\r\n$/);
    expect(shown).not.toContain(token?.token);
    const status = await machine.json<HostStatus>(['status']);
    expect(status).toMatchObject({ gpus: [{ index: 0, run: null }, { index: 1 }], queued: 0, running: 0 });
    for (const file of ['home/hosts.json', 'home/host-tokens.json', 'data/tokens.json', 'data/tls/key.pem']) {
      expect((await stat(machine.folder.path(file))).mode & 0o077, file).toBe(0);
    }

    const owner = (args: readonly string[]) =>
      runCli(machine.folder, ['host', 'token', ...args, '--data', machine.folder.path('data')]);
    const viewer = await owner(['add', 'viewer']);
    expect(viewer).toMatchObject({ code: 0, stderr: 'Scopes of the token: view. It is shown only once.\n' });
    await machine.json(['add', 'look', address], { env: { AGENTJET_HOST_TOKEN: viewer.stdout.trim() } });
    expect(await refused(['cancel', '20260101-000000-000000', '--host', 'look'])).toBe('host/not-allowed');
    const removed = await owner(['remove', 'viewer', '--json']);
    expect(JSON.parse(removed.stdout)).toMatchObject({ name: 'viewer', scopes: ['view'] });
    expect((await owner(['list'])).stdout).toMatch(/^owner +view, start, cancel +\S+\n$/);
    expect(await refused(['ls', '--host', 'look'])).toBe('host/not-connected');
    expect(await host.end('SIGTERM')).toBe(0);
    expect(await refused(['ls', '--host', 'box'])).toBe('remote/no-answer');
  });

  test('says what would go wrong before anything is sent', async () => {
    const machine = await gpuMachine();
    const { project } = machine;
    await machine.script([{ do: 'exit', code: 3 }]);
    await project.write({ '.gitignore': 'big\n', big: 'x', '.env': 'WANDB_API_KEY=of-the-file\n' });
    await symlink('../elsewhere', project.path('out'));
    const host = await machine.host(['--listen', '127.0.0.1:0']);
    await machine.add('box', host);
    const run = ['run', '--conf', 'train.yaml'];
    const dry = await machine.remote([
      ...run,
      '--dry-run',
      '--json',
      '--env',
      'WANDB_API_KEY',
      '--plugin-dir',
      'p',
    ]);
    expect(dry.code).toBe(1);
    expect(dry.stdout).not.toContain('of-the-file');
    expect(JSON.parse(dry.stdout)).toMatchObject({
      order: {
        launcher: 'trinity',
        config: 'train.yaml',
        gpus: 2,
        flags: ['--plugin-dir', 'p'],
        env: ['WANDB_API_KEY'],
      },
      preview: { files: 3 },
      findings: expect.arrayContaining([
        expect.objectContaining({
          severity: 'warning',
          message: 'Cannot send `out`: its target is outside the folder.',
        }),
      ]) as unknown,
    });
    const flags = await machine.start(['--conf', 'train.yaml', '--backbone', 'trinity', '--with-ray']).exited;
    expect(flags.code).toBe(2);
    expect(flags.stderr).toContain('`trinity` has no flag "--with-ray"');
    expect(flags.stderr).toContain('[remote/would-fail]');
    expect((await machine.remote([...run, '--env', 'NOT_SET_ANYWHERE'])).stderr).toContain(
      '[remote/not-set]',
    );
    const large = await machine.remote([...run, '--limit', '0.1K']);
    expect(large.stderr).not.toContain('train.yaml:');
    expect(large.stderr).toContain('Largest folders: . (');
    expect(large.stderr).toMatch(/\[sync\/too-large\]\n.* with `--limit 4G`\.$/m);
    expect(await machine.json<readonly RunRecord[]>(['ls'])).toEqual([]);
    const nothing = await machine.remote(['logs', '20260101-000000-000000', '--follow', '--json']);
    expect(nothing.stdout).toMatch(/^\{"error":\{"code":"host\/no-run","message":.+\}\}\n$/);
    const failed = await machine.remote([...run, '--force', '--follow', '--json']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /^Code: 3 files, \d+ B\. Largest folders: \. \(\d+ B, 3 files\)\. Files that cannot be sent: 1\.$/m,
    );
    expect(failed.stderr).toMatch(/train\.yaml: warning: Cannot send `out`/);
    const lines = failed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type?: string; state?: string });
    expect(lines.flatMap(({ type, state }) => (type === 'state' ? [state] : []))).toEqual([
      'queued',
      'preparing',
      'running',
      'failed',
    ]);
    const contents = machine.folder.path('data/contents');
    await project.edit('train.yaml', './checkpoints', contents);
    const misplaced = await machine.remote(run);
    const why = 'it is in the data folder of the host, outside the code of the run';
    expect(misplaced.stderr).toContain(
      `train.yaml:4:1: error: Checkpoints are not allowed below ${contents}: ${why}.`,
    );
    expect((await machine.remote([...run, '--force', '--follow'])).stderr).toContain(
      `State: failed. Checkpoints are not allowed in ${contents}/maths/first: ${why}.`,
    );
    await project.edit('train.yaml', 'some/model', './big');
    expect((await machine.remote(run)).stderr).toMatch(
      /train\.yaml:6:3: error: `big` is not sent: the rule `big` of \.gitignore excludes it\.\n {2}Add the line `!\/big` at the end/,
    );
    await project.write({ 'ajet.yaml': smallConfig });
    const training = [
      '--conf',
      'ajet.yaml',
      '--backbone=verl',
      '--with-ray',
      '--exp-dir',
      'out',
      '--gpus',
      '1',
    ];
    const ajet = await machine.start([...training, '--dry-run', '--json']).exited;
    expect(JSON.parse(ajet.stdout)).toMatchObject({
      order: { launcher: 'ajet', backbone: 'verl', gpus: 1, flags: ['--with-ray', '--exp-dir', 'out'] },
    });
    expect(ajet.stderr).not.toContain('is not allowed on a host');
    const killing = await machine.start([...training, '--kill', 'python']).exited;
    expect(killing.stderr).toContain('The flag `--kill` of `ajet` is not allowed on a host');
    // A host whose data folder is another's does not start.
    const second = await machine.start(['host', ...machine.hostArguments, '--listen', '127.0.0.1:0']).exited;
    expect(second).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('[host/already-running]') as unknown,
    });
  });
});

describe.skipIf(!linux)('the program of a host', () => {
  test('tells a Node that is too old for it', async () => {
    const project = await emptyProject();
    await project.write({
      'old.cjs':
        "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });",
    });
    const host = path.join(inject('dist'), 'host.cjs');
    const { status, stderr } = spawnSync(process.execPath, ['--require', project.path('old.cjs'), host], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      2,
      'agentjet: A GPU host needs Node.js 22.18 or later, and this is 18.20.4. [host/node]\n',
    ]);
  });

  test('that ssh has brought replaces an older one of its kind, and no other', async () => {
    const project = await emptyProject();
    const program = await readFile(path.join(inject('dist'), 'host.cjs'), 'utf8');
    const older = program.replaceAll(/(version: ?\\")\d+\.\d+\.\d+/g, '$10.0.9');
    expect(older).not.toBe(program);
    await project.write({ 'program/old.cjs': older, 'program/new.cjs': program, 'own/old.cjs': older });
    const ask = { token: 'ssh-here', launchers: {}, gpus: 0, ray: null };
    const detach = async (file: string): Promise<{ pid: number; version: string; url: string }> => {
      const env = { ...process.env, AGENTJET_HOME: project.folder };
      const { stdout } = spawnSync(process.execPath, [project.path(file), 'detach'], {
        env,
        input: JSON.stringify(ask),
        encoding: 'utf8',
      });
      const answer = JSON.parse(stdout.replace('agentjet-host ', '')) as { url: string; token: string };
      expect(answer.token).toMatch(/^ajh_/);
      const listening = JSON.parse(await project.read('host/listening.json')) as {
        pid: number;
        version: string;
        url: string;
      };
      expect(listening.url).toBe(answer.url);
      onTestFinished(() => tryKill(listening.pid));
      return listening;
    };
    const first = await detach('program/old.cjs');
    expect(first.version).toBe('0.0.9');
    expect(await detach('own/old.cjs')).toEqual(first);
    const second = await detach('program/new.cjs');
    expect(second.version).not.toBe('0.0.9');
    expect(await detach('program/old.cjs')).toEqual(second);
  });

  test.each(['user', 'system'])('installs a service of the %s that systemd takes', async (scope) => {
    const project = await emptyProject();
    const args = ['--listen', '127.0.0.1:7788', '--data', project.path('da ta/100%')];
    const env = { XDG_CONFIG_HOME: project.path('config'), XDG_RUNTIME_DIR: project.path('run') };
    const printed = await runCli(project, ['host', 'install', `--${scope}`, '--print', ...args], { env });
    expect(printed.code, printed.stderr).toBe(0);
    const program = project.path('da ta/100%/program/host.cjs').replaceAll('%', '%%');
    expect(printed.stdout).toContain(`ExecStart=${process.execPath} "${program}" --listen 127.0.0.1:7788`);
    await mkdir(project.path('run'));
    const unit = project.path('agentjet-host.service');
    await writeFile(unit, printed.stdout);
    if (scope === 'user') {
      const installed = await runCli(project, ['host', 'install', ...args], { env });
      expect(installed.stdout).toMatch(
        /systemctl --user enable --now agentjet-host\.service[^]*\n {2}ajh_\S+\n$/,
      );
      await rename(project.path('config/systemd/user/agentjet-host.service'), unit);
      expect(await readFile(unit, 'utf8')).toBe(printed.stdout);
      expect(existsSync(project.path('da ta/100%/program/host.cjs'))).toBe(true);
    }
    // The targets that every unit hangs on, whatever this machine starts with.
    const targets = ['sysinit', 'basic', 'shutdown', 'default', 'multi-user', 'network-online'];
    await project.write(Object.fromEntries(targets.map((name) => [`units/${name}.target`, '[Unit]\n'])));
    const systemd = await debianProgram('systemd-analyze', 'systemd');
    const verify = spawnSync(systemd.file, ['verify', ...(scope === 'user' ? ['--user'] : []), unit], {
      encoding: 'utf8',
      env: { ...systemd.env, ...env, SYSTEMD_UNIT_PATH: project.path('units') },
    });
    expect([verify.error, verify.status, verify.stderr]).toEqual([undefined, 0, '']);
  });
});
