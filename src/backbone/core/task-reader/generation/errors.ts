import { CodedError, type Location } from '../../../../base/core/errors.ts';

export const generationErrors = {
  noDocument: (file: string, location: Location) =>
    new CodedError({
      code: 'task-reader/document-not-found',
      message: `The document ${file} does not exist.`,
      location,
      hint: 'Correct document_path. It is relative to the working directory, then to the folder of the config. To use example queries only, set it to an empty list.',
    }),

  badDocument: (file: string, reason: string, location: Location) =>
    new CodedError({
      code: 'task-reader/document-unreadable',
      message: `The document ${file} cannot be read: ${reason}.`,
      location,
      hint: 'Supported formats are text, Markdown and PDF with text. Convert the document to one of them.',
    }),

  nothingToImitate: (location: Location) =>
    new CodedError({
      code: 'task-reader/nothing-to-imitate',
      message: 'Cannot generate tasks: there are neither example tasks nor tasks from a document.',
      location,
      hint: 'Set example tasks in query_reader or documents in document_reader.document_path. Failed calls are in the log.',
    }),

  noTasks: (what: string, reason: string | undefined, location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message: `No ${what} task was generated${reason === undefined ? '' : `. The first failed call: ${reason}`}`,
      location,
      hint: 'Look at the responses of the helper LLM with --verbose (launch.json: verbose), or use a script as helper with --helper-script FILE (launch.json: helper.script).',
    }),

  crashesUpstream: (location: Location) =>
    new CodedError({
      code: 'task-reader/cached-without-validation',
      message:
        'Training fails with a TypeError here: training tasks are cached, but there are neither cached validation tasks nor documents.',
      location,
      hint: 'Delete the cached training tasks, or set documents.',
    }),

  staleCache: (file: string, changed: readonly string[], location: Location) =>
    new CodedError({
      code: 'task-reader/stale-cache',
      message: `The cached tasks of ${file} are used although ${changed.join(', ')} changed. Training uses them too, because the file name does not depend on ${changed.length === 1 ? 'it' : 'them'}.`,
      location,
      hint: 'To generate the tasks again, delete the file.',
    }),
};
