/**
 * Where AgentJet's logger (beast-logger) writes each episode with its tokens, in the launcher's working folder:
 * `saved_experiments/EXPERIMENT/TIME/MACHINE/rollout/rollout.json.log` (`MACHINE_PID` of further processes), at 100 MB set aside under
 * the time when it was begun.
 */
export const rolloutLogs = 'saved_experiments';
const parts = [/^saved_experiments$/, /./, /./, /./, /^rollout$/, /^rollout\.json(?:\.[^/]+)?\.log$/];

export function isRolloutLog(path: string): boolean {
  return path.split('/').length === parts.length && mayHoldRolloutLog(path);
}

/** Whether such a log may be below. */
export function mayHoldRolloutLog(path: string): boolean {
  return path.split('/').every((name, at) => parts[at]?.test(name) === true);
}
