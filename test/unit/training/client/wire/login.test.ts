import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { client, reaches, wireHost } from './wireHost.ts';

/** A program of another user at the port of a host, and all that it receives. */
async function impostor(answer: (socket: Socket, bytes: Buffer) => void) {
  const received: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received.push(bytes);
      answer(socket, bytes);
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}`, received: () => Buffer.concat(received).toString('latin1') };
}

const proof = `WWW-Authenticate: AgentJet ${'0'.repeat(32)} ${'0'.repeat(64)}\r\n`;
const accepted = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

describe('a program at the port of a host', () => {
  it.each([
    ['a wrong proof', `HTTP/1.1 401 Unauthorized\r\n${proof}\r\n`, 'does not know the token of the host'],
    ['no proof', 'HTTP/1.1 401 Unauthorized\r\n\r\n', 'does not know this token'],
    ['what an earlier version says', 'HTTP/1.1 426 Upgrade Required\r\n\r\n', 'earlier versions'],
    ['another status', 'HTTP/1.1 404 Not Found\r\n\r\n', 'no AgentJet GPU host'],
    ['something else', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'no AgentJet GPU host'],
    ['yes to everything', accepted, 'HTTP status 101'],
  ])('that answers with %s does not receive the token', async (_, answer, reason) => {
    const token = `ajh_${'x'.repeat(43)}`;
    const other = await impostor((socket) => socket.write(answer));
    const connection = client({ url: other.url, token });
    const state = await Promise.race([reaches(connection, 'ended'), reaches(connection, 'waiting')]);
    expect(state.reason).toContain(reason);
    expect(other.received()).toMatch(/^GET \/agentjet HTTP\/1\.1\r\n/);
    for (const secret of [token, Buffer.from(token).toString('base64url')])
      expect(other.received()).not.toContain(secret);
  });

  it('that passes everything on to the host does not receive the token, and nothing to log in with', async () => {
    const host = await wireHost();
    const token = host.token();
    const relay = await impostor((socket) => {
      if (socket.listenerCount('end') > 1) return;
      const far = connect(host.port, '127.0.0.1').on('error', () => undefined);
      far.write(relay.received());
      socket.pipe(far).pipe(socket);
    });
    const connection = client({ url: relay.url, token });
    await reaches(connection, 'connected');
    connection.dispose();
    expect(relay.received()).not.toContain(token);
    const again = connect(host.port, '127.0.0.1');
    onTestFinished(() => void again.destroy());
    again.write(relay.received(), 'latin1');
    let text = '';
    again.on('data', (bytes) => (text += bytes.toString('latin1')));
    await once(again, 'close');
    expect(text).toContain('HTTP/1.1 401 Refused');
    expect(text).not.toContain('101 Switching');
  });
});
