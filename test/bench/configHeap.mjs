/** Tells the megabytes of heap before and after 1,000 edits of the longest config, each of them validated. */
import process from 'node:process';
import { configSamples, placesIn } from './configSamples.mjs';
import { OurSide } from './configOurs.mjs';

const edits = 1_000;

const { text } = configSamples().at(-1);
const side = new OurSide();
await side.open(text);
// The first edits make what is made once, compiled code included.
await edit(200);
const before = heap();
await edit(edits);
process.stdout.write(JSON.stringify({ before, after: heap() }));

async function edit(count) {
  for (const [index, at] of placesIn(text, count).entries()) {
    await side.edit(`${text.slice(0, at)}${'xy'.charAt(index % 2)}${text.slice(at)}`);
  }
}

function heap() {
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1_000_000;
}
