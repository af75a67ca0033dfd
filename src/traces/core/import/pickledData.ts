/** Converts pickled plain data and PyTorch tensors. */
import { isRecord } from '../../../base/core/isRecord.ts';
import { parseJson } from '../shallowJson.ts';
import { fieldsOf, isKind, PickleRefusal, readPickle, type Pickled } from './pickle.ts';

/** The maximum number of nodes of a value. A small pickle can expand to an endless one. */
const mostNodes = 1_000_000;
const deepest = 100;

/** Returns a value as plain JSON data. Throws {@link PickleRefusal} for anything else. */
export function plainData(value: Pickled): unknown {
  let nodes = 0;
  const plain = (one: Pickled, depth: number): unknown => {
    nodes += 1;
    if (nodes > mostNodes || depth > deepest) throw new PickleRefusal('it is too large');
    if (typeof one === 'bigint') return Number(one);
    if (one === null || typeof one !== 'object') return one;
    if (one instanceof Uint8Array) throw new PickleRefusal('it has bytes');
    if (Array.isArray(one)) return one.map((item) => plain(item, depth + 1));
    if (!isKind(one, 'dict')) throw new PickleRefusal(`it has ${nameOf(one)}, which is not read`);
    return Object.fromEntries(
      one.entries.map(([key, item]) => [String(plain(key, depth + 1)), plain(item, depth + 1)]),
    );
  };
  return plain(value, 0);
}

function nameOf(value: Pickled): string {
  if (isKind(value, 'call') || isKind(value, 'name')) return value.name;
  return 'a reference';
}

/** Returns the numbers of a one-dimensional tensor; undefined: not a tensor. Throws {@link PickleRefusal}. */
export function pickledTensor(value: Pickled): readonly number[] | undefined {
  if (!isKind(value, 'call')) return undefined;
  if (value.name !== 'torch._utils._rebuild_tensor_v2') throw new PickleRefusal(`it is ${value.name}`);
  const [storage = null, offset = null, size = null, stride = null] = value.args;
  const numbers = storageNumbers(storage);
  const [[length = 0], [step = 1]] = [whole(size), whole(stride)];
  if (whole(size).length !== 1 || typeof offset !== 'number')
    throw new PickleRefusal('it is not a list of numbers');
  const last = offset + (length - 1) * step;
  if (length > numbers.length || last >= numbers.length || offset < 0 || step < 0)
    throw new PickleRefusal('it is cut off');
  return Array.from({ length }, (_, index) => numbers[offset + index * step] ?? 0);
}

function whole(value: Pickled): readonly number[] {
  return Array.isArray(value) ? value.filter((one): one is number => Number.isSafeInteger(one)) : [];
}

/** Parses the legacy `torch.save` form of a storage: four pickles, the list of keys, a count and raw numbers. */
function storageNumbers(value: Pickled): readonly number[] {
  const bytes =
    isKind(value, 'call') && value.name === 'torch.storage._load_from_bytes' ? value.args[0] : undefined;
  if (!(bytes instanceof Uint8Array)) throw new PickleRefusal('its storage is of a form that is not read');
  const parts: Pickled[] = [];
  let at = 0;
  for (let index = 0; index < 5; index++) {
    const { value: part, end } = readPickle(bytes, at);
    parts.push(part);
    at = end;
  }
  const [, , system = null, storage = null] = parts;
  if (fieldsOf(system).get('little_endian') === false)
    throw new PickleRefusal('it was written by a big-endian machine');
  const reference = isKind(storage, 'reference') && Array.isArray(storage.id) ? storage.id : [];
  const kind = reference[1] ?? null;
  const name = isKind(kind, 'name') ? kind.name : '';
  const count = new DataView(bytes.buffer, bytes.byteOffset + at, Math.min(8, bytes.length - at));
  if (count.byteLength < 8) throw new PickleRefusal('it is cut off');
  return numbersOf(storageTypes[name] ?? name, bytes.subarray(at + 8), Number(count.getBigInt64(0, true)));
}

const storageTypes: Readonly<Record<string, string>> = {
  'torch.FloatStorage': 'F32',
  'torch.DoubleStorage': 'F64',
  'torch.HalfStorage': 'F16',
  'torch.BFloat16Storage': 'BF16',
  'torch.LongStorage': 'I64',
  'torch.IntStorage': 'I32',
  'torch.ShortStorage': 'I16',
  'torch.CharStorage': 'I8',
  'torch.ByteStorage': 'U8',
  'torch.BoolStorage': 'BOOL',
};

type NumberType = readonly [width: number, read: (view: DataView, at: number) => number];

const numberTypes: Readonly<Record<string, NumberType>> = {
  F64: [8, (view, at) => view.getFloat64(at, true)],
  F32: [4, (view, at) => view.getFloat32(at, true)],
  F16: [2, (view, at) => half(view.getUint16(at, true))],
  BF16: [2, (view, at) => bfloat(view.getUint16(at, true))],
  I64: [8, (view, at) => Number(view.getBigInt64(at, true))],
  I32: [4, (view, at) => view.getInt32(at, true)],
  I16: [2, (view, at) => view.getInt16(at, true)],
  I8: [1, (view, at) => view.getInt8(at)],
  U8: [1, (view, at) => view.getUint8(at)],
  BOOL: [1, (view, at) => view.getUint8(at)],
};

/** @param type the type's name in safetensors */
function numbersOf(type: string, bytes: Uint8Array, count: number): readonly number[] {
  const known = numberTypes[type];
  if (known === undefined) throw new PickleRefusal(`its numbers are of the type ${type}`);
  const [width, read] = known;
  if (count < 0 || count * width > bytes.length) throw new PickleRefusal('it is cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: count }, (_, index) => read(view, index * width));
}

function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 === 0 ? 1 : -1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function bfloat(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}

/** Returns the one-dimensional tensors of a safetensors file by name. Throws {@link PickleRefusal}. */
export function safeTensors(bytes: Uint8Array): ReadonlyMap<string, readonly number[]> {
  if (bytes.length < 8) throw new PickleRefusal('its tensors are cut off');
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  if (length > bytes.length - 8) throw new PickleRefusal('its tensors are cut off');
  const header = parseJson(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  if (!isRecord(header)) throw new PickleRefusal('its tensors have no header');
  const data = bytes.subarray(8 + length);
  return new Map(
    Object.entries(header).flatMap(([name, about]) => {
      const { dtype, shape, data_offsets: offsets } = isRecord(about) ? about : {};
      if (!Array.isArray(shape) || shape.length !== 1 || !Array.isArray(offsets)) return [];
      const [start = 0, end = 0] = offsets as readonly number[];
      return [[name, numbersOf(String(dtype), data.subarray(start, end), Number(shape[0]))] as const];
    }),
  );
}
