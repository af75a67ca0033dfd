/** A hub on loopback with one data set, which speaks as much of the hub's API as is asked of it. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HubServer {
  readonly endpoint: string;
  /** Of every request, e.g. `/api/datasets/…`, with `bytes=…` where it asked for a range. */
  readonly asked: string[];
  /** Answers before the hub would; true: it has. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

export const commit = 'c0ffee0123456789c0ffee0123456789c0ffee01';

/** Serves these files of `id`; Parquet is in large file storage, which is elsewhere. */
export async function serveHub(
  id: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<HubServer> {
  const server: Server = createServer((request, response) => {
    const range = request.headers.range;
    hub.asked.push(`${request.url ?? ''}${range === undefined ? '' : ` ${range}`}`);
    if (!hub.before(request, response)) answer(id, files, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const hub: HubServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    before: () => false,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return hub;
}

function answer(
  id: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = decodeURIComponent((request.url ?? '').split('?')[0] ?? '');
  if (url === `/api/datasets/${id}/revision/main`) {
    response.end(JSON.stringify({ id, sha: commit, siblings: Object.entries(files).map(sibling) }));
    return;
  }
  const [, place, name = ''] = new RegExp(`^/(datasets/${id}/resolve/${commit}|lfs)/(.*)$`).exec(url) ?? [];
  const content = files[name];
  if (content === undefined) response.writeHead(404).end();
  else if (place !== 'lfs' && isLarge(name)) response.writeHead(302, { location: `/lfs/${name}` }).end();
  else sendRange(Buffer.from(content), request, response);
}

export function sendRange(bytes: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.writeHead(start > 0 ? 206 : 200, { 'content-length': bytes.length - start });
  response.end(bytes.subarray(start));
}

function isLarge(name: string): boolean {
  return name.endsWith('.parquet');
}

function sibling([rfilename, content]: [string, string | Uint8Array]): object {
  const bytes = Buffer.from(content);
  const blobId = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  const lfs = { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
  return { rfilename, size: bytes.length, blobId, ...(isLarge(rfilename) && { lfs }) };
}
