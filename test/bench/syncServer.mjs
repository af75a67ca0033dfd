/** `FOLDER`: a GPU host's contents and snapshots in that folder, on loopback; prints `{port, token}`. */
import path from 'node:path';
import process from 'node:process';
import { systemClock } from '../../src/base/node/clock.ts';
import { AuditLog } from '../../src/training/node/host/server/auditLog.ts';
import { serveHost } from '../../src/training/node/host/server/hostServer.ts';
import { HostTokens } from '../../src/training/node/host/server/tokens.ts';
import { openHostSync } from '../../src/training/node/host/sync/hostSync.ts';

const folder = process.argv[2];
const sync = await openHostSync({ dataFolder: path.join(folder, 'data') });
const tokens = new HostTokens(folder);
const server = await serveHost({
  services: { identity: { id: 'bench', name: 'bench', version: '0' }, sync },
  tokens,
  audit: new AuditLog(folder, systemClock),
  clock: systemClock,
  address: '127.0.0.1',
  port: 0,
});
const token = tokens.add('bench', ['start'], Date.now());
process.stdout.write(`${JSON.stringify({ port: Number(new URL(server.url).port), token })}\n`);
// Asked to end, what was sent is on the disk, as after the baseline's sync(1).
process.stdin.resume().once('end', () => void sync.flushed().then(() => process.exit()));
