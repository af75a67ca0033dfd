/**
 * The folder of AgentJet's logger (beast-logger) in the launcher's working folder. It writes each episode with its
 * tokens to `saved_experiments/EXPERIMENT/TIME/MACHINE/rollout/rollout.json.log` (`MACHINE_PID` for further
 * processes). At 100 MB it renames the file with its start time.
 */
export const rolloutLogs = 'saved_experiments';
const parts = [/^saved_experiments$/, /./, /./, /./, /^rollout$/, /^rollout\.json(?:\.[^/]+)?\.log$/];

export function isRolloutLog(path: string): boolean {
  return path.split('/').length === parts.length && mayHoldRolloutLog(path);
}

/** Returns true if a rollout log may be at or below this path. */
export function mayHoldRolloutLog(path: string): boolean {
  return path.split('/').every((name, at) => parts[at]?.test(name) === true);
}
