import { fileURLToPath } from 'node:url';
import process from 'node:process';
import type { BackboneLaunch } from '../../../../../src/backbone/node/process/backboneChannel.ts';

/** How to start programs/backbone.ts in a scenario of its. */
export function launchOf(scenario: string): BackboneLaunch {
  return {
    runtime: { executable: process.execPath, env: {} },
    runtimeArgs: [],
    script: fileURLToPath(new URL('backbone.ts', import.meta.url)),
    request: {
      protocol: 1,
      config: '/somewhere/agent.yaml',
      cwd: process.cwd(),
      model: { kind: 'embedded' },
      split: 'training',
      allowEnvironment: true,
    },
    inspect: false,
    env: { SCENARIO: scenario },
  };
}
