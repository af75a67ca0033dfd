/** The backbone process's end of its channel to the run client. The client opened the file descriptors. */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import {
  encodeLine,
  type RunClientMessage,
  type RunEvent,
  decode,
  runClientMessage,
} from '../../core/protocol/run.ts';
import { hasCode } from '../../../base/core/errors.ts';

/**
 * File descriptors, one per direction. Events are written synchronously, so that none is lost when the user's code
 * ends the process. On one shared descriptor that would be a busy loop on POSIX, because the reader makes it
 * non-blocking. On Windows it would be a deadlock, because a pending read blocks the write.
 */
export const messagesDescriptor = 3;
export const eventsDescriptor = 4;

export interface RunClientListener {
  onMessage(message: RunClientMessage): void;
  /** Called with a line that does not follow the protocol. */
  onUnknown(line: string): void;
  /** Called when the client is gone: end at once. */
  onClosed(): void;
}

export interface RunClient {
  /** Sends an event. It arrives even if this process ends right after. Does nothing once the client is gone. */
  send(event: RunEvent): void;
}

/** Listens to the run client. Keeps the process alive until the first message, not after it. */
export function serveRunClient(
  listener: RunClientListener,
  descriptors: { readonly messages: number; readonly events: number } = {
    messages: messagesDescriptor,
    events: eventsDescriptor,
  },
): RunClient {
  const splitter = new LineSplitter();
  const socket = new Socket({ fd: descriptors.messages, readable: true, writable: false });
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    for (const line of splitter.push(chunk)) {
      socket.unref();
      const message = decode(runClientMessage, line);
      if (message === undefined) listener.onUnknown(line);
      else listener.onMessage(message);
    }
  });
  socket.on('error', () => undefined); // a broken channel is a closed one, and 'close' follows
  socket.once('close', () => listener.onClosed());
  return { send: (event) => writeAll(descriptors.events, Buffer.from(encodeLine(event))) };
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) return; // the client is gone, so no one receives it
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
