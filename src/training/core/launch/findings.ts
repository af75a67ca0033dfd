import type { Finding } from '../protocol/hostRpc.ts';

type MakeFinding = (id: string, message: string, details?: Pick<Finding, 'hint' | 'key'>) => Finding;
/** Functions that create findings of a preflight, by severity. */
export const error = ofSeverity('error');
export const warning = ofSeverity('warning');
export const info = ofSeverity('info');

function ofSeverity(severity: Finding['severity']): MakeFinding {
  return (id, message, details) => ({ id, severity, message, ...details });
}

/** Returns the hint for a variable that is missing. */
export function variableHint(name: string, isRay: boolean): string {
  return (
    `Send it with the run (in the editor with the setting \`agentjet.training.env\`, on a command line with ` +
    `\`--env ${name}\`), or set it in the environment of ${isRay ? 'the cluster nodes' : 'the host'}.`
  );
}
