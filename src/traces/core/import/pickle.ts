/**
 * Reads Python pickles as data. It imports and calls nothing. A call that Python would make is returned as the
 * function's name with its arguments, and the reader decides about it. Other opcodes are rejected.
 */

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** A name that Python would import. */
export interface PickledName {
  readonly kind: 'name';
  /** e.g. `torch._utils._rebuild_tensor_v2`. */
  readonly name: string;
}

/** A call that Python would make, or an object of a class. */
export interface PickledCall {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Pickled[];
  /** The argument of `__setstate__`. */
  state: Pickled;
}

/** A persistent id: data that is stored outside the pickle. */
export interface PickledReference {
  readonly kind: 'reference';
  readonly id: Pickled;
}

export interface PickledDict {
  readonly kind: 'dict';
  readonly entries: [Pickled, Pickled][];
}

export type Pickled =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Pickled[]
  | PickledDict
  | PickledName
  | PickledCall
  | PickledReference;

export class PickleRefusal extends Error {}

export interface ReadPickle {
  readonly value: Pickled;
  /** The offset of the first byte after it. */
  readonly end: number;
}

/** Reads the pickle that begins at `start`. Throws {@link PickleRefusal}. */
export function readPickle(bytes: Uint8Array, start = 0): ReadPickle {
  return new Machine(bytes, start).run();
}

const mark = Symbol('mark');
type Item = Pickled | typeof mark;

const opcodes: Readonly<Record<number, (machine: Machine) => void>> = {
  // Numbers: NONE, NEWTRUE, NEWFALSE, BININT, BININT1, BININT2, LONG1, LONG4, BINFLOAT, INT, LONG, FLOAT.
  0x4e: (m) => m.push(null),
  0x88: (m) => m.push(true),
  0x89: (m) => m.push(false),
  0x4a: (m) => m.push(m.view.getInt32(m.skip(4), true)),
  0x4b: (m) => m.push(m.byte()),
  0x4d: (m) => m.push(m.view.getUint16(m.skip(2), true)),
  0x8a: (m) => m.push(m.long(m.byte())),
  0x8b: (m) => m.push(m.long(m.length(4))),
  0x47: (m) => m.push(m.view.getFloat64(m.skip(8), false)),
  0x49: (m) => m.push(decimal(m.line())),
  0x4c: (m) => m.push(decimal(m.line())),
  0x46: (m) => m.push(Number(m.line())),

  // Texts: SHORT_BINUNICODE, BINUNICODE, BINUNICODE8, UNICODE.
  0x8c: (m) => m.push(utf8.decode(m.take(m.byte()))),
  0x58: (m) => m.push(utf8.decode(m.take(m.length(4)))),
  0x8d: (m) => m.push(utf8.decode(m.take(m.length(8)))),
  0x56: (m) => m.push(m.line()),
  // Bytes: SHORT_BINBYTES, SHORT_BINSTRING, BINBYTES, BINSTRING, BINBYTES8, BYTEARRAY8.
  0x43: (m) => m.push(m.take(m.byte())),
  0x55: (m) => m.push(m.take(m.byte())),
  0x42: (m) => m.push(m.take(m.length(4))),
  0x54: (m) => m.push(m.take(m.length(4))),
  0x8e: (m) => m.push(m.take(m.length(8))),
  0x96: (m) => m.push(m.take(m.length(8))),

  // Lists, tuples and sets: MARK, EMPTY_LIST, EMPTY_TUPLE, EMPTY_SET, APPEND, APPENDS, ADDITEMS, TUPLE, LIST,
  // FROZENSET, TUPLE1, TUPLE2, TUPLE3.
  0x28: (m) => m.stack.push(mark),
  0x5d: (m) => m.push([]),
  0x29: (m) => m.push([]),
  0x8f: (m) => m.push([]),
  0x61: (m) => m.extend([m.pop()]),
  0x65: (m) => m.extend(m.toMark()),
  0x90: (m) => m.extend(m.toMark()),
  0x74: (m) => m.push(m.toMark()),
  0x6c: (m) => m.push(m.toMark()),
  0x91: (m) => m.push(m.toMark()),
  0x85: (m) => m.push(m.several(1)),
  0x86: (m) => m.push(m.several(2)),
  0x87: (m) => m.push(m.several(3)),
  // Dictionaries: EMPTY_DICT, DICT, SETITEM, SETITEMS.
  0x7d: (m) => m.push({ kind: 'dict', entries: [] }),
  0x64: (m) => m.push({ kind: 'dict', entries: pairs(m.toMark()) }),
  0x73: (m) => m.set(m.several(2)),
  0x75: (m) => m.set(m.toMark()),

  // Objects: GLOBAL, STACK_GLOBAL, REDUCE, NEWOBJ, NEWOBJ_EX (with keyword arguments, which no known class takes),
  // BUILD, BINPERSID.
  0x63: (m) => m.push({ kind: 'name', name: `${m.line()}.${m.line()}` }),
  0x93: (m) => m.push({ kind: 'name', name: m.several(2).map(String).join('.') }),
  0x52: (m) => m.call(m.several(2)),
  0x81: (m) => m.call(m.several(2)),
  0x92: (m) => m.call(m.several(3)),
  0x62: (m) => m.build(m.pop()),
  0x51: (m) => m.push({ kind: 'reference', id: m.pop() }),

  // The memo: MEMOIZE, BINPUT, LONG_BINPUT, PUT, BINGET, LONG_BINGET, GET.
  0x94: (m) => m.put(m.memo.size),
  0x71: (m) => m.put(m.byte()),
  0x72: (m) => m.put(m.length(4)),
  0x70: (m) => m.put(Number(m.line())),
  0x68: (m) => m.get(m.byte()),
  0x6a: (m) => m.get(m.length(4)),
  0x67: (m) => m.get(Number(m.line())),
  // Others: POP, POP_MARK, DUP, PROTO, FRAME.
  0x30: (m) => m.stack.pop(),
  0x31: (m) => m.toMark(),
  0x32: (m) => m.push(m.top()),
  0x80: (m) => m.protocol(),
  0x95: (m) => m.skip(8),
};

class Machine {
  readonly view: DataView;
  readonly stack: Item[] = [];
  readonly memo = new Map<number, Pickled>();
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
  }

  run(): ReadPickle {
    for (;;) {
      const opcode = this.byte();
      if (opcode === stop) return { value: this.pop(), end: this.#at };
      const effect = opcodes[opcode];
      if (effect === undefined)
        throw new PickleRefusal(
          `it has the opcode 0x${opcode.toString(16).padStart(2, '0')}, which is not read`,
        );
      effect(this);
    }
  }

  protocol(): void {
    const version = this.byte();
    if (version > 5) throw new PickleRefusal(`its protocol ${version} is not known`);
  }

  push(value: Pickled): void {
    this.stack.push(value);
  }

  pop(): Pickled {
    const value = this.stack.pop();
    if (value === undefined || value === mark) throw new PickleRefusal('it is damaged: a value is missing');
    return value;
  }

  top(): Pickled {
    const value = this.pop();
    this.stack.push(value);
    return value;
  }

  several(count: number): Pickled[] {
    return Array.from({ length: count }, () => this.pop()).reverse();
  }

  toMark(): Pickled[] {
    const at = this.stack.lastIndexOf(mark);
    if (at < 0) throw new PickleRefusal('it is damaged: a mark is missing');
    const values = this.stack.splice(at).slice(1);
    return values.filter((value) => value !== mark);
  }

  extend(values: readonly Pickled[]): void {
    const list = this.top();
    if (!Array.isArray(list)) throw new PickleRefusal('it adds to what is no list');
    for (const value of values) list.push(value);
  }

  set(values: readonly Pickled[]): void {
    const target = this.top();
    if (isKind(target, 'dict')) target.entries.push(...pairs(values));
    // A class that behaves like a dictionary.
    else if (isKind(target, 'call')) target.state = { kind: 'dict', entries: pairs(values) };
    else throw new PickleRefusal('it sets items of what is no dictionary');
  }

  call([callable = null, args = null]: readonly Pickled[]): void {
    if (!isKind(callable, 'name')) throw new PickleRefusal('it calls what has no name');
    this.push({
      kind: 'call',
      name: callable.name,
      args: Array.isArray(args) ? args : [],
      state: null,
    });
  }

  build(state: Pickled): void {
    const target = this.top();
    if (!isKind(target, 'call')) throw new PickleRefusal('it sets the state of what is no object');
    target.state = state;
  }

  put(place: number): void {
    this.memo.set(place, this.top());
  }

  get(place: number): void {
    const value = this.memo.get(place);
    if (value === undefined) throw new PickleRefusal('it is damaged: it refers to what is not there');
    this.push(value);
  }

  byte(): number {
    return this.view.getUint8(this.skip(1));
  }

  length(width: 4 | 8): number {
    const at = this.skip(width);
    return width === 4 ? this.view.getUint32(at, true) : Number(this.view.getBigUint64(at, true));
  }

  take(length: number): Uint8Array {
    const at = this.skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** Skips bytes and returns the offset of the first of them. */
  skip(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new PickleRefusal('it is cut off');
    this.#at = at + length;
    return at;
  }

  line(): string {
    const end = this.#bytes.indexOf(10, this.#at);
    if (end < 0) throw new PickleRefusal('it is cut off');
    const text = utf8.decode(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }

  /** Reads a two's complement number, the lowest byte first. */
  long(length: number): number | bigint {
    let value = 0n;
    const bytes = this.take(length);
    if (length > 64) throw new PickleRefusal('it has a number of more than 64 bytes');
    for (const byte of bytes.toReversed()) value = (value << 8n) | BigInt(byte);
    const signed = BigInt.asIntN(8 * length, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  }
}

const stop = 0x2e;

function decimal(text: string): boolean | number {
  if (text === '00' || text === '01') return text === '01';
  return Number(text.replace(/L$/, ''));
}

function pairs(values: readonly Pickled[]): [Pickled, Pickled][] {
  return Array.from({ length: Math.floor(values.length / 2) }, (_, index) => {
    return [values[2 * index] ?? null, values[2 * index + 1] ?? null];
  });
}

type Kinds = Exclude<Extract<Pickled, { readonly kind: string }>, Uint8Array>;

export function isKind<K extends Kinds['kind']>(
  value: Pickled,
  kind: K,
): value is Extract<Kinds, { readonly kind: K }> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}

export function fieldsOf(value: Pickled): ReadonlyMap<string, Pickled> {
  if (!isKind(value, 'dict')) return new Map();
  return new Map(value.entries.filter((entry): entry is [string, Pickled] => typeof entry[0] === 'string'));
}
