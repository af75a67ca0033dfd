import type { RunLauncher } from '../debug/runLauncher.ts';
import { startBackbone, type BackboneLaunch } from './process/backboneChannel.ts';

export interface RunLauncherParts {
  /** The backbone's script, absolute. */
  readonly script: string;
  /** The Node that runs it; `setting` is what the user asked for. Rejects with a `CodedError` when there is none. */
  readonly chooseRuntime: (setting: string | undefined) => Promise<BackboneLaunch['runtime']>;
}

/** Starts the runs of debug sessions as backbone processes. */
export function createRunLauncher({ script, chooseRuntime }: RunLauncherParts): RunLauncher {
  return {
    launch: async ({ runtimeExecutable, ...spec }) =>
      startBackbone({ ...spec, script, runtime: await chooseRuntime(runtimeExecutable) }),
  };
}
