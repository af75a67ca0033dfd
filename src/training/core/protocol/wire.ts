/**
 * The protocol between a client and a GPU host: one WebSocket. Text frames are JSON-RPC 2.0: requests of the client,
 * answers and notifications of the host, and no batches. Binary frames are chunks of transfers in either direction.
 * With TLS, the token is sent in the `Authorization: Bearer` header of the upgrade, never in the address. Without TLS, both
 * sides prove that they know it: see `node/tokenProof`.
 */
import * as z from 'zod/mini';
import { errorReport } from '../../../base/core/errorReport.ts';

/** The WebSocket subprotocol, which every host names in its answer. */
export const wireSubprotocol = 'agentjet-host';
/** The supported versions. `hello` selects the highest that both sides support. */
export const wireVersions = { min: 1, max: 1 } as const;
/** The path of the upgrade; everything else is 404. */
export const wirePath = '/agentjet';

export const wireLimits = {
  /** Bytes of a text frame. */
  message: 4 * 1024 * 1024,
  /** Bytes of the content of a chunk. */
  chunk: 256 * 1024,
  /** Unanswered requests of one client. */
  pending: 64,
  /** Unanswered calls of Tinker servers of one client, which can wait for a result. They do not count as pending. */
  calls: 256,
  /** Open transfers of one client. */
  transfers: 32,
  /** Bytes that wait to be sent to one client before the host pauses its streams. */
  buffered: 64 * 1024,
  /** Seconds between heartbeats (WebSocket pings from both sides). After three failures the connection ends. */
  heartbeat: 10,
  /** Seconds a client may take from the upgrade to its `hello`. */
  hello: 10,
} as const;

/** Reasons why a host closes the connection. Codes from 4000 are defined by the application. */
export const closeCodes = {
  /** The host stops. Clients reconnect. */
  goingAway: 1001,
  /** The message does not follow this protocol. */
  malformed: 4400,
  /** The token was revoked while the connection was open. */
  unauthorized: 4401,
  noHello: 4408,
  versions: 4426,
  tooFast: 4429,
} as const;

export const rpcId = z.int().check(z.nonnegative());

/** A request whose parameters are not checked yet. */
export const rpcRequest = z.object({
  jsonrpc: z.literal('2.0'),
  id: rpcId,
  method: z.string().check(z.maxLength(64)),
  params: z.optional(z.record(z.string(), z.unknown())),
});
export type RpcRequest = z.infer<typeof rpcRequest>;

/** A message of a host: an answer, an error (`data` has the report for users) or a notification. */
export const rpcFromHost = z.union([
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.nullable(rpcId),
    error: z.object({ code: z.int(), message: z.string(), data: z.optional(errorReport) }),
  }),
  z.object({ jsonrpc: z.literal('2.0'), id: rpcId, result: z.unknown() }),
  z.object({ jsonrpc: z.literal('2.0'), method: z.string(), params: z.unknown() }),
]);
export type RpcFromHost = z.infer<typeof rpcFromHost>;

/** Error codes of JSON-RPC 2.0. Any other failure is `application`, and `data.code` identifies it. */
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
  /** The id of the transfer from the request that opened it, per connection. */
  readonly transfer: number;
  /** Bytes of the transfer before this piece. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Encodes a chunk: 4 bytes transfer and 8 bytes offset, both big-endian, then the content. */
export function encodeChunk({ transfer, offset, bytes }: Chunk): Uint8Array {
  const frame = new Uint8Array(headerBytes + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, transfer);
  view.setBigUint64(4, BigInt(offset));
  frame.set(bytes, headerBytes);
  return frame;
}

/** Decodes a chunk, or returns undefined if the frame is not one. Its bytes are a view of the frame. */
export function decodeChunk(frame: Uint8Array): Chunk | undefined {
  if (frame.length < headerBytes || frame.length > headerBytes + wireLimits.chunk) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const offset = view.getBigUint64(4);
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return { transfer: view.getUint32(0), offset: Number(offset), bytes: frame.subarray(headerBytes) };
}
