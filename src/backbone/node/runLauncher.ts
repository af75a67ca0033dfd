import path from 'node:path';
import process from 'node:process';
import type { Logger } from '../../base/core/ports.ts';
import type { RunLauncher } from './client/runLauncher.ts';
import { startBackbone } from './process/backboneChannel.ts';
import { chooseRuntime, describeRuntime } from '../../base/node/runtime/chooseRuntime.ts';
import { createProbe } from '../../base/node/runtime/probe.ts';

export interface RunLauncherParts {
  /** The absolute folder of AgentJet's bundles. */
  readonly distFolder: string;
  /** The executable of the editor or of this process. It runs workflows if PATH has no suitable Node.js. */
  readonly ownExecutable: string;
  /** Logs which Node.js was chosen. */
  readonly logger?: Logger;
}

/** Starts backbone processes, for debug sessions and the command line. */
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
