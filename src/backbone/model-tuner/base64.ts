/** Base64 where neither `Buffer` nor `atob` is at hand. Texts stand for bytes: one character, at most U+00FF, each. */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function encodeBase64(bytes: string): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const count = Math.min(3, bytes.length - at);
    // What lies beyond the end is NaN, which `|` takes for 0.
    const bits = (bytes.charCodeAt(at) << 16) | (bytes.charCodeAt(at + 1) << 8) | bytes.charCodeAt(at + 2);
    for (let digit = 0; digit <= count; digit++) text += alphabet.charAt((bits >> (18 - 6 * digit)) & 63);
    text += '='.repeat(3 - count);
  }
  return text;
}

/** Takes `-_` for `+/`, with padding or without; undefined for anything else. */
export function decodeBase64(text: string): string | undefined {
  const digits = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=*$/, '');
  let bytes = '';
  let bits = 0;
  let bitCount = 0;
  for (const digit of digits) {
    const value = alphabet.indexOf(digit);
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xfff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes += String.fromCharCode((bits >> bitCount) & 0xff);
  }
  return bytes;
}
