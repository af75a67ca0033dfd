import { afterEach } from 'vitest';
import { toDisposable } from '../../../src/base/core/disposable.ts';
import type { Clock } from '../../../src/base/core/ports.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import type { Datum, TinkerNotice, TinkerSession } from '../../../src/tinker/core/service.ts';
import { openTinker, type TinkerOptions } from '../../../src/tinker/node/openTinker.ts';
import { TinkerServer, type TinkerServerOptions } from '../../tools/tinkerServer.ts';

/** A server with a client, both ended after the test. */
export interface Opened {
  readonly server: TinkerServer;
  readonly session: TinkerSession;
  readonly notices: TinkerNotice[];
  readonly clock: QuickClock;
}

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

export async function startServer(options: TinkerServerOptions = {}): Promise<TinkerServer> {
  const server = await TinkerServer.start(options);
  ends.push(() => server.close());
  return server;
}

export async function open(
  serverOptions: TinkerServerOptions = {},
  options: TinkerOptions = {},
): Promise<Opened> {
  const server = await startServer(serverOptions);
  const notices: TinkerNotice[] = [];
  const clock = new QuickClock();
  const session = await openTinker({
    ...{
      baseUrl: server.url,
      env: {},
      homeFolder: '/nowhere',
      clock,
      onNotice: (notice) => notices.push(notice),
    },
    ...{ startHeartbeats: () => toDisposable(() => undefined) },
    ...options,
  });
  ends.push(async () => {
    clock.isQuick = false;
    await session.close('success');
  });
  return { server, session, notices, clock };
}

/** A clock on which pauses take no time while it is quick. */
export class QuickClock implements Pick<Clock, 'after'> {
  isQuick = true;
  readonly pauses: number[] = [];

  after(milliseconds: number, run: () => void) {
    if (!this.isQuick) return systemClock.after(milliseconds, run);
    this.pauses.push(milliseconds);
    const timer = setImmediate(run);
    return toDisposable(() => clearImmediate(timer));
  }
}

export const lora = { baseModel: 'tiny', rank: 8, trainMlp: true, trainAttn: true, trainUnembed: true };
export const sampling = { samples: 1, maxTokens: 3, temperature: 1, topP: 1, topK: -1, stop: [9] };
export const adam = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  weightDecay: 0,
  gradClipNorm: 0,
};

export function datum(targets: readonly number[], advantage = 0.5): Datum {
  return {
    inputIds: Int32Array.from([3, ...targets.slice(0, -1)]),
    targetIds: Int32Array.from(targets),
    logprobs: Float32Array.from(targets, () => -0.5),
    advantages: Float32Array.from(targets, () => advantage),
    weights: Float32Array.from(targets, () => 1),
  };
}
