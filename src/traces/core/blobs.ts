/** Converts arrays of numbers to little-endian bytes and back on any machine. */

const width = 4;

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

export function int32Bytes(values: ArrayLike<number>): Uint8Array {
  return ordered(new Uint8Array(new Int32Array(values).buffer));
}

export function float32Bytes(values: ArrayLike<number>): Uint8Array {
  return ordered(new Uint8Array(new Float32Array(values).buffer));
}

/** Returns the numbers. Bytes after the last whole number are ignored. */
export function int32Values(bytes: Uint8Array): Int32Array {
  return new Int32Array(ordered(whole(bytes)).buffer);
}

export function float32Values(bytes: Uint8Array): Float32Array {
  return new Float32Array(ordered(whole(bytes)).buffer);
}

/** Returns a copy, because a typed array must start at a whole number of its buffer. */
function whole(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % width)));
}

/** Converts numbers between the byte order of this machine and little-endian, in place. */
function ordered(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (isLittleEndian) return bytes;
  for (let at = 0; at < bytes.length; at += width) bytes.subarray(at, at + width).reverse();
  return bytes;
}
