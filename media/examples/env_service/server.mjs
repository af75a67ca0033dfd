/**
 * The service's HTTP side: every request is a POST of one JSON object to /<endpoint>. Start it with
 *
 *     node server.mjs [port]
 *
 * It prints when an instance is made and when it is released.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { ShopService } from './service.ts';

const port = Number(process.argv[2] ?? 8093);
const stock = JSON.parse(readFileSync(new URL('data/shop.json', import.meta.url), 'utf8'));
const service = new ShopService(stock, (line) => console.log(line));

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part) => (body += part));
  request.on('end', () => {
    const { status, value } = service.answer((request.url ?? '').split('/').at(-1) ?? '', body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });
});

server.listen(port, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
