/** How fast the log of a run comes from a GPU host, and what clients that take it slowly cost the host. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { neverCancelled } from '../../src/base/core/cancellation.ts';
import { connectHost } from '../../src/training/node/client/connectHost.ts';
import { alternate } from './measure.mjs';

const runs = 7;
/** Each takes a tenth of a second, in which a machine is now quick and now slow. */
const lineRuns = 41;
const manyClients = 100;

export const streamBenches = [
  {
    name: 'stream-lines',
    metric: 'thousand log lines per second to a client, each decoded',
    baselineName: 'the same bytes through bare ws 8.23.0, counted',
    target: 0.5,
    atLeast: true,
    measure: measureLines,
  },
  {
    name: 'stream-slow-clients',
    metric: `MB of memory of a host with ${manyClients} clients that have stopped taking 40 MB of log`,
    baselineName: 'the same host with one such client',
    target: 2,
    measure: measureMemory,
  },
];

async function measureLines() {
  const servers = [];
  try {
    const ours = await startServer('ours', servers);
    const bare = await startServer('bare', servers);
    const perSecond = (take) => async () => {
      const start = performance.now();
      const count = await take();
      return count / (performance.now() - start);
    };
    const sides = [perSecond(() => followAll(ours)), perSecond(() => receiveAll(bare))];
    // Warm, and once with a look at every line: checking them all would be measured otherwise.
    await followAll(ours, (lines) => [...lines.keys()]);
    for (const side of sides) await side();
    return await alternate(lineRuns, ...sides);
  } finally {
    await stopAll(servers);
  }
}

/** @param places which lines of an event have their numbers checked: the first and the last */
async function followAll({ port, token, run, lines }, places = ({ length }) => [0, length - 1]) {
  const connection = connectHost(
    { url: `ws://127.0.0.1:${port}`, token },
    { client: { name: 'bench', version: '0' } },
  );
  let next = 0;
  for await (const events of connection.follow(run, { after: 0 }, neverCancelled)) {
    for (const event of events) {
      if (event.type !== 'log') continue;
      for (const at of places(event.lines)) {
        if (parseInt(event.lines[at], 10) !== next + at)
          throw new Error(`Line ${next + at} did not come in its place.`);
      }
      next += event.lines.length;
    }
  }
  connection.dispose();
  if (next !== lines) throw new Error(`${next} of ${lines} lines came.`);
  return next;
}

async function receiveAll({ port, lines }) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  let bytes = 0;
  socket.on('message', (data) => (bytes += data.length));
  await once(socket, 'close');
  if (bytes < lines * 100) throw new Error(`Only ${bytes} bytes came.`);
  return lines;
}

async function measureMemory() {
  return alternate(
    runs,
    () => memoryWith(manyClients),
    () => memoryWith(1),
  );
}

async function memoryWith(count) {
  const servers = [];
  const sockets = [];
  try {
    const server = await startServer('ours', servers);
    for (let client = 0; client < count; client++) sockets.push(await slowClient(server));
    // The host has sent what it sends to who does not take it once it is quiet for a while.
    let [before, now] = [0, await server.memory()];
    while (Math.abs(now - before) > 1_000_000) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      [before, now] = [now, await server.memory()];
    }
    return now / 1e6;
  } finally {
    for (const socket of sockets) socket.terminate();
    await stopAll(servers);
  }
}

async function slowClient({ port, token, run }) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/agentjet`, 'agentjet-host', {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  await once(socket, 'open');
  const send = (id, method, params) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  send(0, 'hello', { versions: { min: 1, max: 1 }, client: { name: 'bench', version: '0' } });
  await once(socket, 'message');
  send(1, 'run.follow', { run, after: 0 });
  await once(socket, 'message');
  socket.pause();
  return socket;
}

async function startServer(side, servers) {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-stream-'));
  const program = path.join(import.meta.dirname, 'streamServer.mjs');
  const child = spawn(process.execPath, ['--expose-gc', program, side, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  servers.push({ child, folder });
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value } = await answers.next();
  const memory = async () => {
    child.stdin.write('memory\n');
    return Number((await answers.next()).value);
  };
  return { ...JSON.parse(value), memory };
}

async function stopAll(servers) {
  for (const { child, folder } of servers) {
    child.kill('SIGKILL');
    await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}
