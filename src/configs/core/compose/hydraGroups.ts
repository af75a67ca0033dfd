/** The groups of Hydra's own configuration, each chosen once before any config's `defaults`, with what Hydra 1.3 ships. */
export const hydraGroups: ReadonlyMap<string, readonly string[]> = new Map([
  ['hydra/output', ['default']],
  ['hydra/launcher', ['basic']],
  ['hydra/sweeper', ['basic']],
  ['hydra/help', ['default']],
  ['hydra/hydra_help', ['default']],
  ['hydra/hydra_logging', ['default', 'disabled', 'hydra_debug', 'none']],
  ['hydra/job_logging', ['default', 'disabled', 'none', 'stdout']],
  ['hydra/callbacks', []],
  ['hydra/env', ['default']],
]);

/** The keys that Hydra's section has; it refuses others. */
export const hydraKeys: ReadonlySet<string> = new Set([
  'mode',
  'searchpath',
  'run',
  'sweep',
  'hydra_logging',
  'job_logging',
  'sweeper',
  'launcher',
  'callbacks',
  'help',
  'hydra_help',
  'output_subdir',
  'overrides',
  'job',
  'runtime',
  'verbose',
]);
