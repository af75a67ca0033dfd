/**
 * A Tinker server for tests of a host: it prints what it was started with, waits for the file `go` in its data folder, and then
 * answers each request with the request's path. A path with `slow` has no answer before the file `answer` is there.
 *
 *   node scriptedTinker.ts PORT MODEL DATA
 */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import process from 'node:process';

const [port = '', model = '', data = ''] = process.argv.slice(2);
console.log(`serves ${model} on GPUs ${process.env['CUDA_VISIBLE_DEVICES'] ?? 'unknown'}`);

const whenThere = (name: string, then: () => void): void => {
  const timer = setInterval(() => {
    if (!existsSync(path.join(data, name))) return;
    clearInterval(timer);
    then();
  }, 20);
};

const server = createServer((request, response) => {
  const url = request.url ?? '';
  console.log(`asked ${url}`);
  const answer = (): void => void response.end(JSON.stringify({ url, pid: process.pid }));
  if (url.includes('slow')) whenThere('answer', answer);
  else answer();
});
whenThere('go', () => server.listen(Number(port), '127.0.0.1'));
