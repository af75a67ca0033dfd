/**
 * The debug adapter as a separate process, for other editors and for debugging the adapter itself. It serves one session
 * over stdin and stdout, or with `--port N` any number over loopback (`debugServer` in VS Code).
 */
import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { AgentJetSession } from './debugging/node/agentjetSession.ts';
import { messageOf } from './base/core/errors.ts';
import { systemClock } from './base/node/clock.ts';
import { isFromOtherUser } from './base/node/peerUser.ts';
import { localFiles } from './base/node/files.ts';
import { createRunLauncher } from './backbone/node/process/backboneChannel.ts';

const usage = `Usage: agentjet-debug-adapter [--port N]

Speaks the Debug Adapter Protocol over standard input and output, or with --port
over TCP on 127.0.0.1 (0: any free port, which is printed). Over TCP, the launch
attribute "accessToken" must be the printed token, or the value of the environment
variable AGENTJET_ADAPTER_TOKEN.
`;

const distFolder = import.meta.dirname;
const launcher = createRunLauncher({ distFolder, ownExecutable: process.execPath });
const sessions = new Set<AgentJetSession>();

function newSession(accessToken?: string): AgentJetSession {
  const session = new AgentJetSession({
    launcher,
    clock: systemClock,
    files: localFiles,
    environment: process.env,
    savedApiKey: () => Promise.resolve(undefined), // the secret storage of the editor is not available here
    ownFolder: distFolder,
    accessToken,
  });
  sessions.add(session);
  return session;
}

function serveOverStdio(): void {
  newSession().start(process.stdin, process.stdout);
}

function serveOverTcp(port: number): void {
  const given = process.env['AGENTJET_ADAPTER_TOKEN'];
  const token = given === undefined || given === '' ? randomBytes(24).toString('hex') : given;
  delete process.env['AGENTJET_ADAPTER_TOKEN']; // Runs do not inherit it.
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy()); // the client has disconnected
    if (isFromOtherUser(socket)) socket.destroy();
    else socket.once('data', (first) => acceptClient(socket, first, token));
  });
  server.on('error', (error) => fail(`Cannot listen on 127.0.0.1:${port}: ${error.message}`));
  server.listen(port, '127.0.0.1', () => {
    const address = server.address();
    const actual = typeof address === 'object' && address !== null ? address.port : port;
    process.stdout.write(`Listening on 127.0.0.1:${actual}\n`);
    if (token !== given) process.stdout.write(`Launch attribute "accessToken": "${token}"\n`);
  });
}

/** Accepts only DAP. A web page can make a browser post to any local port, and its body would be executed. */
function acceptClient(socket: Socket, first: Buffer | string, token: string): void {
  if (!first.toString('latin1').startsWith('Content-Length:')) {
    socket.destroy();
    return;
  }
  const session = newSession(token);
  socket.on('close', () => sessions.delete(session));
  session.start(socket, socket);
  socket.unshift(first);
}

function readPort(): number | undefined {
  const { values } = parseArgs({
    options: { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    process.exit(0);
  }
  if (values.port === undefined) return undefined;
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new Error(`--port must be 0 to 65535, but is ${values.port}.`);
  return port;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function main(): void {
  let port: number | undefined;
  try {
    port = readPort();
  } catch (error) {
    fail(`${messageOf(error)}\n\n${usage}`);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      for (const session of sessions) session.dispose();
      process.exit(0);
    });
  }
  if (port === undefined) serveOverStdio();
  else serveOverTcp(port);
}

main();
