/** A backbone process that does what the variable SCENARIO says; run by Node itself. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { serveRunClient, type RunClient } from '../../../../../src/backbone/node/process/runClient.ts';
import { killOwnTree } from '../../../../../src/base/node/process/kill.ts';
import type { RunRequest } from '../../../../../src/backbone/core/protocol/run.ts';

const scenarios: Readonly<Record<string, (frontEnd: RunClient, request: RunRequest) => void>> = {
  /** Many events, larger than any pipe's buffer, then the end of the process in the same turn. */
  'exit-after-events': (frontEnd) => {
    for (let episode = 0; episode < 2000; episode += 1) log(frontEnd, `${episode} ${'é'.repeat(500)}`);
    process.exit(0);
  },
  'exits-in-silence': () => process.exit(3),
  ends: (frontEnd, request) => {
    process.stdout.write(`config ${request.config} ${'ü€'.repeat(50_000)}\n`);
    process.stderr.write('one warning\n');
    frontEnd.send({ type: 'run-ended', status: 'completed', error: null });
  },
  throws: () => {
    setImmediate(() => {
      throw new TypeError('thrown in a timer');
    });
  },
  'waits-for-cancel': (frontEnd) => {
    setInterval(() => undefined, 1000);
    log(frontEnd, 'waiting');
  },
  loops: (frontEnd) => {
    const stray = startSleeper({ detached: true });
    const member = startSleeper({ detached: false });
    log(frontEnd, JSON.stringify({ pids: [process.pid, stray, member] }));
    for (;;) Math.random();
  },
  'ignores-term': (frontEnd) => {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
    const stray = startSleeper({ detached: true });
    log(frontEnd, JSON.stringify({ pids: [process.pid, stray] }));
  },
  'leaves-program-behind': (frontEnd) => {
    startSleeper({ detached: false, holdsOutput: true });
    frontEnd.send({ type: 'run-ended', status: 'completed', error: null });
    process.exit(0);
  },
  'unknown-line': (frontEnd) => {
    frontEnd.send(JSON.parse('{"type":"no-such-event"}') as never);
    frontEnd.send({ type: 'run-ended', status: 'completed', error: null });
  },
};

const scenario = process.env['SCENARIO'] ?? '';
let asked: RunRequest | undefined;
const frontEnd = serveRunClient({
  onMessage: (message) => {
    if (message.type === 'cancel') cancelled();
    if (message.type === 'start') asked = message.request;
    const begins = message.type === 'start' ? message.inspected !== true : message.type === 'attached';
    if (begins && asked !== undefined) scenarios[scenario]?.(frontEnd, asked);
  },
  onUnknown: (line) => log(frontEnd, `unknown ${line}`),
  onClosed: killOwnTree,
});

function cancelled(): void {
  frontEnd.send({ type: 'run-ended', status: 'cancelled', error: null });
  process.exit(0);
}

function log(to: RunClient, message: string): void {
  to.send({ type: 'log', level: 'info', message });
}

/** A program that would run for an hour. */
function startSleeper(options: { detached: boolean; holdsOutput?: boolean }): number {
  const program = 'setTimeout(() => undefined, 3_600_000)';
  const child = spawn(process.execPath, ['-e', program], {
    detached: options.detached,
    stdio: options.holdsOutput === true ? 'inherit' : 'ignore',
  });
  child.unref();
  return child.pid ?? 0;
}
