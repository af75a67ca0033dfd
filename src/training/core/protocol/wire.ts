/**
 * The wire between a client and a GPU host: one WebSocket. Text frames are JSON-RPC 2.0: requests of the client, answers
 * and notifications of the host; no batches. Binary frames are chunks of transfers that a request opened, in either
 * direction. The token goes in the `Authorization: Bearer` header of the upgrade, never into the address.
 */
import * as z from 'zod/mini';
import type { ErrorReport } from '../../../base/core/errors.ts';

/** The WebSocket subprotocol: a host that does not name it in its answer is none. */
export const wireSubprotocol = 'agentjet-host';
/** Versions this code speaks; `hello` agrees on the highest that both sides do. */
export const wireVersions = { min: 1, max: 1 } as const;
/** The path of the upgrade; everything else is 404. */
export const wirePath = '/agentjet';

export const wireLimits = {
  /** Bytes of a text frame, either way. */
  message: 4 * 1024 * 1024,
  /** Bytes of what a chunk carries. */
  chunk: 256 * 1024,
  /** Requests of one client that are not answered yet. */
  pending: 64,
  /** Transfers that one client has open. */
  transfers: 32,
  /** Bytes that wait to be sent to one client before the host stops to read for it. */
  buffered: 64 * 1024,
  /** Seconds between two heartbeats (WebSocket pings, both sides); three that fail end the connection. */
  heartbeat: 10,
  /** Seconds a client may take from the upgrade to its `hello`. */
  hello: 10,
} as const;

/** Why a host closed the connection; from 4000 on the codes are the application's. */
export const closeCodes = {
  /** It is being stopped; come back. */
  goingAway: 1001,
  /** What was sent is no message of this protocol. */
  malformed: 4400,
  /** The token was taken back while the connection was open. */
  unauthorized: 4401,
  noHello: 4408,
  tooMuch: 4413,
  versions: 4426,
  tooFast: 4429,
} as const;

export const rpcId = z.int().check(z.nonnegative());

/** A request before its method's parameters are looked at. */
export const rpcRequest = z.object({
  jsonrpc: z.literal('2.0'),
  id: rpcId,
  method: z.string().check(z.maxLength(64)),
  params: z.optional(z.record(z.string(), z.unknown())),
});
export type RpcRequest = z.infer<typeof rpcRequest>;

const location = z.object({
  file: z.string(),
  line: z.optional(z.int()),
  column: z.optional(z.int()),
});
export const rpcErrorReport: z.ZodMiniType<ErrorReport> = z.object({
  code: z.string(),
  message: z.string(),
  location: z.optional(location),
  hint: z.optional(z.string()),
  stack: z.optional(z.string()),
});

/** What comes from a host: an answer, a refusal (`data` has the report for people) or a notification. */
export const rpcFromHost = z.union([
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.nullable(rpcId),
    error: z.object({ code: z.int(), message: z.string(), data: z.optional(rpcErrorReport) }),
  }),
  z.object({ jsonrpc: z.literal('2.0'), id: rpcId, result: z.unknown() }),
  z.object({ jsonrpc: z.literal('2.0'), method: z.string(), params: z.unknown() }),
]);
export type RpcFromHost = z.infer<typeof rpcFromHost>;

/** JSON-RPC 2.0's numbers; every other failure is `application`, told apart by `data.code`. */
export const rpcErrors = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  application: -32_000,
} as const;

const headerBytes = 12;

/** A piece of a transfer. An empty one ends it. */
export interface Chunk {
  /** As the request that opened the transfer told it; counts per connection. */
  readonly transfer: number;
  /** Bytes of the transfer before this piece. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** 4 bytes transfer, 8 bytes offset, both big-endian, then what it carries. */
export function encodeChunk({ transfer, offset, bytes }: Chunk): Uint8Array {
  const frame = new Uint8Array(headerBytes + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, transfer);
  view.setBigUint64(4, BigInt(offset));
  frame.set(bytes, headerBytes);
  return frame;
}

/** Undefined: it is no chunk. The bytes are a view of the frame's. */
export function decodeChunk(frame: Uint8Array): Chunk | undefined {
  if (frame.length < headerBytes || frame.length > headerBytes + wireLimits.chunk) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const offset = view.getBigUint64(4);
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return { transfer: view.getUint32(0), offset: Number(offset), bytes: frame.subarray(headerBytes) };
}
