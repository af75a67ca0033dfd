/** One open connection, whatever carries it. Messages and the end are handed to who made it. */
export interface WireSocket {
  /**
   * @param text as UTF-8 where it is bytes, which nobody changes until they are sent
   * @param sent told once they were handed over, or will never be
   */
  sendText(text: string | Uint8Array, sent?: () => void): void;
  sendBytes(bytes: Uint8Array): void;
  /** Bytes that were handed over and have not left yet. */
  readonly buffered: number;
  /** Resolves once some of what waited has left, or the connection is over. */
  drained(): Promise<void>;
  /** Whether the other side's messages are taken in; what was under way may still come. */
  setReading(reads: boolean): void;
  close(code: number, reason: string): void;
}
