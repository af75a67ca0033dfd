/** Who means harm, before the host as its owner starts it: what it gets, what it leaves, and who is still served. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { canonicalJson } from '../../../src/base/core/canonicalJson.ts';
import { Random } from '../../../src/base/core/random.ts';
import { readTree } from '../../../src/training/node/client/sync/readTree.ts';
import { syncTree } from '../../../src/training/node/client/sync/syncTree.ts';
import { hostMethods, type HostMethod } from '../../../src/training/core/protocol/hostRpc.ts';
import type { RunOrder } from '../../../src/training/core/protocol/runs.ts';
import { encodeChunk, wireLimits } from '../../../src/training/core/protocol/wire.ts';
import type { ClientConnection } from '../../../src/training/core/wire/clientConnection.ts';
import { HostTokens } from '../../../src/training/node/host/server/tokens.ts';
import { Gathered } from '../../tools/host/gathered.ts';
import { heldBy, mostHostMemory } from '../../tools/host/heldBy.ts';
import { sumOf } from '../../tools/host/scriptedServices.ts';
import { runCli } from '../harness/cli.ts';
import { trainConfig } from '../../tools/host/trainConfig.ts';
import { gpuMachine, type GpuMachine, type RunningHost } from './gpuHost.ts';
import { ask, greeted, type RawClient } from './rawClient.ts';
import { clientOf, gather, startedRun } from './wireClient.ts';

const linux = process.platform === 'linux';
const share = process.env['AGENTJET_DEEP'] === '1' ? 1 : 0.1;

const outside = [
  ...['..', '../secret', 'a/../../secret', '/etc/passwd', '//etc/passwd', './/../secret', '../../record'],
  ...['C:\\x', 'a\\..\\b', 'a\u0000', 'a\nb', '\ud800', '', 'a/'.repeat(600)],
];

/** All files below a folder but the host's own, with their sums. */
function filesOf(machine: GpuMachine): readonly string[] {
  const { folder } = machine.folder;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => path.join(parentPath, name))
    .filter((file) => !path.relative(folder, file).startsWith('data/'))
    .map((file) => `${file} ${sumOf(readFileSync(file))}`)
    .sort();
}

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(path.join(folder, name))];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** @param heap megabytes, in which what it kept of an attack would not fit */
async function attacked(heap?: number): Promise<{
  readonly machine: GpuMachine;
  readonly host: RunningHost;
  readonly port: number;
  readonly token: string;
}> {
  const machine = await gpuMachine();
  if (heap !== undefined) machine.more = { NODE_OPTIONS: `--max-old-space-size=${heap}` };
  const host = await machine.host(['--listen', '127.0.0.1:0']);
  return { machine, host, port: Number(new URL(host.url).port), token: host.token?.token ?? '' };
}

/** A run that waits, so that there is something to want. */
async function victim(machine: GpuMachine, connection: ClientConnection): Promise<string> {
  await machine.script([
    { do: 'checkpoint', step: 1 },
    { do: 'print', text: 'line 1\n' },
    { do: 'await', file: machine.folder.path('go') },
  ]);
  const run = await startedRun(machine, connection);
  for await (const events of connection.follow(run, { after: 0 }, neverCancelled)) {
    if (events.some(({ type }) => type === 'log')) break;
  }
  return run;
}

/** What nobody should send, in the form in which it is taken. */
function hostile(random: Random, run: string): { readonly method: string; readonly params: object } {
  const sha256 = sumOf(Buffer.from([random.below(256)]));
  // What is no parameter at all counts as nonsense: seldom.
  const paths = random.chance(0.97) ? outside.slice(0, -2) : outside;
  const bad = paths[random.below(paths.length)] ?? '';
  const bytes = [0, 1, 1_000_000, 2 ** 40, Number.MAX_SAFE_INTEGER][random.below(5)];
  const entries = [
    { path: bad, sha256, bytes: 1 },
    { path: 'l', link: bad },
  ];
  const all: readonly (readonly [string, object])[] = [
    ['file.get', { run, path: bad, offset: 0, length: bytes }],
    ['file.list', { run, path: bad, from: bytes }],
    ['file.sum', { run, path: bad }],
    ['file.get', { run, of: 'rollouts', path: bad, offset: 0, length: bytes }],
    ['file.list', { run, of: 'rollouts', path: bad, from: bytes }],
    ['sync.manifest', { snapshot: sha256, from: 0, entries, done: random.chance(0.5) }],
    ['sync.manifest', { snapshot: sha256, from: bytes, entries: [], done: true }],
    ['sync.put', { sha256, bytes }],
    ['sync.pack', { bytes: random.below(10_000) }],
    ['sync.get', { sha256, offset: bytes }],
    ['sync.lacks', { contents: Array.from({ length: 2_000 }, () => sha256) }],
    ['run.get', { run: '20260101-000000-000000' }],
    ['run.follow', { run, after: bytes, sources: [bad] }],
    ['run.watch', {}],
    [
      'preflight',
      { order: orderOf(sha256, { name: bad || 'x' }), configText: `a: [${'{'.repeat(random.below(400))}` },
    ],
    ['run.start', { order: orderOf(sha256, { config: bad || 'x' }), key: randomUUID() }],
    ['transfer.stop', { transfer: random.below(40) }],
  ];
  const [method, params] = all[random.below(all.length)] ?? ['run.list', {}];
  return { method, params };
}

/** What AgentJet's launcher writes into its working folder. */
const leftBeside = `mkdir -p saved_experiments/first/now/box/rollout && cd saved_experiments/first
printenv MY_API_KEY | tee yaml_backup.yaml now/box/regular.log > /dev/null; echo logged > now/box/rollout/rollout.json.log`;

function orderOf(snapshot: string, change: Partial<RunOrder> = {}): RunOrder {
  return {
    ...{ name: 'x', launcher: 'trinity', backbone: 'trinity', config: 'train.yaml', snapshot },
    ...{ flags: [], env: {}, gpus: 0 },
    ...change,
  };
}

/** One connection that sends requests, chunks and nonsense until it is ended, or as much as it wanted. */
async function storm(
  port: number,
  token: string,
  random: Random,
  run: string,
  frames: number,
): Promise<{ readonly socket: RawClient['socket']; readonly sent: number }> {
  const client = await greeted(port, token);
  const isOpen = (): boolean => client.socket.readyState === client.socket.OPEN;
  let sent = 0;
  for (; sent < frames && isOpen(); sent++) {
    const at = random.next();
    if (at < 0.003) await client.send({ data: Buffer.from('{"jsonrpc":"2.0","id":'), isBinary: false });
    // Chunks of transfers that never were count as nonsense, which is not listened to for long.
    else if (at < 0.4 && sent > 60) {
      const bytes = Buffer.alloc(random.below(1 + random.below(wireLimits.chunk)), random.below(256));
      const chunk = { transfer: random.below(3), offset: random.below(3) * bytes.length, bytes };
      await client.send({ data: Buffer.from(encodeChunk(chunk)), isBinary: true });
    } else await client.send({ jsonrpc: '2.0', id: sent, ...hostile(random, run) });
  }
  const end = random.next();
  if (end < 0.3) await client.send({ data: Buffer.alloc(wireLimits.message + 1, 32), isBinary: false });
  else if (end < 0.5) client.socket.pause();
  // Some go without a word, in the middle of what they sent; those that read nothing stay.
  if (!client.socket.isPaused) client.socket[random.chance(0.5) ? 'terminate' : 'close']();
  return { socket: client.socket, sent };
}

describe.skipIf(!linux)('a host', () => {
  test(
    'outlives a storm: others are served meanwhile, and nothing of it stays, in memory or on the disk',
    { timeout: 600_000 },
    async () => {
      const { machine, host, port, token } = await attacked(64);
      const connection = clientOf(host);
      const run = await victim(machine, connection);
      const random = new Random('storm');
      const tokens = new HostTokens(machine.folder.path('data'));
      const files = filesOf(machine);
      const handles = heldBy(host.pid).files;
      const strangers = Array.from({ length: 100 }, () => {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        onTestFinished(() => void socket.destroy());
        socket.write('GET /agentjet HTTP/1.1\r\nHost: x\r\nX-Slow: ');
        return socket.resume();
      });
      const stormy = [await storm(port, token, random, run, 500)];
      const frames = 100_000 * share;
      // Of some connections the host has enough before they have sent all: others take their place.
      for (let sent = 0; sent < frames;) {
        // Those that read nothing stay, and one token has only some connections.
        const own = tokens.add(`storm-${sent}`, ['start', 'cancel'], 1);
        const five = Array.from({ length: 5 }, () => storm(port, own, random, run, frames / 100));
        const asked = connection.ask('run.get', { run });
        const ended = await Promise.all(five);
        stormy.push(...ended);
        sent += ended.reduce((sum, one) => sum + one.sent, 0);
        expect(await asked).toMatchObject({ id: run, state: 'running' });
      }
      for (const socket of strangers) socket.destroy();
      for (const { socket } of stormy) socket.terminate();
      const incoming = (): readonly string[] => readdirSync(machine.folder.path('data/contents/incoming'));
      const isOver = (): boolean => incoming().length === 0 && heldBy(host.pid).files <= handles + 5;
      // What they left is taken away behind them.
      for (let asked = 0; asked < 2_000 && !isOver(); asked++) await connection.ask('status', {});
      expect(await connection.ask('run.list', {})).toHaveLength(1);
      // It has answered most of what they sent before it had enough.
      expect(stormy.length).toBeLessThan(200);
      const after = heldBy(host.pid);
      expect(after.most).toBeLessThan(mostHostMemory);
      expect(after.files).toBeLessThanOrEqual(handles + 5);
      expect(filesOf(machine)).toEqual(files);
      expect(readdirSync(machine.folder.path('data/runs'))).toEqual([run]);
      expect(incoming()).toEqual([]);
    },
  );
});

/** Requests without a token, `parallel` at a time, until it is ended. Resolves to their number. */
async function knocking(port: number, parallel: number, isOver: () => boolean): Promise<number> {
  let knocks = 0;
  const knock = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.on('close', () => resolve()).resume();
      socket.end('GET /agentjet HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    });
  const one = async (): Promise<void> => {
    for (; !isOver(); knocks++) await knock();
  };
  await Promise.all(Array.from({ length: parallel }, one));
  return knocks;
}

describe.skipIf(!linux)('the owner of a host', () => {
  test('is served while others knock without a token, and hold all connections that theirs gets', async () => {
    const { machine, host, port } = await attacked();
    const viewer = new HostTokens(machine.folder.path('data')).add('viewer', [], 1);
    const held = await Promise.allSettled(Array.from({ length: 256 }, () => greeted(port, viewer)));
    expect(held.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    let isOver = false;
    const began = performance.now();
    const knocks = knocking(port, 8, () => isOver);
    // A second of them has used up what one address may do.
    for (let served = 0; served < 40 || performance.now() - began < 1_000; served++) {
      const connection = clientOf(host);
      expect(await connection.ask('run.list', {})).toEqual([]);
      connection.dispose();
    }
    isOver = true;
    expect((await knocks) / ((performance.now() - began) / 1_000)).toBeGreaterThan(300);
    expect(heldBy(host.pid).most).toBeLessThan(mostHostMemory);
  });

  test('is served while a token to view lists and sums large folders, whose memory is bounded', async () => {
    const { machine, host, port } = await attacked();
    const connection = clientOf(host);
    const run = await victim(machine, connection);
    const { jobFolder } = await connection.ask('run.get', { run });
    const folder = path.join(jobFolder ?? '', 'global_step_1');
    for (let file = 0; file < 10_000; file++) writeFileSync(path.join(folder, `weights-${file}`), '');
    truncateSync(path.join(folder, 'weights-0'), 2 ** 40);
    const viewer = new HostTokens(machine.folder.path('data')).add('viewer', [], 1);
    const views = await Promise.all(Array.from({ length: 4 }, () => greeted(port, viewer)));
    for (const view of views) {
      for (let id = 1; id <= 62; id++) {
        const list = { run, path: '', from: 2_000 * (id % 5) };
        await view.send({ jsonrpc: '2.0', id, method: 'file.list', params: list });
      }
      const sum = { run, path: 'global_step_1/weights-0' };
      await view.send({ jsonrpc: '2.0', id: 63, method: 'file.sum', params: sum });
      await view.send({ jsonrpc: '2.0', id: 64, method: 'checkpoint.list', params: { run } });
    }
    let slowest = 0;
    for (let asked = 0; asked < 100; asked++) {
      const began = performance.now();
      await connection.ask('run.list', {});
      slowest = Math.max(slowest, performance.now() - began);
    }
    expect(heldBy(host.pid).most).toBeLessThan(mostHostMemory);
    expect(slowest).toBeLessThan(2_000);
    expect(await views[0]?.answer(1)).toHaveProperty('result.files');
    for (const view of views) view.socket.terminate();
    // The sum of a terabyte ends with them.
    const isRead = (): boolean => openFiles(host.pid).some((file) => file.endsWith('/weights-0'));
    while (isRead()) await connection.ask('run.list', {});
  });

  test('cancels a run as soon as a full host has room', async () => {
    const { machine, host, port, token } = await attacked();
    await machine.add('box', host);
    const run = await victim(machine, clientOf(host));
    const held = await Promise.all(Array.from({ length: 15 }, () => greeted(port, token)));
    const command = machine.start(['remote', 'cancel', run]);
    await command.wrote(/too many connections or requests\. Trying again/);
    held[0]?.socket.terminate();
    const { code, stderr } = await command.exited;
    expect(code, stderr).toBe(0);
  });
});

describe.skipIf(!linux)('whoever is let in', () => {
  test('neither reads nor writes outside of what was sent and trained', async () => {
    const { machine, host, port, token } = await attacked();
    await machine.folder.write({ secret: 'of others' });
    const connection = clientOf(host);
    const run = await victim(machine, connection);
    const files = filesOf(machine);
    const client = await greeted(port, token);
    // Of a content that is there, so that nothing but the paths is wrong.
    const content = await readFile(machine.project.path('train.yaml'));
    const kept = { sha256: sumOf(content), bytes: content.length };
    const folder = { path: 'd', link: '.' };
    const trees: readonly (readonly object[])[] = [
      [{ path: 'x'.repeat(300), ...kept }],
      ...outside.flatMap((bad) => [[{ path: bad, ...kept }], [{ path: 'link', link: bad }]]),
      [folder, { path: 'd/x', ...kept }],
      [{ path: 'a', link: 'b/..' }],
      ...[
        ['README', 'readme'],
        ['a', 'a'],
      ].map((names) => names.map((name) => ({ path: name, ...kept }))),
    ];
    for (const entries of trees) {
      const snapshot = sumOf(Buffer.from(canonicalJson(entries)));
      const answer = await ask(client, 'sync.manifest', { snapshot, from: 0, entries, done: true });
      expect(answer, JSON.stringify(entries)).toHaveProperty('error');
      expect(await connection.ask('sync.has', { snapshot })).toEqual({ has: false });
    }
    for (const bad of outside.filter((one) => one !== '')) {
      for (const of of ['job', 'rollouts']) {
        for (const method of ['file.get', 'file.sum', 'file.list']) {
          const answer = await ask(client, method, { run, of, path: bad, offset: 0, length: 100, from: 0 });
          expect(answer, `${method} ${of} ${bad}`).toHaveProperty('error');
        }
      }
    }
    const good = [{ path: 'a', ...kept }];
    const snapshot = sumOf(Buffer.from(canonicalJson(good)));
    expect(
      await ask(client, 'sync.manifest', { snapshot, from: 0, entries: good, done: true }),
    ).toMatchObject({
      result: { kept: true },
    });
    expect(filesOf(machine)).toEqual(files);
  });

  test('by a token to view does nothing else, and sees no value of a variable', async () => {
    const { machine, host, port } = await attacked();
    const data = ['--data', machine.folder.path('data')];
    const viewer = await runCli(machine.folder, ['host', 'token', 'add', 'viewer', ...data]);
    expect(viewer.code, viewer.stderr).toBe(0);
    const secret = 'swordfish-0123456789';
    await machine.script([
      { do: 'env', name: 'MY_API_KEY' },
      { do: 'program', command: '/bin/sh', args: ['-c', leftBeside] },
      { do: 'checkpoint', step: 1 },
    ]);
    const connection = clientOf(host);
    const snapshot = await sent(machine, connection);
    const order = orderOf(snapshot, { env: { MY_API_KEY: secret } });
    const { id: run } = await connection.ask('run.start', { order, key: randomUUID() });
    machine.runs.add(run);
    await gather(connection, run, new Gathered('line'));
    const before = await connection.ask('run.list', {});
    const files = filesOf(machine);

    const client = await greeted(port, viewer.stdout.trim());
    const sha256 = '0'.repeat(64);
    const params = {
      ...{ run, order, key: randomUUID(), checkpoints: true, snapshot, sha256, bytes: 1 },
      ...{
        contents: [sha256],
        from: 0,
        entries: [],
        done: true,
        path: '../order.json',
        offset: 0,
        length: 9,
      },
      ...{ configText: '', transfer: 0, after: 0 },
    };
    const all = Object.entries(hostMethods).map(([name, { scope }]) => [name as HostMethod, scope] as const);
    for (const [method] of all.filter(([, scope]) => scope !== 'view')) {
      const http = { method: 'GET', path: '/api/v1/healthz', headers: {} };
      const answer = await ask(client, method, { ...params, ...(method === 'tinker.call' && http) });
      expect(answer, method).toMatchObject({ error: { data: { code: 'host/not-allowed' } } });
    }
    let told = '';
    client.socket.on('message', (bytes: Buffer) => (told += bytes.toString('latin1')));
    for (const [method] of all.filter(([name, scope]) => scope === 'view' && name !== 'hello')) {
      await ask(client, method, { ...params, path: method === 'file.list' ? '' : params.path });
    }
    for (const file of ['order.json', 'run.json', 'keeper-order.json', 'code/../order.json']) {
      await ask(client, 'file.get', { ...params, path: file });
    }
    // A copy of the config that the launcher leaves beside its logs has its keys.
    for (const file of [
      'yaml_backup.yaml',
      'now/box/regular.log',
      'now/box/rollout/../../../yaml_backup.yaml',
    ]) {
      const asked = { ...params, of: 'rollouts', path: `saved_experiments/first/${file}` };
      expect(await ask(client, 'file.get', asked), file).toHaveProperty('error');
    }
    const rollouts = { ...params, of: 'rollouts', path: 'saved_experiments' };
    expect(await ask(client, 'file.list', rollouts)).toMatchObject({
      result: { files: [{ path: 'saved_experiments/first/now/box/rollout/rollout.json.log' }] },
    });
    const log = await ask(client, 'file.get', { ...params, path: 'log/explorer.log' });
    expect(log).toMatchObject({ error: { data: { code: 'host/not-allowed' } } });
    expect(told).toContain('MY_API_KEY');
    expect(told).not.toContain(secret);
    expect(await connection.ask('run.list', {})).toEqual(before);
    expect(filesOf(machine)).toEqual(files);
  });

  test('has nothing executed by names and values but the launcher, which gets them as they are', async () => {
    const { machine, host } = await attacked();
    const pwned = machine.folder.path('pwned');
    const commands = [
      `$(touch ${pwned})`,
      `\`touch ${pwned}\``,
      `; touch ${pwned} #`,
      `' ; touch ${pwned} ; '`,
    ];
    const inName = commands.map((one) => one.replaceAll('/', '\u2215'));
    await machine.script([{ do: 'print', text: 'line 1\n' }]);
    const connection = clientOf(host);
    const values = (text: string): string => JSON.stringify(text);
    for (const [index, command] of commands.entries()) {
      const config = `${inName[index] ?? ''}.yaml`;
      const text = trainConfig
        .replace('project: maths', `project: ${values(inName[index] ?? '')}`)
        .replace('name: first', `name: ${values(`-${inName[index] ?? ''}`)}`)
        .replace('some/model', command)
        .replace('total_steps: 10', `total_steps: ${values(command)}`);
      const names = [`-rf ${index}`, `--config=${index}`, '"\'$HOME', '*'];
      await machine.project.write({
        [config]: text.replace(`model_path: ${command}`, `model_path: ${values(command)}`),
        ...Object.fromEntries(names.map((name) => [name, command])),
      });
      const snapshot = await sent(machine, connection);
      const flags = ['--plugin-dir', command];
      const env = { VALUE: command, LONG: `${command}\n${command}` };
      const order = orderOf(snapshot, { name: command, config, flags, env });
      await connection.ask('preflight', { order, configText: text });
      const { id } = await connection.ask('run.start', { order, key: randomUUID() });
      machine.runs.add(id);
      const lines = await gather(connection, id, new Gathered('line'));
      expect(lines).toMatchObject({ state: 'finished', lines: 1 });
      const { jobFolder, flags: kept } = await connection.ask('run.get', { run: id });
      expect(kept).toEqual(flags);
      expect(jobFolder).toContain(inName[index]);
    }
    const everything = readdirSync(machine.folder.folder, { recursive: true }) as readonly string[];
    expect(everything.filter((name) => path.basename(name) === 'pwned')).toEqual([]);
  });
});

async function sent(machine: GpuMachine, connection: ClientConnection): Promise<string> {
  const tree = await readTree(machine.project.folder, { cache: null, cancellation: neverCancelled });
  return syncTree(tree, connection);
}
