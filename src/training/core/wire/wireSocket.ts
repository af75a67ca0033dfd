/** An open connection over any transport. Messages and the end go to the handlers of its creator. */
export interface WireSocket {
  /** @param text bytes are UTF-8, and must not change until they are sent */
  sendText(text: string | Uint8Array): void;
  sendBytes(bytes: Uint8Array): void;
  /** Bytes that wait to be sent. */
  readonly buffered: number;
  /** Resolves once some waiting bytes are sent, or the connection has ended. */
  drained(): Promise<void>;
  /** Sets whether messages are read. Those in transit may still arrive. */
  setReading(reads: boolean): void;
  close(code: number, reason: string): void;
}

/** The reason why there is no connection. */
export interface CloseReason {
  /** One sentence. */
  readonly reason: string;
  /** True if another attempt would fail in the same way. */
  readonly isFinal: boolean;
  /** A hint on what to do about it, in one sentence. */
  readonly hint?: string | undefined;
  /** The credential that the user must provide first. */
  readonly lacks?: 'token' | undefined;
}

export interface DialHandlers {
  opened(): void;
  text(text: string): void;
  bytes(frame: Uint8Array): void;
  /** Called once, even if the connection never opened. */
  closed(why: CloseReason): void;
}

/** Starts to connect. The socket can be used once it is open. Closing it earlier cancels the attempt. */
export type Dial = (handlers: DialHandlers) => WireSocket;
