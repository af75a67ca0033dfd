/**
 *   npm run bench -- [--only NAME,…] [--json] [--full]
 *
 * Every bench beside its peer or floor, as a ratio. A name also stands for those that begin with it, as `trace` does
 * for `trace-write` and `trace-open`. With --json stdout is one document; progress goes to stderr. With
 * --full benches that have a larger variant, such as the viewer's trace of 2 GB, measure that.
 *
 * Exit code 0: all are within their targets; 1: one is not; 2: one could not be run, which does not keep the others
 * from it; its row in the document has `notRun`, the reason, in place of numbers.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { configBenches } from './config.mjs';
import { f5Benches } from './f5.mjs';
import { firstUseBenches } from './firstUse.mjs';
import { gatewayBenches } from './gateway.mjs';
import { resultOrReason } from './measure.mjs';
import { mergeBenches } from './merge.mjs';
import { rolloutBenches } from './rollout.mjs';
import { rolloutPythonBenches } from './rolloutPython.mjs';
import { streamBenches } from './stream.mjs';
import { syncBenches } from './sync.mjs';
import { traceBenches } from './trace.mjs';
import { trackBenches } from './track.mjs';
import { trainBenches } from './train.mjs';
import { viewerBenches } from './viewer.mjs';

const benches = [
  ...configBenches,
  ...f5Benches,
  ...firstUseBenches,
  ...gatewayBenches,
  ...mergeBenches,
  ...rolloutBenches,
  ...rolloutPythonBenches,
  ...streamBenches,
  ...syncBenches,
  ...traceBenches,
  ...trackBenches,
  ...trainBenches,
  ...viewerBenches,
];

function chosen(only) {
  if (only === undefined) return benches;
  const names = only.split(',').map((name) => name.trim());
  const isNamed = (bench, name) => bench.name === name || bench.name.startsWith(`${name}-`);
  const unknown = names.filter((name) => !benches.some((bench) => isNamed(bench, name)));
  if (unknown.length > 0) {
    throw new Error(
      `No bench ${unknown.join(', ')}. There are: ${benches.map(({ name }) => name).join(', ')}.`,
    );
  }
  return benches.filter((bench) => names.some((name) => isNamed(bench, name)));
}

function row(result) {
  const { bench, metric, notRun } = result;
  return notRun === undefined ? measuredRow(result) : `FAIL  ${bench}: not run; ${metric}: ${notRun}`;
}

function measuredRow({
  bench,
  metric,
  ours,
  baseline,
  baselineName,
  ratio,
  target,
  pass,
  note,
  ...quartiles
}) {
  const side = (median, [lower, upper]) => `${shown(median)} (${shown(lower)}–${shown(upper)})`;
  return `${pass ? 'pass' : 'FAIL'}  ${bench}: ${ratio} (target ${target}); ${metric}: ours ${side(ours, quartiles.oursQuartiles)}, ${baselineName} ${side(baseline, quartiles.baselineQuartiles)}${note === undefined ? '' : `; ${note}`}`;
}

function shown(value) {
  return value < 100 ? String(Number(value.toPrecision(3))) : value.toFixed(0);
}

async function main() {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, json: { type: 'boolean' }, full: { type: 'boolean' } },
  });
  const results = [];
  for (const bench of chosen(values.only)) {
    process.stderr.write(`${bench.name} …\n`);
    const result = await resultOrReason(bench);
    results.push(result);
    process.stderr.write(`${row(result)}\n`);
  }
  if (values.json === true) process.stdout.write(`${JSON.stringify({ results }, null, 2)}\n`);
  if (results.some(({ pass }) => !pass)) process.exitCode = 1;
  if (results.some(({ notRun }) => notRun !== undefined)) process.exitCode = 2;
}

await main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
