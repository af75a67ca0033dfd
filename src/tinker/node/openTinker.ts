import process from 'node:process';
import { neverCancelled } from '../../base/core/cancellation.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import { TinkerCheckpoints } from '../core/checkpoints.ts';
import type { ServerProfile, TinkerNotice, TinkerSession } from '../core/service.ts';
import { openSession } from '../core/session.ts';
import { connectTinker, type ConnectOptions } from './connect.ts';
import { startHeartbeats } from './heartbeats.ts';

export interface TinkerOptions extends ConnectOptions {
  /** Names for the user's own use in the console of the service. */
  readonly tags?: readonly string[];
  /** The reduction of the loss, where the server is not what it is taken for. */
  readonly reduction?: ServerProfile['reduction'] | undefined;
  /** Messages about the connection, such as what requests wait for. */
  readonly onNotice?: (notice: TinkerNotice) => void;
  /** Milliseconds between heartbeats. Default: 10 s. */
  readonly heartbeatInterval?: number;
  /** Default: starts a process. */
  readonly startHeartbeats?: (...args: Parameters<typeof startHeartbeats>) => Disposable;
}

/** Opens a session on a Tinker server. Rejects with a CodedError `tinker/…`. */
export async function openTinker(options: TinkerOptions = {}): Promise<TinkerSession> {
  const { env = process.env, cancellation = neverCancelled, tags = [], onNotice = () => undefined } = options;
  const { heartbeatInterval: interval = 10_000, startHeartbeats: start = startHeartbeats } = options;
  const { connection, dialect, credentials, models, baseUrl, key } = await connectTinker(options, onNotice);
  return openSession(
    {
      ...{ connection, models, tags },
      dialect: { ...dialect, reduction: options.reduction ?? dialect.reduction },
      projectId: [env['TINKER_PROJECT_ID']].find(Boolean),
      startHeartbeats: (sessionId, onOver) =>
        start(
          {
            baseUrl: baseUrl.href,
            sessionId,
            key: key ?? null,
            usesTokens: credentials.usesTokens,
            interval,
          },
          { onOver, onNotice },
        ),
    },
    cancellation,
  );
}

/** Returns requests about saved weights, without a session. Rejects with a CodedError `tinker/…`. */
export async function openCheckpoints(options: TinkerOptions): Promise<OpenedCheckpoints> {
  const onNotice = options.onNotice ?? (() => undefined);
  const { connection, dialect, baseUrl } = await connectTinker(options, onNotice);
  return { checkpoints: new TinkerCheckpoints(connection, dialect), baseUrl };
}

export interface OpenedCheckpoints {
  readonly checkpoints: TinkerCheckpoints;
  readonly baseUrl: URL;
}
