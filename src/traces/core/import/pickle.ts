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

/** Thrown for a pickle that cannot or must not be read. */
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

class Machine {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #stack: Item[] = [];
  readonly #memo = new Map<number, Pickled>();
  #at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
  }

  run(): ReadPickle {
    for (;;) {
      const opcode = this.#byte();
      if (opcode === stop) return { value: this.#pop(), end: this.#at };
      if (!this.#number(opcode) && !this.#text(opcode) && !this.#collect(opcode) && !this.#object(opcode)) {
        throw new PickleRefusal(
          `it has the opcode 0x${opcode.toString(16).padStart(2, '0')}, which is not read`,
        );
      }
    }
  }

  #number(opcode: number): boolean {
    switch (opcode) {
      case 0x4e: // NONE
        return this.#push(null);
      case 0x88: // NEWTRUE
        return this.#push(true);
      case 0x89: // NEWFALSE
        return this.#push(false);
      case 0x4a: // BININT
        return this.#push(this.#view.getInt32(this.#skip(4), true));
      case 0x4b: // BININT1
        return this.#push(this.#byte());
      case 0x4d: // BININT2
        return this.#push(this.#view.getUint16(this.#skip(2), true));
      case 0x8a: // LONG1
        return this.#push(this.#long(this.#byte()));
      case 0x8b: // LONG4
        return this.#push(this.#long(this.#length(4)));
      case 0x47: // BINFLOAT
        return this.#push(this.#view.getFloat64(this.#skip(8), false));
      case 0x49: // INT
      case 0x4c: // LONG
        return this.#push(decimal(this.#line()));
      case 0x46: // FLOAT
        return this.#push(Number(this.#line()));
      default:
        return false;
    }
  }

  #text(opcode: number): boolean {
    switch (opcode) {
      case 0x8c: // SHORT_BINUNICODE
        return this.#push(utf8.decode(this.#take(this.#byte())));
      case 0x58: // BINUNICODE
        return this.#push(utf8.decode(this.#take(this.#length(4))));
      case 0x8d: // BINUNICODE8
        return this.#push(utf8.decode(this.#take(this.#length(8))));
      case 0x56: // UNICODE
        return this.#push(this.#line());
      case 0x43: // SHORT_BINBYTES
      case 0x55: // SHORT_BINSTRING
        return this.#push(this.#take(this.#byte()));
      case 0x42: // BINBYTES
      case 0x54: // BINSTRING
        return this.#push(this.#take(this.#length(4)));
      case 0x8e: // BINBYTES8
      case 0x96: // BYTEARRAY8
        return this.#push(this.#take(this.#length(8)));
      default:
        return false;
    }
  }

  #collect(opcode: number): boolean {
    switch (opcode) {
      case 0x28: // MARK
        this.#stack.push(mark);
        return true;
      case 0x5d: // EMPTY_LIST
      case 0x29: // EMPTY_TUPLE
      case 0x8f: // EMPTY_SET
        return this.#push([]);
      case 0x7d: // EMPTY_DICT
        return this.#push({ kind: 'dict', entries: [] });
      case 0x61: // APPEND
        return this.#extend([this.#pop()]);
      case 0x65: // APPENDS
      case 0x90: // ADDITEMS
        return this.#extend(this.#toMark());
      case 0x74: // TUPLE
      case 0x6c: // LIST
      case 0x91: // FROZENSET
        return this.#push(this.#toMark());
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: // TUPLE3
        return this.#push(this.#several(opcode - 0x84));
      case 0x64: // DICT
        return this.#push({ kind: 'dict', entries: pairs(this.#toMark()) });
      case 0x73: // SETITEM
        return this.#set(this.#several(2));
      case 0x75: // SETITEMS
        return this.#set(this.#toMark());
      default:
        return false;
    }
  }

  #object(opcode: number): boolean {
    switch (opcode) {
      case 0x80: // PROTO
        return this.#protocol();
      case 0x95: // FRAME
        this.#skip(8);
        return true;
      case 0x63: // GLOBAL
        return this.#push({ kind: 'name', name: `${this.#line()}.${this.#line()}` });
      case 0x93: // STACK_GLOBAL
        return this.#push({ kind: 'name', name: this.#several(2).map(String).join('.') });
      case 0x52: // REDUCE
      case 0x81: // NEWOBJ
        return this.#call(this.#several(2));
      case 0x92: {
        // NEWOBJ_EX: with keyword arguments, which no known class takes
        const [callable = null, args = null] = this.#several(3);
        return this.#call([callable, args]);
      }
      case 0x62: // BUILD
        return this.#build(this.#pop());
      case 0x51: // BINPERSID
        return this.#push({ kind: 'reference', id: this.#pop() });
      default:
        return this.#remember(opcode);
    }
  }

  #remember(opcode: number): boolean {
    switch (opcode) {
      case 0x94: // MEMOIZE
        return this.#put(this.#memo.size);
      case 0x71: // BINPUT
        return this.#put(this.#byte());
      case 0x72: // LONG_BINPUT
        return this.#put(this.#length(4));
      case 0x70: // PUT
        return this.#put(Number(this.#line()));
      case 0x68: // BINGET
        return this.#get(this.#byte());
      case 0x6a: // LONG_BINGET
        return this.#get(this.#length(4));
      case 0x67: // GET
        return this.#get(Number(this.#line()));
      case 0x30: // POP
        this.#stack.pop();
        return true;
      case 0x31: // POP_MARK
        this.#toMark();
        return true;
      case 0x32: // DUP
        return this.#push(this.#top());
      default:
        return false;
    }
  }

  #protocol(): boolean {
    const version = this.#byte();
    if (version > 5) throw new PickleRefusal(`its protocol ${version} is not known`);
    return true;
  }

  #push(value: Pickled): true {
    this.#stack.push(value);
    return true;
  }

  #pop(): Pickled {
    const value = this.#stack.pop();
    if (value === undefined || value === mark) throw new PickleRefusal('it is damaged: a value is missing');
    return value;
  }

  #top(): Pickled {
    const value = this.#pop();
    this.#stack.push(value);
    return value;
  }

  #several(count: number): Pickled[] {
    return Array.from({ length: count }, () => this.#pop()).reverse();
  }

  #toMark(): Pickled[] {
    const at = this.#stack.lastIndexOf(mark);
    if (at < 0) throw new PickleRefusal('it is damaged: a mark is missing');
    const values = this.#stack.splice(at).slice(1);
    return values.filter((value) => value !== mark);
  }

  #extend(values: readonly Pickled[]): true {
    const list = this.#top();
    if (!Array.isArray(list)) throw new PickleRefusal('it adds to what is no list');
    for (const value of values) list.push(value);
    return true;
  }

  #set(values: readonly Pickled[]): true {
    const target = this.#top();
    if (isKind(target, 'dict')) target.entries.push(...pairs(values));
    // A class that behaves like a dictionary.
    else if (isKind(target, 'call')) target.state = { kind: 'dict', entries: pairs(values) };
    else throw new PickleRefusal('it sets items of what is no dictionary');
    return true;
  }

  #call([callable = null, args = null]: readonly Pickled[]): true {
    if (!isKind(callable, 'name')) throw new PickleRefusal('it calls what has no name');
    return this.#push({
      kind: 'call',
      name: callable.name,
      args: Array.isArray(args) ? args : [],
      state: null,
    });
  }

  #build(state: Pickled): true {
    const target = this.#top();
    if (!isKind(target, 'call')) throw new PickleRefusal('it sets the state of what is no object');
    target.state = state;
    return true;
  }

  #put(place: number): true {
    this.#memo.set(place, this.#top());
    return true;
  }

  #get(place: number): true {
    const value = this.#memo.get(place);
    if (value === undefined) throw new PickleRefusal('it is damaged: it refers to what is not there');
    return this.#push(value);
  }

  #byte(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  #length(width: 4 | 8): number {
    const at = this.#skip(width);
    return width === 4 ? this.#view.getUint32(at, true) : Number(this.#view.getBigUint64(at, true));
  }

  #take(length: number): Uint8Array {
    const at = this.#skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** Skips bytes and returns the offset of the first of them. */
  #skip(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new PickleRefusal('it is cut off');
    this.#at = at + length;
    return at;
  }

  /** Reads up to the end of the line. */
  #line(): string {
    const end = this.#bytes.indexOf(10, this.#at);
    if (end < 0) throw new PickleRefusal('it is cut off');
    const text = utf8.decode(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }

  /** Reads a two's complement number, the lowest byte first. */
  #long(length: number): number | bigint {
    let value = 0n;
    const bytes = this.#take(length);
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

/** Returns the entries of a dictionary whose keys are strings. */
export function fieldsOf(value: Pickled): ReadonlyMap<string, Pickled> {
  if (!isKind(value, 'dict')) return new Map();
  return new Map(value.entries.filter((entry): entry is [string, Pickled] => typeof entry[0] === 'string'));
}
