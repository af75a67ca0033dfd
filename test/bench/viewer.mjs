/**
 * The built viewer in a browser, with the reader that serves it: a trace of 10,000 episodes and 100,000 calls, one of
 * them of 1,000,000 tokens, over one of ten episodes. With `--full` the large one has 2 GB. All are measured on one
 * tour through the viewer, which goes through either trace in turns.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { root } from '../tools/commands.mjs';
import { alternate, leastRuns } from './measure.mjs';
import { startTour } from './viewerTour.mjs';

const execute = promisify(execFile);

const full = process.argv.includes('--full');
const traces = {
  large: ['--episodes', '10000', '--longest', '1000000', ...(full ? ['--megabytes', '2000'] : [])],
  // As many tokens as a tour scrolls through.
  small: ['--episodes', '10', '--longest', '60000'],
  thousand: ['--episodes', '1000'],
};

async function make(folder, name) {
  const file = path.join(folder, `${name}.ajtrace`);
  await execute(process.execPath, [path.join(root, 'test/tools/traces/makeTrace.ts'), file, ...traces[name]]);
  return file;
}

let measured;

/** What each tour found, of both traces; measured once for all benches. */
function tours() {
  measured ??= (async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-viewer-'));
    const tour = await startTour();
    try {
      const [large, small] = [await make(folder, 'large'), await make(folder, 'small')];
      await tour.take(small); // the first finds all caches cold
      return await alternate(
        leastRuns,
        () => tour.take(large),
        () => tour.take(small),
      );
    } finally {
      await tour.end();
      await rm(folder, { recursive: true, force: true });
    }
  })();
  return measured;
}

const from = (name) => async () => {
  const { ours, baseline } = await tours();
  const samplesOf = (found) => found.map((sample) => sample[name]);
  return { ours: samplesOf(ours), baseline: samplesOf(baseline), note: perfetto };
};

const perfetto = 'Perfetto’s page is served by its own site only, so it is not measured beside ours';
const baselineName = 'the same in a trace of 10 episodes';
const size = full ? '2 GB' : '10,000 episodes';

async function measureFilter() {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-viewer-'));
  const tour = await startTour();
  try {
    const [large, thousand] = [await make(folder, 'large'), await make(folder, 'thousand')];
    const ask = await tour.filters(large);
    const askFewer = await tour.filters(thousand);
    return await alternate(leastRuns + 2, ask, askFewer);
  } finally {
    await tour.end();
    await rm(folder, { recursive: true, force: true });
  }
}

export const viewerBenches = [
  {
    name: 'viewer-paint',
    metric: `ms from the page’s address to the first rows of a run of ${size}, the reader freshly started`,
    baselineName,
    target: 2,
    measure: from('paint'),
  },
  {
    name: 'viewer-tokens',
    metric: `ms of script and layout per frame, 95th percentile, scrolling through 1,000,000 tokens of ${size}`,
    baselineName: 'the same through 60,000 tokens of 10 episodes',
    target: 1.3,
    measure: from('tokens'),
  },
  {
    name: 'viewer-axis',
    metric: `ms of script and layout per frame, 95th percentile, panning and zooming an episode’s time axis, ${size}`,
    baselineName,
    target: 1.3,
    measure: from('axis'),
  },
  {
    name: 'viewer-reader-memory',
    metric: `MB of the reader’s process after a tour through ${size}`,
    baselineName,
    target: 2,
    measure: from('reader'),
  },
  {
    name: 'viewer-page-memory',
    metric: `MB of the page’s JavaScript heap, collected, after a tour through ${size}`,
    baselineName,
    target: 2,
    measure: from('page'),
  },
  {
    name: 'viewer-filter',
    metric: 'ms of a filter over the 10,000 episodes of a run',
    baselineName: 'the same over 1,000 episodes',
    target: 12,
    measure: measureFilter,
  },
];
