import { CodedError, messageOf } from '../../../base/core/errors.ts';

export const projectErrors = {
  alreadyThere: (folder: string): CodedError =>
    new CodedError({
      code: 'project/already-there',
      message: `The folder ${folder} already exists.`,
      hint: 'Open that folder, or choose another name or parent folder.',
    }),
  cannotWrite: (folder: string, cause: unknown): CodedError =>
    new CodedError({
      code: 'project/cannot-write',
      message: `The folder ${folder} cannot be created: ${messageOf(cause)}.`,
      hint: 'Choose an existing parent folder with write access.',
      cause,
    }),
  badName: (name: string, why: string): CodedError =>
    new CodedError({
      code: 'project/bad-name',
      message: `"${name}" is not a valid project name. ${why}`,
      hint: 'Use letters, digits, _ and -, and begin with a letter, for example my_agent.',
    }),
};
