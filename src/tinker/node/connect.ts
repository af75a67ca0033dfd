/** Connects to a Tinker server, without a session. */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import process from 'node:process';
import { neverCancelled, type CancellationToken } from '../../base/core/cancellation.ts';
import { writeUrl } from '../../base/core/httpTexts.ts';
import type { Clock } from '../../base/core/ports.ts';
import { isLoopback } from '../../base/node/http.ts';
import { systemClock } from '../../base/node/clock.ts';
import { Connection } from '../core/connection.ts';
import { Credentials } from '../core/credentials.ts';
import { tinkerErrors } from '../core/errors.ts';
import { findDialect, isService, readModels, wantsTokens } from '../core/profile.ts';
import type { TinkerNotice, TokenKind } from '../core/service.ts';
import { findApiKey } from './credentialSources.ts';
import { httpTransport } from './httpTransport.ts';

export interface ConnectOptions {
  /** The address before `/api/v1`. Default: `TINKER_BASE_URL`, else that of the service. */
  readonly baseUrl?: string | undefined;
  /** Default: the key that the official SDK finds. */
  readonly apiKey?: string | undefined;
  /** Finds the key for a server that checks keys. Default: `apiKey`, else as the official SDK does. */
  readonly findKey?: () => Promise<string | undefined>;
  /** Called with the number of tokens that the server has processed. */
  readonly onTokens?: (kind: TokenKind, count: number) => void;
  readonly cancellation?: CancellationToken;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly homeFolder?: string;
  /** The clock of pauses between attempts. */
  readonly clock?: Pick<Clock, 'after'>;
}

const serviceUrl = 'https://tinker.thinkingmachines.dev/services/tinker-prod';

/** Finds the server, the key and the models. Rejects with a CodedError `tinker/…`. */
export async function connectTinker(options: ConnectOptions, onNotice: (notice: TinkerNotice) => void) {
  const {
    env = process.env,
    homeFolder = homedir(),
    clock = systemClock,
    cancellation = neverCancelled,
    onTokens = () => undefined,
    findKey = () => findApiKey({ apiKey: options.apiKey, env, homeFolder }),
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
  const key = dialect.checksKeys ? await findKey() : options.apiKey;
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
