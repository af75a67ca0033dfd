import type { ModelFailure } from '../../core/model-tuner/model.ts';
import { CodedError, formatLocation, type Location } from '../../../base/core/errors.ts';

/** A script returned an invalid answer. */
export class BadReplyError extends Error {
  override readonly name = 'BadReplyError';
}

const forms = 'a text, message fields such as {content, tool_calls}, or a complete chat completion';

export const scriptErrors = {
  notFound: (file: string) =>
    new CodedError({
      code: 'model/script-not-found',
      message: `The script ${file} does not exist.`,
      hint: 'Correct --script (launch.json: script; setting: agentjet.script).',
    }),

  notLoaded: (file: string, error: unknown, location: Location | undefined) =>
    new CodedError({
      code: 'model/script-not-loaded',
      message: `The script ${file} cannot be loaded: ${messageOf(error)}`,
      location: location ?? { file },
      hint: 'Fix the error in the script.',
      cause: error,
    }),

  noFunction: (file: string) =>
    new CodedError({
      code: 'model/script-no-function',
      message: 'The script exports no function as default or as respond.',
      location: { file },
      hint: 'Write: export default (request, { episode, call, seed }) => "the answer"',
    }),

  badJson: (file: string, reason: string) =>
    new CodedError({
      code: 'model/script-bad-json',
      message: `The replies cannot be read: ${reason}.`,
      location: { file },
      hint: `Write a JSON array of responses. Each is ${forms}.`,
    }),

  noMoreReplies: (file: string, count: number) =>
    new CodedError({
      code: 'model/script-no-more-replies',
      message: `The file has only ${count} replies, but the episode makes another call.`,
      location: { file },
      hint: 'Add replies, or check why the workflow makes so many calls.',
    }),
};

/** Converts the error of a script to a response with status 500. */
export function scriptFailure(file: string, error: unknown, frame: Location | undefined): ModelFailure {
  const report = error instanceof CodedError ? error : callFailed(file, error, frame);
  const where = formatLocation(report.location ?? { file });
  return {
    status: 500,
    error: {
      message: `${where}: ${report.message} ${report.hint ?? ''}`.trim(),
      type: 'server_error',
      param: null,
      code: 'script_failed',
    },
    report,
  };
}

function callFailed(file: string, error: unknown, frame: Location | undefined): CodedError {
  const isBadReply = error instanceof BadReplyError;
  return new CodedError({
    code: 'model/script-failed',
    message: isBadReply
      ? `The return value of the script is not a response: ${error.message}.`
      : `The script threw: ${messageOf(error)}`,
    location: isBadReply ? { file } : (frame ?? { file }),
    hint: isBadReply ? `Return ${forms}.` : 'Set a breakpoint there.',
    cause: error,
  });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
}
