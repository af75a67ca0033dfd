import { CodedError } from '../../../base/core/errors.ts';

export const projectErrors = {
  alreadyThere: (folder: string): CodedError =>
    new CodedError({
      code: 'project/already-there',
      message: `There is already a folder ${folder}.`,
      hint: 'Open that folder, or choose another place.',
    }),
  cannotWrite: (folder: string, cause: unknown): CodedError =>
    new CodedError(
      {
        code: 'project/cannot-write',
        message: `${folder} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}.`,
        hint: 'Choose a place that is there and can be written to.',
      },
      { cause },
    ),
  badName: (name: string, why: string): CodedError =>
    new CodedError({
      code: 'project/bad-name',
      message: `"${name}" cannot be the name of a project: ${why}`,
      hint: 'Take letters, digits, _ and -, with a letter first, such as my_agent.',
    }),
};
