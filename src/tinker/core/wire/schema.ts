/**
 * The protobuf messages of the Tinker API, package `tinker_public`. The numbers are those of the descriptor in the official
 * SDK. Members of a `oneof` and enum values are plain fields here: they are the same bytes.
 */
import { create, createFileRegistry, fromBinary, toBinary, type DescMessage } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';

const scalars = {
  string: Type.STRING,
  bytes: Type.BYTES,
  bool: Type.BOOL,
  int32: Type.INT32,
  int64: Type.INT64,
  double: Type.DOUBLE,
} as const;

/** Number and type by name. `T[]` is repeated, `map T` is a map from string to T. */
type Fields = Readonly<Record<string, readonly [number, string]>>;

const messages = {
  ForwardBackwardRequest: {
    modelId: [1, 'string'],
    seqId: [2, 'int32'],
    data: [3, 'Datum[]'],
    lossFn: [4, 'string'],
    lossFnConfig: [5, 'map double'],
    forwardOnly: [6, 'bool'],
  },
  Datum: { modelInput: [1, 'Chunk[]'], lossFnInputs: [2, 'map Tensor'] },
  Chunk: { encodedText: [1, 'EncodedText'] },
  /** 32-bit integers. All numbers in bytes are little-endian. */
  EncodedText: { tokens: [1, 'bytes'] },
  Tensor: { dense: [1, 'bytes'], dtype: [3, 'int32'], shape: [4, 'int64[]'] },
  SampleResponse: {
    sequences: [1, 'SampledSequence[]'],
    /** 32-bit floats. NaN: the token has none. */
    promptLogprobs: [2, 'bytes'],
  },
  /** `stopReason`: 0 for a stop token, 1 for the length. */
  SampledSequence: { stopReason: [1, 'int32'], tokens: [2, 'bytes'], logprobs: [3, 'bytes'] },
  ForwardBackwardOutput: {
    lossFnOutputType: [1, 'string'],
    lossFnOutputs: [2, 'ArrayRecord[]'],
    metrics: [3, 'map double'],
  },
  /** The outputs of some datums that follow one another. */
  ArrayRecord: { typeTag: [1, 'string'], fields: [2, 'map BatchedTensor'], numDatums: [3, 'int64'] },
  /** `offsets`: 64-bit integers, in bytes of `data`; one more than there are datums. */
  BatchedTensor: {
    data: [1, 'bytes'],
    offsets: [2, 'bytes'],
    dtype: [3, 'int32'],
    trailingShape: [4, 'int64[]'],
  },
} satisfies Record<string, Fields>;

export type MessageName = keyof typeof messages;

/** The `dtype` of a tensor. Only results use the last two. */
export const dtypes = { float32: 1, int64: 2, int32: 3, bfloat16: 4 } as const;

const packageName = 'tinker_public';

const typeOf = (name: string) =>
  name in scalars
    ? { type: scalars[name as keyof typeof scalars] }
    : { type: Type.MESSAGE, typeName: `.${packageName}.${name}` };

function describe([message, fields]: readonly [string, Fields]) {
  const entries: { name: string; field: object[]; options: object }[] = [];
  const field = Object.entries(fields).map(([name, [number, type]]) => {
    const label = Label.OPTIONAL;
    if (type.endsWith('[]')) return { name, number, label: Label.REPEATED, ...typeOf(type.slice(0, -2)) };
    if (!type.startsWith('map ')) return { name, number, label, ...typeOf(type) };
    // A map is a list of messages with a key and a value.
    const entry = `${name[0]?.toUpperCase()}${name.slice(1)}Entry`;
    const key = { name: 'key', number: 1, label, type: Type.STRING };
    const value = { name: 'value', number: 2, label, ...typeOf(type.slice(4)) };
    entries.push({ name: entry, field: [key, value], options: { mapEntry: true } });
    return { name, number, label: Label.REPEATED, ...typeOf(`${message}.${entry}`) };
  });
  return { name: message, field, nestedType: entries };
}

const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: 'tinker_public.proto',
    package: packageName,
    syntax: 'proto3',
    messageType: Object.entries(messages).map(describe),
  }),
  () => undefined,
);

function descriptorOf(name: MessageName): DescMessage {
  const found = registry.getMessage(`${packageName}.${name}`);
  if (found === undefined) throw new Error(`There is no message ${name}.`);
  return found;
}

/** Returns the bytes of a message whose properties are those of the schema. */
export function encodeMessage(name: MessageName, value: Readonly<Record<string, unknown>>): Uint8Array {
  const descriptor = descriptorOf(name);
  return toBinary(descriptor, create(descriptor, value));
}

/** Parses a message. Unknown fields are ignored, missing ones have their default. Throws if the bytes are not a message. */
export function decodeMessage(name: MessageName, bytes: Uint8Array): unknown {
  return fromBinary(descriptorOf(name), bytes);
}
