import { CodedError, messageOf } from '../../../base/core/errors.ts';

const reasonOf = (cause: unknown): string => {
  const own = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return messageOf(own).replace(/\.$/, '');
};

const byHand =
  'Or download the data set on a machine with network access, for example with `hf download --repo-type dataset`. Then set dataset_path to its folder.';

/** Errors of data sets on the Hugging Face Hub. */
export const hubErrors = {
  badEndpoint: (endpoint: string) =>
    new CodedError({
      code: 'task-reader/hub-endpoint',
      message: `HF_ENDPOINT is not an address of a hub: "${endpoint}".`,
      hint: 'Set it to an address such as https://huggingface.co, or unset it.',
    }),
  switchedOff: (id: string, variable: string) =>
    new CodedError({
      code: 'task-reader/hub-offline',
      message: `The Hugging Face cache does not have all files of the data set ${id}, and ${variable} forbids downloads.`,
      hint: `Unset ${variable}. ${byHand}`,
    }),
  offline: (host: string, cause: unknown) =>
    new CodedError(
      {
        code: 'task-reader/hub-offline',
        message: `${host} cannot be reached: ${reasonOf(cause)}.`,
        hint: `Check the network, or set HF_ENDPOINT to a mirror. The next run continues the download. ${byHand}`,
      },
      { cause },
    ),
  redirects: (url: string) =>
    new CodedError({
      code: 'task-reader/hub-redirects',
      message: `${url} redirects too often.`,
      hint: 'Check HF_ENDPOINT.',
    }),
  refused: (id: string, status: number) =>
    new CodedError({
      code: 'task-reader/hub-refused',
      message: `The hub denies access to the data set ${id} (HTTP ${status}): it does not exist, is private, or requires that you accept its terms.`,
      hint: 'Check the name, accept the terms on its page, and set HF_TOKEN to a token with read access.',
    }),
  notFound: (id: string) =>
    new CodedError({
      code: 'task-reader/hub-not-found',
      message: `The data set ${id} is neither on the hub nor a folder.`,
      hint: 'Correct dataset_path. Use an id of the form "owner/name", without a subset, or a folder.',
    }),
  status: (url: string, status: number) =>
    new CodedError({
      code: 'task-reader/hub-status',
      message: `${url} responded with HTTP ${status}.`,
      hint: 'Try again later, or check HF_ENDPOINT.',
    }),
  answer: (url: string) =>
    new CodedError({
      code: 'task-reader/hub-answer',
      message: `The response of ${url} is not that of a hub.`,
      hint: 'Check HF_ENDPOINT.',
    }),
  damaged: (file: string) =>
    new CodedError({
      code: 'task-reader/hub-damaged',
      message: `The download of ${file} has a different size or checksum than the hub announced.`,
      hint: 'Start the run again to download the file again.',
    }),
  notSaved: (place: string, cause: unknown) =>
    new CodedError(
      {
        code: 'task-reader/hub-not-saved',
        message: `${place} cannot be written: ${reasonOf(cause)}.`,
        hint: 'Free disk space, or set HF_HOME to another folder.',
      },
      { cause },
    ),
  cancelled: () =>
    new CodedError({ code: 'task-reader/cancelled', message: 'Fetching the data set was canceled.' }),
};
