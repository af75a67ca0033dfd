/** The text of UTF-8; undefined where it is none. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined; // a part of a character, or no UTF-8
  }
}
