import { CodedError } from '../../../base/core/errors.ts';

const reasonOf = (cause: unknown): string => {
  const own = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return (own instanceof Error ? own.message : String(own)).replace(/\.$/, '');
};

const byHand =
  'Or download the data set where there is a network, for example with `hf download --repo-type dataset`, and name its folder as dataset_path.';

/** Errors of data sets on the Hugging Face Hub. */
export const hubErrors = {
  badEndpoint: (endpoint: string) =>
    new CodedError({
      code: 'task-reader/hub-endpoint',
      message: `HF_ENDPOINT is "${endpoint}", which is no address of a hub.`,
      hint: 'Set it to an address such as https://huggingface.co, or unset it.',
    }),
  switchedOff: (id: string, variable: string) =>
    new CodedError({
      code: 'task-reader/hub-offline',
      message: `The data set ${id} is not wholly in the Hugging Face cache, and ${variable} forbids to ask the hub.`,
      hint: `Unset ${variable}. ${byHand}`,
    }),
  offline: (host: string, cause: unknown) =>
    new CodedError(
      {
        code: 'task-reader/hub-offline',
        message: `${host} cannot be reached: ${reasonOf(cause)}.`,
        hint: `Check the network, or name a mirror in HF_ENDPOINT; what has arrived so far is kept, and the next run goes on from there. ${byHand}`,
      },
      { cause },
    ),
  redirects: (url: string) =>
    new CodedError({
      code: 'task-reader/hub-redirects',
      message: `${url} redirects without an end.`,
      hint: 'Check HF_ENDPOINT.',
    }),
  refused: (id: string, status: number) =>
    new CodedError({
      code: 'task-reader/hub-refused',
      message: `The hub refuses the data set ${id} (HTTP ${status}): it does not exist, is private, or asks you to accept its terms.`,
      hint: 'Check the name, accept the terms on its page, and set HF_TOKEN to a token that may read it.',
    }),
  notFound: (id: string) =>
    new CodedError({
      code: 'task-reader/hub-not-found',
      message: `There is no data set ${id} on the hub, and no folder of that name.`,
      hint: 'Correct dataset_path: "owner/name" as on the hub, or a folder; a subset cannot be named.',
    }),
  status: (url: string, status: number) =>
    new CodedError({
      code: 'task-reader/hub-status',
      message: `${url} answers with HTTP ${status}.`,
      hint: 'Try again later, or check HF_ENDPOINT.',
    }),
  answer: (url: string) =>
    new CodedError({
      code: 'task-reader/hub-answer',
      message: `${url} does not answer as a hub does.`,
      hint: 'Check HF_ENDPOINT.',
    }),
  damaged: (file: string) =>
    new CodedError({
      code: 'task-reader/hub-damaged',
      message: `What arrived of ${file} is not what the hub announced.`,
      hint: 'Run again; the file is then fetched anew.',
    }),
  notSaved: (place: string, cause: unknown) =>
    new CodedError(
      {
        code: 'task-reader/hub-not-saved',
        message: `${place} cannot be written: ${reasonOf(cause)}.`,
        hint: 'Make room, or name another folder in HF_HOME.',
      },
      { cause },
    ),
  cancelled: () =>
    new CodedError({ code: 'task-reader/cancelled', message: 'Fetching the data set was cancelled.' }),
};
