import { CodedError } from '../../../base/core/errors.ts';

export const serverErrors = {
  badRequest: (why: string) =>
    new CodedError({
      code: 'trace/bad-request',
      message: `The trace server received an invalid request: ${why}.`,
      hint: 'Reload the viewer. The viewer and the server must have the same version.',
    }),

  cannotListen: (port: number, cause: Error) =>
    new CodedError({
      code: 'trace/cannot-listen',
      message: `The viewer cannot listen on 127.0.0.1:${port}: ${cause.message}.`,
      hint: 'Choose another port with --port, or omit --port to use any free port.',
      cause,
    }),

  noSuchTrace: (file: string) =>
    new CodedError({
      code: 'trace/no-such-file',
      message: `The trace ${file} does not exist.`,
      hint: 'Specify an .ajtrace file. Each run writes one into its folder below saved_experiments.',
    }),

  wrongUse: (message: string) => new CodedError({ code: 'trace/usage', message }),
};
