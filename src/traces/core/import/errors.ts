import { CodedError } from '../../../base/core/errors.ts';

const known =
  'Open an .ajtrace, Trinity’s experiences.db, AgentJet’s trajectory JSON or .json.log, verifiers’ traces.jsonl, OTLP/JSON, or a log of OpenAI requests as JSON lines.';

export const importErrors = {
  unknownFormat: (file: string) =>
    new CodedError({
      code: 'import/unknown-format',
      message: 'The file has no format that AgentJet can open as a trace.',
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
      hint: 'Check that the file is complete, and that a supported version of its tool wrote it.',
    }),

  cannotRead: (file: string, cause: unknown) =>
    new CodedError({
      code: 'import/cannot-read',
      message: `The file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
      location: { file },
      hint: 'Check that the file exists and that you may read it.',
      cause,
    }),

  cancelled: (file: string) =>
    new CodedError({
      code: 'import/cancelled',
      message: 'The import was canceled.',
      location: { file },
    }),
};
