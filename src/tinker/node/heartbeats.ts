import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Disposable } from '../../base/core/disposable.ts';
import { childEnvironment } from '../../base/node/process/environment.ts';
import type { TinkerNotice } from '../core/service.ts';

/** The first line that the process of the heartbeats reads. The key is in no argument and no variable. */
export interface HeartbeatOrder {
  readonly baseUrl: string;
  readonly sessionId: string;
  readonly key: string | null;
  readonly usesTokens: boolean;
  /** Milliseconds. */
  readonly interval: number;
}

export type HeartbeatEvent =
  | { readonly type: 'over'; readonly why: string }
  | { readonly type: 'silent'; readonly why: string }
  | { readonly type: 'back' };

/** The process next to the bundles that `esbuild.mjs` builds. It is not defined where the sources run. */
declare const heartbeatProgram: string | undefined;

const program = path.join(
  import.meta.dirname,
  typeof heartbeatProgram === 'string' ? heartbeatProgram : 'heartbeat.ts',
);

export interface HeartbeatListeners {
  readonly onOver: (why: string) => void;
  readonly onNotice: (notice: TinkerNotice) => void;
}

/** The number of processes of one session. Only a user or the system ends them early. */
const mostProcesses = 5;

/** Starts the process that sends heartbeats. Disposing ends it. It also ends with this process. */
export function startHeartbeats(
  order: HeartbeatOrder,
  { onOver, onNotice }: HeartbeatListeners,
): Disposable & { readonly pid: number | undefined } {
  let isDisposed = false;
  let processes = 0;
  const over = (why: string): void => {
    if (!isDisposed) onOver(why);
    isDisposed = true;
  };
  const start = () => {
    processes += 1;
    const started = spawnProgram(order, (event) => {
      if (event.type === 'over') over(event.why);
      else onNotice(noticeOf(event));
    });
    started.once('error', (error) => over(`its heartbeats cannot be sent: ${error.message}`));
    started.once('exit', () => {
      if (isDisposed) return;
      if (processes < mostProcesses) child = start();
      else over('the process that sends its heartbeats ended');
    });
    return started;
  };
  let child = start();
  return {
    get pid() {
      return child.pid;
    },
    dispose: () => {
      isDisposed = true;
      child.stdin.end();
    },
  };
}

function spawnProgram(order: HeartbeatOrder, onEvent: (event: HeartbeatEvent) => void) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: childEnvironment(process.env, [{ ELECTRON_RUN_AS_NODE: '1' }], process.platform),
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
    detached: process.platform !== 'win32', // the parent handles Ctrl-C of a terminal
  });
  child.stdin.on('error', () => undefined); // the process has ended, which 'exit' reports
  child.stdin.write(`${JSON.stringify(order)}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => onEvent(JSON.parse(line) as HeartbeatEvent));
  return child;
}

function noticeOf(event: Exclude<HeartbeatEvent, { type: 'over' }>): TinkerNotice {
  if (event.type === 'back') return { kind: 'info', text: 'Heartbeats reach the Tinker server again.' };
  const text = `No heartbeat has reached the Tinker server for two minutes (${event.why}). It may end the session.`;
  return { kind: 'warning', text };
}
