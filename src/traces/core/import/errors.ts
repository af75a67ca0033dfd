import { CodedError } from '../../../base/core/errors.ts';

const known =
  'Open an .ajtrace, Trinity’s experiences.db, AgentJet’s trajectory JSON or .json.log, verifiers’ traces.jsonl, OTLP/JSON, or a log of OpenAI requests as JSON lines.';

export const importErrors = {
  unknownFormat: (file: string) =>
    new CodedError({
      code: 'import/unknown-format',
      message: 'The file is none of the formats that can be opened as a trace.',
      location: { file },
      hint: known,
    }),

  unknownDatabase: (file: string) =>
    new CodedError({
      code: 'import/unknown-database',
      message: 'The SQLite file is neither a trace nor a database of Trinity’s experiences.',
      location: { file },
      hint: 'Trinity’s tables have the columns task_id, run_id, msg_id, reward and experience_bytes.',
    }),

  nothingFound: (file: string, label: string, first: string | undefined) =>
    new CodedError({
      code: 'import/nothing-found',
      message: `The file looks like ${label}, but no episode in it can be read${first === undefined ? '' : `: ${first}`}.`,
      location: { file },
      hint: 'Check that it was written whole, and by a version of its tool that is known.',
    }),

  cannotRead: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'import/cannot-read',
        message: `The file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
        location: { file },
        hint: 'Check that it exists and may be read.',
      },
      { cause },
    ),

  cancelled: (file: string) =>
    new CodedError({
      code: 'import/cancelled',
      message: 'The import was cancelled.',
      location: { file },
    }),
};
