import { messageOf } from '../../../base/core/errors.ts';
import { fileError } from '../errors.ts';

const known =
  'Open an .ajtrace, Trinity’s experiences.db, AgentJet’s trajectory JSON or .json.log, verifiers’ traces.jsonl, OTLP/JSON, or a log of OpenAI requests as JSON lines.';

export const importErrors = {
  unknownFormat: (file: string) =>
    fileError(file, {
      code: 'import/unknown-format',
      message: 'The file has no format that AgentJet can open as a trace.',
      hint: known,
    }),

  recording: (file: string) =>
    fileError(file, {
      code: 'import/recording',
      message: 'The file is a recording of LLM calls, not a trace.',
      hint: `Replay it: agentjet --conf CONFIG.yaml --replay ${file} (launch.json: replay). That run has a trace.`,
    }),

  unknownDatabase: (file: string) =>
    fileError(file, {
      code: 'import/unknown-database',
      message: 'The SQLite file is neither a trace nor a database of Trinity’s experiences.',
      hint: 'Trinity’s tables have the columns task_id, run_id, msg_id, reward and experience_bytes.',
    }),

  nothingFound: (file: string, label: string, first: string | undefined) =>
    fileError(file, {
      code: 'import/nothing-found',
      message: `The file looks like ${label}, but no episode in it can be read${first === undefined ? '' : `: ${first}`}.`,
      hint: 'Check that the file is complete, and that a supported version of its tool wrote it.',
    }),

  cannotRead: (file: string, cause: unknown) =>
    fileError(file, {
      code: 'import/cannot-read',
      message: `The file cannot be read: ${messageOf(cause)}.`,
      hint: 'Check that the file exists and that you may read it.',
      cause,
    }),

  cancelled: (file: string) =>
    fileError(file, {
      code: 'import/cancelled',
      message: 'The import was canceled.',
    }),
};
