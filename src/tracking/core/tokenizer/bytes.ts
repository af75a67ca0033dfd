/** Equal for equal bytes, so that a Map can be asked for them: one character, at most U+00FF, per byte. */
export function byteKey(bytes: Uint8Array): string {
  let key = '';
  for (const byte of bytes) key += String.fromCharCode(byte);
  return key;
}

/** The character that byte-level vocabularies write for each byte: printable ones themselves, others from U+0100 on. */
const byteOfCharacter: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, byte) => [characterOf(byte), byte]),
);

function characterOf(byte: number): string {
  return String.fromCharCode(isPrintable(byte) ? byte : 0x100 + unprintableBefore(byte));
}

function unprintableBefore(byte: number): number {
  let count = 0;
  for (let before = 0; before < byte; before++) if (!isPrintable(before)) count++;
  return count;
}

function isPrintable(byte: number): boolean {
  return (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
}

/** Bytes of a byte-level vocabulary's entry; one with other characters stands for its own UTF-8. */
export function bytesOfByteLevel(entry: string): Uint8Array {
  const bytes = new Uint8Array(entry.length);
  for (let at = 0; at < entry.length; at++) {
    const byte = byteOfCharacter.get(entry.charAt(at));
    if (byte === undefined) return new TextEncoder().encode(entry);
    bytes[at] = byte;
  }
  return bytes;
}
