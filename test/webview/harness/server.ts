/** Serves the built page as a trace server does, and answers it from a scripted trace. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { toReport } from '../../../src/base/core/errors.ts';
import { textsFor } from '../../../src/traces/node/server/httpServer.ts';
import { traceCall, type TraceReply } from '../../../src/traces/core/protocol/traceRpc.ts';
import { viewerAddress, viewerPage, type ViewerBoot } from '../../../src/traces/core/viewerPage.ts';
import { root } from '../../e2e/harness/artifacts.ts';
import type { ScriptedTrace } from './scriptedTrace.ts';

export const traceFile = '/home/ada/agents/saved_experiments/math_agent/math_agent.ajtrace';
export const token = 'a-token-of-the-test';
const nonce = 'bm9uY2Utb2YtdGhlLXRlc3Q=';

export interface ViewerServer {
  /** Of the page, with the token in its fragment. */
  readonly address: string;
  /** Of the page of a webview, whose script finds the editor's function in it. */
  readonly editorAddress: string;
  /** Tells the page that the trace has changed. */
  notify(): void;
  /** Ends the event streams, as a server that went away. */
  drop(): void;
  close(): Promise<void>;
}

export async function startViewerServer(trace: ScriptedTrace): Promise<ViewerServer> {
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    handle(trace, streams, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const changed: TraceReply = { notice: 'changed', trace: traceFile };
  return {
    address: viewerAddress(origin, token),
    editorAddress: `${origin}/editor`,
    notify: () => {
      for (const stream of streams) stream.write(`data: ${JSON.stringify(changed)}\n\n`);
    },
    drop: () => {
      for (const stream of streams) stream.destroy();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function handle(
  trace: ScriptedTrace,
  streams: Set<ServerResponse>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (request.url) {
    case '/':
      return sendPage(request, response, 'http');
    case '/editor':
      return sendPage(request, response, 'vscode');
    case '/trace.js':
      return sendFile(response, 'trace.js', 'text/javascript');
    case '/trace.css':
      return sendFile(response, 'trace.css', 'text/css');
    case '/rpc':
      if (isAllowed(request, response)) await sendReply(trace, request, response);
      return;
    case '/events':
      if (isAllowed(request, response)) keepStream(streams, response);
      return;
    default:
      response.writeHead(404).end();
  }
}

function isAllowed({ headers }: IncomingMessage, response: ServerResponse): boolean {
  const allowed = headers.authorization === `Bearer ${token}`;
  if (!allowed) response.writeHead(401).end();
  return allowed;
}

async function sendPage(
  { headers }: IncomingMessage,
  response: ServerResponse,
  transport: ViewerBoot['transport'],
): Promise<void> {
  const texts = await textsFor(headers['accept-language'], path.join(root, 'media/l10n'));
  const page = viewerPage({
    nonce,
    cspSource: "'self'",
    scriptUri: '/trace.js',
    styleUri: '/trace.css',
    boot: { trace: traceFile, transport, texts },
  });
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}

async function sendFile(response: ServerResponse, name: string, type: string): Promise<void> {
  const content = await readFile(path.join(root, 'dist/webview', name));
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content);
}

async function sendReply(
  trace: ScriptedTrace,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const reply = await replyTo(trace, JSON.parse(Buffer.concat(chunks).toString()));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}

/** The reply to a request in JSON's terms, failures included. */
export async function replyTo(trace: ScriptedTrace, call: unknown): Promise<TraceReply> {
  const { id, request } = traceCall.parse(call);
  try {
    return { id, result: await trace.answer(request) };
  } catch (error) {
    return { id, error: toReport(error, 'trace/internal') };
  }
}

function keepStream(streams: Set<ServerResponse>, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': hello\n\n');
  streams.add(response);
  response.on('close', () => streams.delete(response));
}
