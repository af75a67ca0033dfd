import { CodedError } from '../../../base/core/errors.ts';

export const serverErrors = {
  badRequest: (why: string) =>
    new CodedError({
      code: 'trace/bad-request',
      message: `The trace server got a request that it does not understand: ${why}.`,
      hint: 'Reload the viewer; it and the server must be of the same version.',
    }),

  cannotListen: (port: number, cause: Error) =>
    new CodedError(
      {
        code: 'trace/cannot-listen',
        message: `The viewer cannot listen on 127.0.0.1:${port}: ${cause.message}.`,
        hint: 'Choose another port with --port, or leave it out to have a free one taken.',
      },
      { cause },
    ),

  noSuchTrace: (file: string) =>
    new CodedError({
      code: 'trace/no-such-file',
      message: `The trace ${file} does not exist.`,
      hint: 'Name an .ajtrace file; each run leaves one in its folder below saved_experiments.',
    }),

  wrongUse: (message: string) => new CodedError({ code: 'trace/usage', message }),
};
