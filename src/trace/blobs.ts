/** Arrays of numbers as little-endian bytes, whatever the machine. */

const width = 4;

export function int32Bytes(values: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * width));
  for (let index = 0; index < values.length; index++) view.setInt32(index * width, values[index] ?? 0, true);
  return new Uint8Array(view.buffer);
}

export function float32Bytes(values: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * width));
  for (let index = 0; index < values.length; index++)
    view.setFloat32(index * width, values[index] ?? 0, true);
  return new Uint8Array(view.buffer);
}

/** Bytes beyond the last whole number are left out. */
export function int32Values(bytes: Uint8Array): Int32Array {
  const view = viewOf(bytes);
  return Int32Array.from({ length: countOf(bytes) }, (_, index) => view.getInt32(index * width, true));
}

export function float32Values(bytes: Uint8Array): Float32Array {
  const view = viewOf(bytes);
  return Float32Array.from({ length: countOf(bytes) }, (_, index) => view.getFloat32(index * width, true));
}

function countOf(bytes: Uint8Array): number {
  return Math.floor(bytes.byteLength / width);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
