/**
 * What it takes to bring a folder to a GPU host, over the time of `rsync -a` to an rsync daemon: 10,000 files of 500 MB,
 * both on loopback and on the same disk, the folder in the page cache.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { neverCancelled } from '../../src/base/core/cancellation.ts';
import { Random } from '../../src/base/core/random.ts';
import { connectHost } from '../../src/training/node/client/connectHost.ts';
import { readTree } from '../../src/training/node/client/sync/readTree.ts';
import { syncTree } from '../../src/training/node/client/sync/syncTree.ts';
import { debianProgram } from '../tools/debianPrograms.mjs';
import { alternate } from './measure.mjs';

const execute = promisify(execFile);

const files = 10_000;
const bytes = 500_000_000;
const firstRuns = 7;
const againRuns = 15;

const tree = `${files} files of ${bytes / 1e6} MB`;
export const syncBenches = [
  {
    name: 'sync-first',
    metric: `ms to bring ${tree} to a host that has none of it, over its socket on loopback`,
    baselineName: 'rsync -a to an rsync daemon on loopback',
    target: 2,
    measure: () => inFolder(measureFirst),
  },
  {
    name: 'sync-again',
    metric: `ms to find that of ${tree} nothing has changed`,
    baselineName: 'rsync -a to an rsync daemon on loopback',
    target: 1.5,
    measure: () => inFolder(measureAgain),
  },
];

async function inFolder(measure) {
  const rsync = await debianProgram('rsync');
  const version = await execute(rsync.file, ['--version'], { env: rsync.env });
  const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-bench-'));
  try {
    await makeTree(path.join(folder, 'tree'));
    const result = await measure(folder, rsync);
    return { ...result, note: `rsync ${/version (\S+)/.exec(version.stdout)?.[1]}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Most files are small, as in a folder of code; bytes that cannot be made smaller. */
async function makeTree(root) {
  const random = new Random('sync bench');
  const weights = Array.from({ length: files }, () => random.next() ** 6 + 0.01);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const noise = Buffer.from(Uint32Array.from({ length: 4_000_000 }, () => random.next() * 2 ** 32).buffer);
  for (const [at, weight] of weights.entries()) {
    const length = Math.floor((bytes * weight) / total);
    const from = random.below(noise.length - length);
    const folder = path.join(root, `d${at % 40}`, `d${at % 400}`);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `file${at}.py`), noise.subarray(from, from + length));
  }
}

async function measureFirst(folder, rsync) {
  const root = path.join(folder, 'tree');
  return alternate(
    firstRuns,
    () =>
      withHost(path.join(folder, 'host'), async (connection) => {
        const start = performance.now();
        await syncTree(await readTree(root, { cache: null, cancellation: neverCancelled }), connection);
        return performance.now() - start;
      }),
    () => withDaemon(rsync, path.join(folder, 'daemon'), (url) => timeOfRsync(rsync, root, url)),
  );
}

async function measureAgain(folder, rsync) {
  const root = path.join(folder, 'tree');
  const cache = path.join(folder, 'sums');
  const ours = async (connection) => {
    const start = performance.now();
    await syncTree(await readTree(root, { cache, cancellation: neverCancelled }), connection);
    return performance.now() - start;
  };
  return withHost(path.join(folder, 'host'), (connection) =>
    withDaemon(rsync, path.join(folder, 'daemon'), async (url) => {
      await ours(connection);
      await timeOfRsync(rsync, root, url);
      await execute('sync');
      return alternate(
        againRuns,
        () => ours(connection),
        () => timeOfRsync(rsync, root, url),
      );
    }),
  );
}

/** A host in a folder that is removed afterwards; nothing is left to be written when this resolves. */
async function withHost(folder, use) {
  await mkdir(folder, { recursive: true });
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'syncServer.mjs'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const [line] = await once(createInterface(child.stdout), 'line');
    const { port, token } = JSON.parse(line);
    const connection = connectHost(
      { url: `ws://127.0.0.1:${port}`, token },
      { client: { name: 'bench', version: '0' } },
    );
    try {
      await connection.ask('sync.has', { snapshot: '0'.repeat(64) });
      return await use(connection);
    } finally {
      connection.dispose();
    }
  } finally {
    child.kill('SIGKILL');
    await exited;
    await clear(folder);
  }
}

async function withDaemon({ file, env }, folder, use) {
  await mkdir(path.join(folder, 'to'), { recursive: true });
  const port = await freePort();
  const config = path.join(folder, 'rsyncd.conf');
  const lines = ['use chroot = no', '[to]', `path = ${path.join(folder, 'to')}`, 'read only = no'];
  if (process.getuid() === 0) lines.push('uid = 0', 'gid = 0');
  await writeFile(config, `${lines.join('\n')}\n`);
  const args = ['--daemon', '--no-detach', '--address=127.0.0.1', `--port=${port}`, `--config=${config}`];
  const child = spawn(file, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    while (!(await answers(port))) if (child.exitCode !== null) throw new Error('The rsync daemon ended.');
    return await use(`rsync://127.0.0.1:${port}/to/`);
  } finally {
    child.kill();
    await exited;
    await clear(folder);
  }
}

async function clear(folder) {
  await rm(folder, { recursive: true, force: true });
  await execute('sync');
}

async function timeOfRsync({ file, env }, root, url) {
  const start = performance.now();
  await execute(file, ['-a', `${root}/`, url], { env });
  return performance.now() - start;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isThere) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('connect', end(true)).on('error', end(false));
  });
}
