import { CodedError, type Location, messageOf } from '../../../../base/core/errors.ts';

export const tracingErrors = {
  noDatabase: (file: string, location: Location) =>
    new CodedError({
      code: 'task-reader/no-database',
      message: `The database ${file} does not exist.`,
      location,
      hint: 'Correct base_url. Despite its name, it is the path of the SQLite file of AgentScope Studio.',
    }),

  unreadable: (file: string, cause: unknown, location: Location) => {
    const reason = messageOf(cause);
    const lacksTable = /no such (table|column)/i.test(reason);
    return new CodedError({
      code: lacksTable ? 'task-reader/no-spans' : 'task-reader/unreadable-database',
      message: lacksTable
        ? `The database ${file} has no traces of AgentScope Studio: ${reason}.`
        : `The database ${file} cannot be read: ${reason}.`,
      location,
      hint: lacksTable
        ? 'Select the file that Studio writes, with the columns name and attributes in the table span_table. Later versions of Studio write another format.'
        : 'Select a complete SQLite file that you can read. Copy it while Studio is stopped.',
      cause,
    });
  },

  fatalSpans: (
    count: number,
    all: number,
    first: { readonly row: number; readonly reason: string },
    location: Location,
  ) =>
    new CodedError({
      code: 'task-reader/spans-end-training',
      message: `Training fails on ${count} of the ${all} traced responses. This run ignores them. The first is number ${first.row}: ${first.reason}.`,
      location,
      hint: 'Before training, delete these rows of span_table. The usual cause is a response with both kinds of quotes, which AgentJet cannot read.',
    }),

  nothingLeft: (traced: number, location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message:
        traced === 0
          ? 'The database has no traced response with a question and an answer.'
          : `The filters removed all ${traced} traced tasks.`,
      location,
      hint:
        traced === 0
          ? 'Trace a ReActAgent that answers a user, or set base_url to another database.'
          : 'Relax the filters. The reasons are in the log.',
    }),

  emptySplit: (location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message: 'Validation has no tasks: the only task belongs to the training split.',
      location,
      hint: 'Use --split training, or trace more responses.',
    }),
};
