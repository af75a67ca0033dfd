import { CodedError } from '../../base/errors.ts';

export const pythonErrors = {
  notFound: (executable: string, cause: unknown): CodedError =>
    new CodedError(
      {
        code: 'python/not-found',
        message: `${executable} cannot be started: ${cause instanceof Error ? cause.message : String(cause)}.`,
        hint: 'Install Python 3.10 or later, or name one: --python FILE (launch.json: python).',
      },
      { cause },
    ),
  didNotStart: (executable: string, how: string): CodedError =>
    new CodedError({
      code: 'python/did-not-start',
      message: `${executable} ended before it was ready: ${how}.`,
      hint: 'What it printed says why. Python 3.10 or later is needed: --python FILE (launch.json: python) names another.',
    }),
  died: (how: string): CodedError =>
    new CodedError({
      code: 'python/died',
      message: `The Python process of the run ended in the midst of it: ${how}.`,
      hint: 'Something in it ended the process (os._exit, a signal, a crash of native code); what it printed last may tell. Episodes that come after get a new one.',
    }),
};
