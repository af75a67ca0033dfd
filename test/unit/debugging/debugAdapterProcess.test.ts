import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { DapClient } from './dapClient.ts';

const script = path.resolve(import.meta.dirname, '../../../src/debugAdapter.ts');
const quiet = ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
const processes: ChildProcessWithoutNullStreams[] = [];

function startAdapter(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...quiet, script, ...args]);
  processes.push(child);
  return child;
}

/** Starts an adapter that listens; its port. */
async function listen(): Promise<number> {
  const [text] = (await once(startAdapter('--port', '0').stdout, 'data')) as [Buffer];
  return Number(/^Listening on 127\.0\.0\.1:(\d+)\n$/.exec(text.toString())?.[1]);
}

function join(client: DapClient, socket: Socket): void {
  client.toAdapter.pipe(socket);
  socket.pipe(client.fromAdapter);
}

const conversation = `> initialize
< initialize: ok {"supportsConfigurationDoneRequest":true,"supportsTerminateRequest":true,"supportsCancelRequest":true}
< event initialized
> launch {"config":"/no/such.yaml"}
< launch: failed {"error":{"id":3003,"format":"{_text}","variables":{"_text":"Launch attribute 'config' names a path that does not exist: /no/such.yaml. Correct 'config' in the launch configuration, or create the file. [debug/file-not-found]"},"showUser":true}}
> disconnect
< disconnect: ok
`;

async function converse(client: DapClient): Promise<string> {
  await client.request('initialize');
  await client.event('initialized');
  await client.request('launch', { config: '/no/such.yaml' });
  await client.request('disconnect');
  return client.golden();
}

afterEach(() => {
  for (const child of processes.splice(0)) child.kill('SIGKILL');
});

describe('the adapter as its own process', () => {
  it('serves one session over stdio, and ends with it', async () => {
    const child = startAdapter();
    const client = new DapClient();
    client.toAdapter.pipe(child.stdin);
    child.stdout.pipe(client.fromAdapter);
    expect(await converse(client)).toBe(conversation);
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('serves several sessions over loopback', async () => {
    const port = await listen();
    const clients = [new DapClient(), new DapClient()];
    for (const client of clients) join(client, connect(port, '127.0.0.1'));
    expect(await Promise.all(clients.map(converse))).toEqual([conversation, conversation]);
  });

  it('does not take what a web page has a browser post', async () => {
    const socket = connect(await listen(), '127.0.0.1');
    const body = '{"seq":1,"type":"request","command":"initialize"}';
    socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', () => undefined); // refused in the middle of the request
    await once(socket, 'close');
    expect(answer).toBe('');
  });

  it.each([[['--port', 'x']], [['--port', '70000']], [['--no-such-option']]])('refuses %j', async (args) => {
    const child = startAdapter(...args);
    const [text] = (await once(child.stderr, 'data')) as [Buffer];
    expect(text.toString()).toMatch(/port|option[\s\S]+Usage:/);
    expect(await once(child, 'exit')).toEqual([2, null]);
  });
});
