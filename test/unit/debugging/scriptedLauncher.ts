import path from 'node:path';
import process from 'node:process';
import type { RunLauncher, RunProcess, RunSpec } from '../../../src/backbone/node/client/runLauncher.ts';
import { startBackbone } from '../../../src/backbone/node/process/backboneChannel.ts';

export const fixtures = path.resolve(import.meta.dirname, '../../fixtures/dap');

/** Starts the scripted process of the fixtures where a run's would be; `processes` are those it has started. */
export class ScriptedLauncher implements RunLauncher {
  readonly processes: RunProcess[] = [];

  async launch({ runtimeExecutable = process.execPath, ...spec }: RunSpec): Promise<RunProcess> {
    const run = await startBackbone({
      ...spec,
      runtime: { executable: runtimeExecutable, env: {} },
      script: path.join(fixtures, 'scripted.mjs'),
    });
    this.processes.push(run);
    return run;
  }
}
