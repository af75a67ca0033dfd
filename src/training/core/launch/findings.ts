import type { Finding } from '../protocol/hostRpc.ts';

type MakeFinding = (id: string, message: string, details?: Pick<Finding, 'hint' | 'key'>) => Finding;
/** Functions that create findings of a preflight, by severity. */
export const error = ofSeverity('error');
export const warning = ofSeverity('warning');
export const info = ofSeverity('info');

function ofSeverity(severity: Finding['severity']): MakeFinding {
  return (id, message, details) => ({ id, severity, message, ...details });
}
