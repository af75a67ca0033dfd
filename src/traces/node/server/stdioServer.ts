import type { Readable, Writable } from 'node:stream';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { reportOf } from '../../core/errors.ts';
import type { TraceService } from './service.ts';
import { changedNotification } from '../../core/protocol/traceRpc.ts';
import { responseError } from '../../../base/node/rpcErrors.ts';

/** Serves one viewer over a pair of streams by JSON-RPC. Resolves when the other side closes them. */
export function serveOverStreams(service: TraceService, input: Readable, output: Writable): Promise<void> {
  const rpc = createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  const connection = service.connect((trace) => {
    rpc.sendNotification(changedNotification, { trace }).catch(() => undefined); // the other side has closed the stream
  });
  rpc.onRequest((method, params) => {
    try {
      return connection.call({ ...(params as object | undefined), method });
    } catch (error) {
      throw responseError(reportOf(error));
    }
  });
  rpc.listen();
  return new Promise((resolve) => {
    const end = (): void => {
      connection.dispose();
      rpc.dispose();
      resolve();
    };
    for (const stream of [input, output]) {
      stream.once('close', end);
      stream.once('error', end); // a pipe breaks when the other side dies
    }
    input.once('end', end);
  });
}
