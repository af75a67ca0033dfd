import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import process from 'node:process';
import { neverCancelled, type CancellationToken } from '../../base/core/cancellation.ts';
import { writeUrl } from '../../base/core/httpTexts.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import { isLoopback } from '../../base/node/http.ts';
import { systemClock } from '../../base/node/clock.ts';
import { TinkerCheckpoints } from '../core/checkpoints.ts';
import { Connection } from '../core/connection.ts';
import { Credentials } from '../core/credentials.ts';
import { tinkerErrors } from '../core/errors.ts';
import { findDialect, isService, readModels, wantsTokens } from '../core/profile.ts';
import type { ServerProfile, TinkerNotice, TinkerSession, TokenKind } from '../core/service.ts';
import { openSession } from '../core/session.ts';
import { findApiKey } from './credentialSources.ts';
import { startHeartbeats } from './heartbeats.ts';
import { httpTransport } from './httpTransport.ts';

export interface TinkerOptions {
  /** The address before `/api/v1`. Default: `TINKER_BASE_URL`, else that of the service. */
  readonly baseUrl?: string | undefined;
  /** Default: the key that the official SDK finds. */
  readonly apiKey?: string | undefined;
  /** Names for the user's own use in the console of the service. */
  readonly tags?: readonly string[];
  /** The reduction of the loss, where the server is not what it is taken for. */
  readonly reduction?: ServerProfile['reduction'] | undefined;
  /** Messages about the connection, such as what requests wait for. */
  readonly onNotice?: (notice: TinkerNotice) => void;
  /** Called with the number of tokens that the server has processed. */
  readonly onTokens?: (kind: TokenKind, count: number) => void;
  readonly cancellation?: CancellationToken;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly homeFolder?: string;
  /** The clock of pauses between attempts. */
  readonly clock?: Pick<Clock, 'after'>;
  /** Milliseconds between heartbeats. Default: 10 s. */
  readonly heartbeatInterval?: number;
  /** Default: starts a process. */
  readonly startHeartbeats?: (...args: Parameters<typeof startHeartbeats>) => Disposable;
}

const serviceUrl = 'https://tinker.thinkingmachines.dev/services/tinker-prod';

/** Opens a session on a Tinker server. Rejects with a CodedError `tinker/…`. */
export async function openTinker(options: TinkerOptions = {}): Promise<TinkerSession> {
  const { env = process.env, cancellation = neverCancelled, tags = [], onNotice = () => undefined } = options;
  const { heartbeatInterval: interval = 10_000, startHeartbeats: start = startHeartbeats } = options;
  const { connection, dialect, credentials, models, baseUrl, key } = await connect(options, onNotice);
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
  const { connection, dialect, baseUrl } = await connect(options, options.onNotice ?? (() => undefined));
  return { checkpoints: new TinkerCheckpoints(connection, dialect), baseUrl };
}

export interface OpenedCheckpoints {
  readonly checkpoints: TinkerCheckpoints;
  readonly baseUrl: URL;
}

/** Finds the server, the key and the models. */
async function connect(options: TinkerOptions, onNotice: (notice: TinkerNotice) => void) {
  const {
    env = process.env,
    homeFolder = homedir(),
    clock = systemClock,
    cancellation = neverCancelled,
    onTokens = () => undefined,
  } = options;
  const baseUrl = readUrl([options.baseUrl, env['TINKER_BASE_URL']].find(Boolean) ?? serviceUrl);
  const server = writeUrl(baseUrl.href);
  const transport = httpTransport(baseUrl, systemClock);
  const connectWith = (key: string | undefined) => {
    const credentials = new Credentials(key, transport, systemClock);
    return {
      credentials,
      connection: new Connection({
        ...{ server, transport, credentials, clock, newId: randomUUID },
        ...{ onNotice, onTokens },
      }),
    };
  };
  const dialect = await findDialect(connectWith(undefined).connection, baseUrl, cancellation);
  // A key that was made for the service stays away from servers that do not ask for one.
  const key = dialect.checksKeys
    ? await findApiKey({ apiKey: options.apiKey, env, homeFolder })
    : options.apiKey;
  if (isService(baseUrl)) checkServiceKey(key, server);
  if (key !== undefined && baseUrl.protocol === 'http:' && !isLoopback(baseUrl)) {
    onNotice({
      kind: 'warning',
      text: `The API key is sent to ${server} unencrypted. Use https or an SSH tunnel.`,
    });
  }
  const { credentials, connection } = connectWith(key);
  if (dialect.checksKeys) credentials.usesTokens = await wantsTokens(connection, cancellation);
  const models = await readModels(connection, cancellation);
  return { connection, dialect, credentials, models, baseUrl, key };
}

function checkServiceKey(key: string | undefined, server: string): void {
  if (key === undefined) throw tinkerErrors.noKey(server);
  if (!/^(tml-|eyJ)/.test(key)) throw tinkerErrors.otherKey(server);
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw tinkerErrors.badUrl(text);
  return url;
}
