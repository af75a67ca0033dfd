/** The process next to the trainer that runs a TypeScript workflow and judge. It ends with its Python process. */
import { Socket } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { Emitter } from '../../../base/core/event.ts';
import { bridgeDescriptor, toBridge, type FromBridge } from '../../core/protocol/bridge.ts';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import { installLoader } from '../../../backbone/node/loader/loader.ts';
import { BridgeProgram } from './program.ts';
import { messageOf } from '../../../base/core/errors.ts';

const ownFolder = import.meta.dirname;
const socket = new Socket({ fd: Number(process.env[bridgeDescriptor]), readable: true, writable: true });
// Programs that the user code starts must not use the bridge.
Reflect.deleteProperty(process.env, bridgeDescriptor);

const loader = installLoader({
  sdkUrl: pathToFileURL(path.join(ownFolder, 'sdk.mjs')).href,
  compiler: path.join(ownFolder, 'typescript.cjs'),
});
const uncaught = new Emitter<unknown>();
const program = new BridgeProgram(send, loader, uncaught.event);

function send(message: FromBridge): void {
  socket.write(`${encoded(message)}\n`);
}

/** Encodes a message. A workflow may return a value that JSON cannot represent, such as a cycle. */
function encoded(message: FromBridge): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    if (message.type !== 'done') throw error;
    const why = messageOf(error);
    return JSON.stringify({
      type: 'error',
      id: message.id,
      error: { code: 'bridge/not-json', message: `The return value cannot be converted to JSON: ${why}` },
    } satisfies FromBridge);
  }
}

function takeUncaught(error: unknown): void {
  if (program.running === 1) uncaught.fire(error);
  else console.error(error); // several episodes run, or none, so the source is unknown
}
process.on('uncaughtException', takeUncaught);
process.on('unhandledRejection', takeUncaught);
// Ctrl-C at the terminal ends the Python process, and this process with it.
process.on('SIGINT', () => undefined);

const splitter = new LineSplitter();
socket.setEncoding('utf8');
socket.on('data', (chunk: string) => {
  for (const line of splitter.push(chunk)) {
    const message = toBridge.safeParse(JSON.parse(line));
    if (message.success) program.take(message.data);
    else throw new Error(`Invalid message: ${line.slice(0, 200)}`);
  }
});
socket.on('error', () => undefined); // 'close' follows
socket.once('close', () => process.exit(0));

// A forked child of the Python process can keep the socket open after Python has ended.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(0);
}, 2_000).unref();
