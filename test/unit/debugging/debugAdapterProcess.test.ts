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

function startAdapter(args: readonly string[] = [], env: object = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...quiet, script, ...args], { env: { ...process.env, ...env } });
  processes.push(child);
  return child;
}

const accessToken = 'of the adapter';

/** Starts an adapter that listens; its port. */
async function listen(): Promise<number> {
  const child = startAdapter(['--port', '0'], { AGENTJET_ADAPTER_TOKEN: accessToken });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(/^Listening on 127\.0\.0\.1:(\d+)\n$/.exec(text.toString())?.[1]);
}

function join(client: DapClient, socket: Socket): void {
  client.toAdapter.pipe(socket);
  socket.pipe(client.fromAdapter);
}

const conversation = `> initialize
< initialize: ok {"supportsConfigurationDoneRequest":true,"supportsTerminateRequest":true,"supportsCancelRequest":true,"supportsANSIStyling":true}
< event initialized
> launch {"config":"/no/such.yaml"}
< launch: failed {"error":{"id":3003,"format":"{_text}","variables":{"_text":"Launch attribute 'config' names a path that does not exist: /no/such.yaml. Correct 'config' in the launch configuration, or create the file. [debug/file-not-found]"},"showUser":true}}
> disconnect
< disconnect: ok
`;

async function converse(client: DapClient, attributes: object = {}): Promise<string> {
  await client.request('initialize');
  await client.event('initialized');
  await client.request('launch', { config: '/no/such.yaml', ...attributes });
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
    expect(await Promise.all(clients.map((client) => converse(client, { accessToken })))).toEqual(
      [conversation, conversation].map((text) =>
        text.replace('such.yaml"}\n', `such.yaml","accessToken":"${accessToken}"}\n`),
      ),
    );
  });

  it('launches nothing without its token', async () => {
    const client = new DapClient();
    join(client, connect(await listen(), '127.0.0.1'));
    await client.request('initialize');
    const config = '/no/such.yaml';
    for (const attributes of [{ config }, { config, accessToken: '' }, { config, accessToken: 'other' }]) {
      const { message, success } = await client.request('launch', attributes);
      expect([success, message]).toEqual([false, expect.stringContaining('debug/wrong-access-token')]);
    }
  });

  it('prints a token of its own', async () => {
    const { stdout } = startAdapter(['--port', '0'], { AGENTJET_ADAPTER_TOKEN: '' });
    let printed = '';
    for await (const part of stdout) {
      printed += String(part);
      if (printed.includes('accessToken')) break;
    }
    expect(printed).toMatch(/"accessToken": "[0-9a-f]{48}"\n$/);
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
    const child = startAdapter(args);
    const [text] = (await once(child.stderr, 'data')) as [Buffer];
    expect(text.toString()).toMatch(/port|option[\s\S]+Usage:/);
    expect(await once(child, 'exit')).toEqual([2, null]);
  });
});
