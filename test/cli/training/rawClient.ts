/** What reaches a host from somebody who keeps to no rules: bytes that were recorded, and frames of any content. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { wirePath, wireSubprotocol } from '../../../src/training/core/protocol/wire.ts';

export interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

export interface Recorder {
  readonly port: number;
  /** All that clients have sent through it, each connection for itself. */
  readonly recordings: readonly Buffer[];
}

/**
 * A way to a port of this machine that keeps what clients send.
 *
 * @param lost so many connections go when the host answers the first request after the hello
 */
export async function recorder(target: number, lost = 0): Promise<Recorder> {
  const pieces: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const recording: Buffer[] = [];
    pieces.push(recording);
    const far = connect(target, '127.0.0.1');
    near.on('data', (bytes) => recording.push(bytes));
    near.pipe(far);
    const loses = pieces.length <= lost;
    let isGreeted = false;
    far.on('data', (bytes) => {
      if (isGreeted && loses) far.destroy();
      else near.write(bytes);
      isGreeted ||= bytes.includes('"scopes"');
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => (near.destroy(), far.destroy()));
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get recordings() {
      return pieces.map((all) => Buffer.concat(all));
    },
  };
}

/** The messages in the bytes that a client sent: after the login and the upgrade masked frames, none of which is cut in parts. */
export function framesOf(recording: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  for (
    let at = recording.indexOf('\r\n\r\n', recording.indexOf('Upgrade: websocket')) + 4;
    at < recording.length;
  ) {
    const opcode = (recording[at] ?? 0) & 15;
    const short = (recording[at + 1] ?? 0) & 127;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const length =
      short === 127
        ? Number(recording.readBigUInt64BE(at + 2))
        : short === 126
          ? recording.readUInt16BE(at + 2)
          : short;
    const mask = recording.subarray(at + 2 + lengthBytes, at + 6 + lengthBytes);
    at += 6 + lengthBytes;
    const data = Buffer.from(recording.subarray(at, at + length)).map(
      (byte, index) => byte ^ (mask[index & 3] ?? 0),
    );
    if (opcode === 1 || opcode === 2) frames.push({ data: Buffer.from(data), isBinary: opcode === 2 });
    at += length;
  }
  return frames;
}

/** Sends bytes as they are; resolves once the host has ended the connection, or has nothing more to answer. */
export async function sendBytes(
  port: number,
  bytes: Buffer,
  isAnswered: (text: string) => boolean,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  const done = new Promise<void>((resolve) => {
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (isAnswered(text)) resolve();
    });
  });
  socket.write(bytes);
  await done;
  socket.destroy();
  return text;
}

export interface RawClient {
  readonly socket: WebSocket;
  /** Resolves to the code with which the connection ended. */
  readonly closed: Promise<number>;
  send(frame: Frame | object): Promise<void>;
  /** Resolves to the answer of the request with this id, or undefined where the connection ends without one. */
  answer(id: number): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** A WebSocket of the test's own to a host. */
export async function rawClient(port: number, token: string): Promise<RawClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${wirePath}`, wireSubprotocol, {
    headers: { authorization: `Bearer ${token}` },
  });
  onTestFinished(() => socket.terminate());
  const answers = new Map<number, Readonly<Record<string, unknown>>>();
  let isClosed = false;
  let wake = (): void => undefined;
  const closed = new Promise<number>((resolve) =>
    socket.once('close', (code: number) => {
      isClosed = true;
      wake();
      resolve(code);
    }),
  );
  socket.on('message', (data, isBinary) => {
    if (isBinary) return;
    const message = JSON.parse((data as Buffer).toString('utf8')) as Readonly<Record<string, unknown>>;
    if (typeof message['id'] === 'number') answers.set(message['id'], message);
    wake();
  });
  await once(socket, 'open');
  socket.on('error', () => undefined);
  return {
    socket,
    closed,
    send: (frame) =>
      new Promise((resolve) => {
        const sent = (): void => resolve();
        if ('isBinary' in frame) socket.send(frame.data, { binary: frame.isBinary }, sent);
        else socket.send(JSON.stringify(frame), sent);
      }),
    answer: async (id) => {
      while (!answers.has(id) && !isClosed) await new Promise<void>((resolve) => (wake = resolve));
      return answers.get(id);
    },
  };
}

let asked = 1_000_000;

/** One request and its answer. */
export async function ask(
  client: RawClient,
  method: string,
  params: object,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const id = ++asked;
  await client.send({ jsonrpc: '2.0', id, method, params });
  return client.answer(id);
}

export async function greeted(port: number, token: string): Promise<RawClient> {
  const client = await rawClient(port, token);
  const params = { versions: { min: 1, max: 1 }, client: { name: 'raw', version: '0' } };
  await ask(client, 'hello', params);
  return client;
}
