/** Arrays of numbers as the little-endian bytes of protobuf messages. All supported platforms are little-endian. */
import { dtypes } from './schema.ts';

export function bytesOf({
  buffer,
  byteOffset,
  byteLength,
}: Int32Array | Float32Array | BigInt64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Bytes of a message can begin anywhere, so they are copied. Throws if they end within a number. */
const copyOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

export const int32sOf = (bytes: Uint8Array): Int32Array => new Int32Array(copyOf(bytes));
export const float32sOf = (bytes: Uint8Array): Float32Array => new Float32Array(copyOf(bytes));
export const int64sOf = (bytes: Uint8Array): number[] => [...new BigInt64Array(copyOf(bytes))].map(Number);

/** Returns the floats of a tensor. Throws if it has another type. */
export function floatsOf(bytes: Uint8Array, dtype: number): Float32Array {
  if (dtype === dtypes.float32) return float32sOf(bytes);
  if (dtype !== dtypes.bfloat16) throw new Error(`the tensor has the type ${dtype}`);
  // The upper half of a float32.
  return new Float32Array(Uint32Array.from(new Uint16Array(copyOf(bytes)), (half) => half << 16).buffer);
}
