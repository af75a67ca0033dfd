/**
 * Configs in the editor: ours beside `yaml-language-server`, over the same documents and versions of them, warm, in
 * turns. Validation is everything up to the findings; hover and completion ask of a document that has been validated.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { cleanConfig, corruptSamples } from './configCorrupt.mjs';
import { configSamples, keysIn, placesIn } from './configSamples.mjs';
import { alternate } from './measure.mjs';

const execute = promisify(execFile);

/** Samples of each side: what is quickly done is done more often, as it is more easily disturbed. */
const leastRuns = 15;
const mostRuns = 75;
/** Both sides are asked again and again for so long before anything is measured. */
const warmUpMilliseconds = 2_000;
/** Places of one sample: what one costs depends on where it is. */
const places = 6;
const heapRuns = 7;
const corruptRuns = 9;

/** What is done to a document, how often in a sample, and how much of the peer's time it may take. */
const acts = [
  { name: 'open', metric: 'ms to validate a document just opened', target: 1, sample: openOnce },
  { name: 'edit', metric: 'ms to validate after an edit of one character', target: 1, sample: editHere },
  { name: 'hover', metric: 'ms of a hover over a key', target: 1 / 5, sample: hoverHere },
  { name: 'complete', metric: 'ms of a completion at a key', target: 1 / 5, sample: completeHere },
];

/** Below this many lines, either side takes less than 5 ms, which no user feels. */
const shortLines = 200;
const shortTarget = 1.25;

export const configBenches = [
  ...acts.flatMap((act) => configSamples().map((sample) => benchOf(act, sample))),
  ...corruptSamples.map(corruptBench),
  {
    name: 'config-heap',
    metric: 'MB of heap after 1,000 edits, validated each, and a collection',
    baselineName: 'the same before the edits',
    target: 1.2,
    measure: measureHeap,
  },
];

function benchOf(act, { name, text }) {
  const lines = text.split('\n').length - 1;
  const bench = {
    name: `config-${act.name}-${name}`,
    metric: `${act.metric}, ${lines} lines`,
    baselineName: 'yaml-language-server',
    target: act.target === 1 && lines < shortLines ? shortTarget : act.target,
    measure: async () => {
      const { OurSide } = await import('./configOurs.mjs');
      const { PeerSide, peerName } = await import('./configPeer.mjs');
      bench.baselineName = peerName;
      const [ours, peer] = [new OurSide(), new PeerSide()];
      await Promise.all([ours.open(text), peer.open(text)]);
      const start = performance.now();
      let pairs = 0;
      for (; performance.now() - start < warmUpMilliseconds; pairs++) {
        await act.sample(ours, text);
        await act.sample(peer, text);
      }
      return alternate(
        Math.min(Math.max(pairs, leastRuns), mostRuns),
        () => act.sample(ours, text),
        () => act.sample(peer, text),
      );
    },
  };
  return bench;
}

/** Against ourselves: what a text is made of may not cost much more than its length does. */
function corruptBench({ name, text }) {
  return {
    name: `config-corrupt-${name}`,
    metric: `ms to validate ${Math.round(text.length / 1_000)} thousand characters of a broken config`,
    baselineName: 'a whole one that is as long',
    target: 15,
    measure: async () => {
      const { OurSide } = await import('./configOurs.mjs');
      const side = new OurSide();
      const clean = cleanConfig(text.length);
      const sides = [() => openOnce(side, text), () => openOnce(side, clean)];
      const start = performance.now();
      while (performance.now() - start < warmUpMilliseconds / 2) for (const sample of sides) await sample();
      return alternate(corruptRuns, ...sides);
    },
  };
}

async function openOnce(side, text) {
  return timeOf(() => side.open(text));
}

async function editHere(side, text) {
  let total = 0;
  for (const at of placesIn(text, places)) {
    const changed = `${text.slice(0, at)}x${text.slice(at)}`;
    total += await timeOf(() => side.edit(changed));
    total += await timeOf(() => side.edit(text));
  }
  return total / (2 * places);
}

async function hoverHere(side, text) {
  let total = 0;
  for (const at of keysIn(text, places)) total += await timeOf(() => side.hover(at));
  return total / places;
}

async function completeHere(side, text) {
  let total = 0;
  for (const at of keysIn(text, places)) total += await timeOf(() => side.complete(at));
  return total / places;
}

async function timeOf(act) {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** Each run in a process of its own, with our side alone. */
async function measureHeap() {
  const samples = { ours: [], baseline: [] };
  for (let run = 0; run < heapRuns; run++) {
    const program = path.join(import.meta.dirname, 'configHeap.mjs');
    const { stdout } = await execute(process.execPath, ['--expose-gc', program]);
    const { before, after } = JSON.parse(stdout);
    samples.ours.push(after);
    samples.baseline.push(before);
  }
  return samples;
}
