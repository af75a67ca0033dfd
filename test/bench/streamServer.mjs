/**
 * `ours FOLDER`: a GPU host with one ended run of 300,000 log lines. `bare FOLDER`: a WebSocket server that sends the same
 * bytes, in frames of the same size, to whoever connects. Each listens on loopback and prints `{port, token, lines, bytes}`;
 * a line on stdin is answered with the process's resident memory, in bytes.
 */
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../src/base/node/clock.ts';
import { EventLog } from '../../src/training/node/host/runs/eventLog.ts';
import { LogReader } from '../../src/training/node/host/runs/knownRun.ts';
import { AuditLog } from '../../src/training/node/host/server/auditLog.ts';
import { serveHost } from '../../src/training/node/host/server/hostServer.ts';
import { HostTokens } from '../../src/training/node/host/server/tokens.ts';

const [side, folder] = process.argv.slice(2);
const lines = 300_000;
const run = '20261123-070000-abcdef';
const words =
  'INFO explorer.py:243 Explore step finished, reward mean and response length follow in the metrics';

const log = await EventLog.open(folder, { run, clock: systemClock });
let to = 0;
for (let first = 0; first < lines; first += 1_000) {
  const some = Array.from({ length: 1_000 }, (_, index) => {
    const text = `${first + index} ${words}`;
    to += text.length + 1;
    return { type: 'log', source: 'launcher', lines: [text], to };
  });
  await log.append(some);
}
await log.append([{ type: 'state', state: 'finished' }]);
const reader = (after, sources) => new LogReader(Promise.resolve(log), after, sources, () => undefined);

async function ours() {
  const record = {
    id: run,
    name: 'bench',
    launcher: 'ajet',
    backbone: 'trinity',
    config: 'x.yaml',
    snapshot: '0'.repeat(64),
    flags: [],
    env: [],
    gpus: 0,
    devices: [],
    state: 'finished',
    reason: null,
    phase: null,
    exitCode: 0,
    step: null,
    totalSteps: null,
    reward: null,
    jobFolder: null,
    createdAt: 0,
    startedAt: 0,
    endedAt: 0,
    events: log.last,
    from: null,
    owner: 'bench',
  };
  const tokens = new HostTokens(folder);
  const server = await serveHost({
    services: {
      identity: { id: 'bench', name: 'bench', version: '0' },
      runs: { get: () => record, follow: (_run, after, sources) => reader(after, sources) },
    },
    tokens,
    audit: new AuditLog(folder, systemClock),
    clock: systemClock,
    address: '127.0.0.1',
    port: 0,
  });
  return { port: Number(new URL(server.url).port), token: tokens.add('bench', [], Date.now()) };
}

async function bare() {
  const frames = [];
  const all = reader(0);
  for (let block = await all.next(); block !== undefined; block = await all.next())
    frames.push(block.message);
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', async (socket) => {
    for (const frame of frames) await new Promise((resolve) => socket.send(frame, resolve));
    socket.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: server.address().port, token: '' };
}

const at = side === 'ours' ? await ours() : await bare();
process.stdout.write(`${JSON.stringify({ ...at, lines, run, log: path.join(folder, 'events.ndjson') })}\n`);
createInterface(process.stdin).on('line', () => {
  globalThis.gc?.();
  process.stdout.write(`${process.memoryUsage().rss}\n`);
});
