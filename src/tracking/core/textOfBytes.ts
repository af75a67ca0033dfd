/** Decodes UTF-8. Returns undefined if the bytes are not valid. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined; // a part of a character, or not UTF-8
  }
}
