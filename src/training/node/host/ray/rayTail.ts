import { WebSocket } from 'ws';

export interface RayTail {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for the handshake, and for the answer to each heartbeat. */
  readonly patience: number;
  readonly take: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads a log over a WebSocket until Ray closes it. Redirections are not followed: the token would go along. A cluster that
 * is gone without a word is noticed by the heartbeat.
 */
export function tailRay(url: URL, { headers, patience, take, signal }: RayTail): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = new WebSocket(url, { headers, handshakeTimeout: patience, perMessageDeflate: false });
    let isAnswered = true;
    const heartbeat = setInterval(() => {
      if (!isAnswered) socket.terminate();
      else if (socket.readyState === WebSocket.OPEN) {
        isAnswered = false;
        socket.ping();
      }
    }, patience);
    const leave = (): void => socket.terminate();
    signal.addEventListener('abort', leave);
    let failure: Error | undefined;
    socket.on('message', (data, isBinary) => {
      isAnswered = true;
      if (!isBinary) take(textOf(data));
    });
    socket.on('pong', () => (isAnswered = true));
    socket.on('error', (error) => (failure ??= error));
    socket.on('close', (code) => {
      clearInterval(heartbeat);
      signal.removeEventListener('abort', leave);
      if (signal.aborted) reject(asError(signal.reason));
      else if (failure === undefined && code === 1000) resolve();
      else reject(failure ?? new Error(`the connection was closed with code ${code}`));
    });
  });
}

function textOf(data: WebSocket.RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8');
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
