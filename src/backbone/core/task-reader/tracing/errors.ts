import { CodedError, type Location } from '../../../../base/core/errors.ts';

export const tracingErrors = {
  noDatabase: (file: string, location: Location) =>
    new CodedError({
      code: 'task-reader/no-database',
      message: `The database ${file} does not exist.`,
      location,
      hint: 'Despite its name, base_url is the path of the SQLite file of AgentScope Studio; correct it.',
    }),

  unreadable: (file: string, cause: unknown, location: Location) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const lacksTable = /no such (table|column)/i.test(reason);
    return new CodedError(
      {
        code: lacksTable ? 'task-reader/no-spans' : 'task-reader/unreadable-database',
        message: lacksTable
          ? `The database ${file} holds no traces of AgentScope Studio: ${reason}.`
          : `The database ${file} cannot be read: ${reason}.`,
        location,
        hint: lacksTable
          ? 'Name the file that Studio writes, with a table span_table that has the columns name and attributes; later versions of Studio write another one.'
          : 'Name a SQLite file that you may read and that is whole; copy it while Studio is stopped.',
      },
      { cause },
    );
  },

  fatalSpans: (
    count: number,
    all: number,
    first: { readonly row: number; readonly reason: string },
    location: Location,
  ) =>
    new CodedError({
      code: 'task-reader/spans-end-training',
      message: `Training ends with an error at ${count} of the ${all} traced replies, which are left out here; the first is number ${first.row}: ${first.reason}.`,
      location,
      hint: 'Most often a reply holds both kinds of quotes, which AgentJet does not read; delete those rows of span_table before training.',
    }),

  nothingLeft: (traced: number, location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message:
        traced === 0
          ? 'The database has no traced reply with a question and an answer.'
          : `None of the ${traced} traced tasks is left after the filters.`,
      location,
      hint:
        traced === 0
          ? 'Trace a ReActAgent that answers a user, or name another database in base_url.'
          : 'Loosen the filters, or look at the reasons in the log.',
    }),

  emptySplit: (location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message: 'The only task there is goes to training, so validation has none.',
      location,
      hint: 'Run --split training, or trace more replies.',
    }),
};
