/** A server with the URLs of the model hub for files of models. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Hub {
  readonly address: string;
  close(): void;
}

/** @param files by URL path, e.g. `/Qwen/Qwen2.5-7B/resolve/main/tokenizer.json`. Other paths get status 404. */
export async function startHub(files: Readonly<Record<string, Buffer>>): Promise<Hub> {
  const server = createServer((request, response) => {
    const file = files[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else response.setHeader('content-length', file.length).end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
