import path from 'node:path';
import process from 'node:process';
import type { Logger } from '../../base/core/ports.ts';
import type { RunLauncher } from './client/runLauncher.ts';
import { startBackbone } from './process/backboneChannel.ts';
import { chooseRuntime, describeRuntime } from '../../base/node/runtime/chooseRuntime.ts';
import { createProbe } from '../../base/node/runtime/probe.ts';

export interface RunLauncherParts {
  /** The folder of our own bundles, absolute. */
  readonly distFolder: string;
  /** The editor's own executable, or this process's: it runs workflows where PATH has no Node that will do. */
  readonly ownExecutable: string;
  /** Hears which Node was chosen. */
  readonly logger?: Logger;
}

/** Starts runs, those of debug sessions and of the command line alike, as backbone processes. */
export function createRunLauncher({ distFolder, ownExecutable, logger }: RunLauncherParts): RunLauncher {
  const script = path.join(distFolder, 'backbone.mjs');
  const probe = createProbe();
  return {
    launch: async ({ runtimeExecutable, ...spec }) => {
      const runtime = await chooseRuntime({
        setting: runtimeExecutable,
        path: process.env['PATH'] ?? '',
        editorExecPath: ownExecutable,
        platform: process.platform,
        probe,
      });
      logger?.log('info', describeRuntime(runtime));
      return startBackbone({ ...spec, script, runtime });
    },
  };
}
