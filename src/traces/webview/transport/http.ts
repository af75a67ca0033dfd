import * as l10n from '@vscode/l10n';
import { createParser } from 'eventsource-parser';
import type { ErrorReport } from '../../../base/core/errors.ts';
import { parseJson } from '../../core/shallowJson.ts';
import type { TraceReply } from '../../core/protocol/traceRpc.ts';
import { isTraceReply, type Transport } from './transport.ts';

type Headers = Readonly<Record<string, string>>;

/** Milliseconds before the event stream is opened again after it broke off. */
const reconnectAfter = 1_000;

export interface HttpTransportOptions {
  /** Sent as a bearer token, so that it is in no address that a log could store. */
  readonly token: string;
  readonly trace: string;
}

/** Sends requests by POST to `/rpc`, and receives notices as server-sent events of `/events`. */
export function httpTransport({ token, trace }: HttpTransportOptions): Transport {
  const headers = { authorization: `Bearer ${token}` };
  let deliver: (reply: TraceReply) => void = () => undefined;
  return {
    send: (call) => {
      void post(JSON.stringify(call), headers).then(
        (reply) => deliver(reply),
        (error: unknown) => deliver({ id: call.id, error: unreachable(error) }),
      );
    },
    onReply: (listener) => {
      deliver = listener;
      void follow(headers, trace, listener);
    },
  };
}

async function post(body: string, headers: Headers): Promise<TraceReply> {
  const response = await fetch('/rpc', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  if (isRefusal(response)) throw new Refused();
  const reply: unknown = await response.json();
  if (!isTraceReply(reply)) {
    throw new Error(l10n.t('The response with status {0} is not a valid reply.', response.status));
  }
  return reply;
}

class Refused extends Error {}

function isRefusal({ status }: Response): boolean {
  return status === 401 || status === 403;
}

function unreachable(error: unknown): ErrorReport {
  if (error instanceof Refused) {
    return {
      code: 'viewer/refused',
      message: l10n.t('The trace server does not accept the token of this address.'),
      hint: l10n.t(
        'Open the full address that the server printed when it started, including everything after the #.',
      ),
    };
  }
  return {
    code: 'viewer/unreachable',
    message: l10n.t(
      'The trace server did not answer. {0}',
      error instanceof Error ? error.message : String(error),
    ),
    hint: l10n.t(
      'Start it again with `agentjet trace FILE` and open the address that it prints, or try again.',
    ),
  };
}

/** Reads events until the server rejects the token. A server that is away may come back. */
async function follow(headers: Headers, trace: string, listener: (reply: TraceReply) => void): Promise<void> {
  for (;;) {
    try {
      await readEvents(headers, trace, listener);
    } catch (error) {
      if (error instanceof Refused) return;
      // The server is away. Requests report that, and the next attempt may find it again.
    }
    await new Promise((resume) => setTimeout(resume, reconnectAfter));
  }
}

/** Reads events until the stream breaks off. It reports a change first, because earlier responses may be outdated. */
async function readEvents(
  headers: Headers,
  trace: string,
  listener: (reply: TraceReply) => void,
): Promise<void> {
  const parser = createParser({
    onEvent: ({ data }) => {
      const reply = parseJson(data);
      if (isTraceReply(reply)) listener(reply);
    },
  });
  const response = await fetch('/events', { headers });
  if (isRefusal(response)) throw new Refused();
  if (!response.ok || response.body === null) return;
  listener({ notice: 'changed', trace });
  const feed = new WritableStream<string>({ write: (text) => parser.feed(text) });
  await response.body.pipeThrough(new TextDecoderStream()).pipeTo(feed);
}
