import { CodedError, type Location } from '../../../../base/core/errors.ts';

export const generationErrors = {
  noDocument: (file: string, location: Location) =>
    new CodedError({
      code: 'task-reader/document-not-found',
      message: `The document ${file} does not exist.`,
      location,
      hint: 'Correct document_path; it is relative to the working directory, then to the folder of the config. An empty list generates from example queries only.',
    }),

  badDocument: (file: string, reason: string, location: Location) =>
    new CodedError({
      code: 'task-reader/document-unreadable',
      message: `The document ${file} cannot be read: ${reason}.`,
      location,
      hint: 'Text, Markdown and PDFs with text in them are read here; turn others into one of these.',
    }),

  nothingToImitate: (location: Location) =>
    new CodedError({
      code: 'task-reader/nothing-to-imitate',
      message:
        'There is neither an example task nor one made of a document, so no task can be written after one.',
      location,
      hint: 'Name example tasks in query_reader or documents in document_reader.document_path; the log says which calls failed.',
    }),

  noTasks: (what: string, reason: string | undefined, location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message: `No ${what} task was generated${reason === undefined ? '' : `; the first call that failed: ${reason}`}`,
      location,
      hint: 'Look at what the helper LLM answers: --verbose shows it; a script as helper (--helper-script) answers as you say.',
    }),

  crashesUpstream: (location: Location) =>
    new CodedError({
      code: 'task-reader/cached-without-validation',
      message:
        'There are cached training tasks, but neither cached validation tasks nor documents: training ends with a TypeError here.',
      location,
      hint: 'Delete the cached training tasks, or name documents.',
    }),

  staleCache: (file: string, changed: readonly string[], location: Location) =>
    new CodedError({
      code: 'task-reader/stale-cache',
      message: `The tasks of ${file} are used though ${changed.join(', ')} changed since: the name of the file does not depend on ${changed.length === 1 ? 'it' : 'them'}, in training neither.`,
      location,
      hint: 'Delete the file to have its tasks generated anew.',
    }),
};
