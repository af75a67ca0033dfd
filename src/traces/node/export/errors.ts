import { CodedError } from '../../../base/core/errors.ts';

export const exportErrors = {
  overItself: (file: string) =>
    new CodedError({
      code: 'export/over-itself',
      message: 'A trace cannot be exported over itself.',
      location: { file },
      hint: 'Choose another name.',
    }),

  badFilter: (filter: string, what: string) =>
    new CodedError({
      code: 'export/bad-filter',
      message: `"${filter}" is not a valid episode filter: ${what}.`,
      hint: 'Use the syntax of the viewer’s filter, for example: group=3, episode=12, reward<0 agent:solver.',
    }),

  cancelled: (file: string) =>
    new CodedError({
      code: 'export/cancelled',
      message: 'The export was canceled. No file was written.',
      location: { file },
    }),

  cannotWrite: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'export/cannot-write',
        message: `The export cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
        location: { file },
        hint: 'Choose a folder that is writable and has free space.',
      },
      { cause },
    ),
};
