import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '../../../protocol/run.ts';
import type { TraceReply } from '../../../protocol/traceRpc.ts';
import type { TraceService } from './service.ts';

/** One viewer over a pair of streams, a JSON value per line. Resolves when the other side has gone. */
export function serveOverStreams(service: TraceService, input: Readable, output: Writable): Promise<void> {
  const send = (reply: TraceReply): void => {
    if (output.writable) output.write(`${JSON.stringify(reply)}\n`);
  };
  const connection = service.connect(send);
  const splitter = new LineSplitter();
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    for (const line of splitter.push(text)) send(connection.answer(line));
  });
  return new Promise((resolve) => {
    const end = (): void => {
      connection.dispose();
      resolve();
    };
    for (const stream of [input, output]) {
      stream.once('close', end);
      stream.once('error', end); // a pipe breaks when the other side dies
    }
    input.once('end', end);
  });
}
