/**
 * The process that sends the heartbeats of a session. No debugger holds it, so a session outlives breakpoints. It reads one
 * line of JSON, and ends when its standard input does or when the session is over. It writes a line of JSON when
 * heartbeats fail, when they arrive again, and when the session is over.
 */
import process from 'node:process';
import { createInterface } from 'node:readline';
import { neverCancelled } from '../../base/core/cancellation.ts';
import { messageOf } from '../../base/core/errors.ts';
import { systemClock } from '../../base/node/clock.ts';
import { Credentials } from '../core/credentials.ts';
import type { HeartbeatEvent, HeartbeatOrder } from './heartbeats.ts';
import { httpTransport } from './httpTransport.ts';

/** Milliseconds. Servers end sessions after minutes of silence. */
const beatTimeout = 10_000;
const silence = 120_000;

const write = (event: HeartbeatEvent): void => void process.stdout.write(`${JSON.stringify(event)}\n`);

function run({ baseUrl, sessionId, key, usesTokens, interval }: HeartbeatOrder): void {
  const transport = httpTransport(new URL(baseUrl), systemClock);
  const credentials = new Credentials(key ?? undefined, transport, systemClock);
  credentials.usesTokens = usesTokens;
  let lastSuccess = systemClock.monotonic();
  let isSilent = false;
  const beat = async (): Promise<void> => {
    let why: string;
    try {
      const headers = { ...(await credentials.headers(neverCancelled)), 'content-type': 'application/json' };
      const body = JSON.stringify({ session_id: sessionId, type: 'session_heartbeat' });
      const call = {
        method: 'POST',
        path: '/api/v1/session_heartbeat',
        headers,
        body,
        timeout: beatTimeout,
      } as const;
      const answer = await transport(call, neverCancelled);
      if (answer.status >= 200 && answer.status < 300) {
        lastSuccess = systemClock.monotonic();
        if (isSilent) write({ type: 'back' });
        isSilent = false;
        return;
      }
      if (answer.status === 404 || answer.status === 410) {
        write({
          type: 'over',
          why: answer.status === 404 ? 'the server does not know it' : 'the server ended it',
        });
        process.exit();
      }
      credentials.renews(answer);
      why = `status ${answer.status}`;
    } catch (error) {
      why = messageOf(error);
    }
    if (isSilent || systemClock.monotonic() - lastSuccess < silence) return;
    isSilent = true;
    write({ type: 'silent', why });
  };
  void beat();
  setInterval(() => void beat(), interval);
}

const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => run(JSON.parse(line) as HeartbeatOrder));
lines.once('close', () => process.exit());
