/**
 * Starts a Python that hangs and prints, as JSON, what it is told: `startsWorker.ts PYTHON FOLDER-OF-THE-WORKER`. Minutes
 * pass at once when the interpreter has begun, which a file `begun` in the working directory tells.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { toReport } from '../../../src/base/core/errors.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { startWorker } from '../../../src/backbone/node/python/worker.ts';

const [executable = '', folder = ''] = process.argv.slice(2);

const clock = {
  ...systemClock,
  // Time enough for Python to tell its stack on any machine.
  after: (milliseconds: number, run: () => void) => systemClock.after(10 * milliseconds, run),
  monotonic: () => performance.now() * 1000,
  every: (milliseconds: number, run: () => void) =>
    systemClock.every(milliseconds / 1000, () => {
      if (existsSync('begun')) run();
    }),
};

try {
  await startWorker({
    executable,
    folder,
    clock,
    cwd: process.cwd(),
    begin: { path: [process.cwd()], package: 'bundled', plugins: [], debug: false, debugpy: [] },
    answer: () => undefined,
    onUncaught: () => undefined,
    onMissing: () => undefined,
    onDebugger: () => undefined,
  });
} catch (error) {
  process.stdout.write(JSON.stringify(toReport(error, 'test/other')));
}
