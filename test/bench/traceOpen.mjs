/** `FILE EPISODE`: opens a trace, reads one episode of it as a viewer would, and tells the milliseconds that took. */
import process from 'node:process';
import { openTraceReader } from '../../src/traces/node/store/openReader.ts';

const [file, number] = process.argv.slice(2);
const episode = Number(number);

const start = performance.now();
const reader = openTraceReader(file);
const run = reader.run();
reader.episodes(0, 50);
const { timelines, calls } = reader.episode(episode);
reader.call(episode, calls.length - 1);
reader.timeline(episode, 0);
const { ids } = reader.tokens(episode, 0, 0, 8_192);
const milliseconds = performance.now() - start;
reader.close();

if (run.totals.ended === 0 || timelines.length !== 1 || ids.length !== 8_192) {
  throw new Error('The trace does not have what it should.');
}
process.stdout.write(String(milliseconds));
