import { CodedError } from '../../../base/core/errors.ts';

export const clientErrors = {
  died: (how: string) =>
    new CodedError({
      code: 'trace/server-died',
      message: `The trace server ended before it answered: ${how}.`,
      hint: 'Try again: the next request starts it again. Its messages are in the AgentJet log.',
    }),

  notTrusted: () =>
    new CodedError({
      code: 'trace/not-trusted',
      message: 'The workspace is not trusted, so AgentJet reads no traces.',
      hint: 'Trust the workspace ("Workspaces: Manage Workspace Trust"), and open the trace again.',
    }),

  cannotStart: (executable: string, cause: unknown) =>
    new CodedError({
      code: 'trace/server-cannot-start',
      message: `The trace server could not be started with ${executable}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      hint: 'Check "agentjet.runtimeExecutable".',
      cause,
    }),

  noViewer: (said: string) =>
    new CodedError({
      code: 'trace/no-viewer',
      message: `The viewer could not be opened: ${said}`,
    }),

  disposed: () =>
    new CodedError({ code: 'trace/client-disposed', message: 'The trace server has been shut down.' }),
};
