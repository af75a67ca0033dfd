import { expect, test } from 'vitest';
import { float32Bytes, float32Values, int32Bytes, int32Values } from '../../../src/traces/core/layout.ts';

test('numbers are little-endian bytes and come back from wherever these lie', () => {
  expect([...int32Bytes([1, -2])]).toEqual([1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
  expect([...float32Bytes([1])]).toEqual([0, 0, 0x80, 0x3f]);
  const within = Uint8Array.of(9, ...int32Bytes([7, 8]), 5, 6);
  expect(int32Values(within.subarray(1))).toEqual(Int32Array.of(7, 8));
  expect(float32Values(float32Bytes([0.5, NaN]))).toEqual(Float32Array.of(0.5, NaN));
  expect(int32Values(Uint8Array.of(1, 2))).toHaveLength(0);
});

test('values are a copy: what they are made of may change', () => {
  const bytes = int32Bytes([3]);
  const values = int32Values(bytes);
  bytes.fill(0);
  expect(values).toEqual(Int32Array.of(3));
});
