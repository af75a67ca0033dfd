/** `FILE EPISODE`: opens a trace, reads one episode of it as a viewer would, and tells the milliseconds that took. */
import process from 'node:process';
import { openTraceReader } from '../../src/traces/node/store/openReader.ts';

const [file, number] = process.argv.slice(2);
const episode = Number(number);

const start = performance.now();
const reader = openTraceReader(file);
const { ended, timelines, ids } = reader.read((views) => {
  views.episodes(0, 50);
  const content = views.episode(episode);
  views.call(episode, content.calls.length - 1);
  views.timeline(episode, 0);
  return {
    ended: views.run().totals.ended,
    timelines: content.timelines,
    ids: views.tokens.window(episode, 0, 0, 8_192).ids,
  };
});
const milliseconds = performance.now() - start;
reader.close();

if (ended === 0 || timelines.length !== 1 || ids.length !== 8_192) {
  throw new Error('The trace does not have what it should.');
}
process.stdout.write(String(milliseconds));
