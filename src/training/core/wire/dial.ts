import type { WireSocket } from './wireSocket.ts';

/** Why there is no connection, or none any more. */
export interface CloseReason {
  /** One sentence. */
  readonly reason: string;
  /** To try again would end the same way. */
  readonly isFinal: boolean;
  /** One sentence: what to do about it. */
  readonly hint?: string | undefined;
  /** What its user has to bring first. */
  readonly lacks?: 'token' | undefined;
}

export interface DialHandlers {
  opened(): void;
  text(text: string): void;
  bytes(frame: Uint8Array): void;
  /** Once, also where it never opened. */
  closed(why: CloseReason): void;
}

/** Begins to connect. The socket is for use once it opened; closing it before gives the attempt up. */
export type Dial = (handlers: DialHandlers) => WireSocket;
