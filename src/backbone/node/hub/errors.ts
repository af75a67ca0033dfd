import { CodedError } from '../../../base/core/errors.ts';

/** The subject of a request to a hub, for its errors. */
export interface HubItem {
  readonly what: 'data set' | 'model';
  readonly id: string;
  /** The start of the codes of its errors. */
  readonly code: 'task-reader/hub' | 'tokenizer/fetch';
  readonly hints: { readonly offline: string; readonly notSaved: string };
  notFound(url: URL): CodedError;
}

export const requestErrors = {
  offline: ({ code, hints }: HubItem, host: string, cause: unknown) =>
    new CodedError({
      code: `${code}-offline`,
      message: `${host} cannot be reached: ${deepestMessage(cause)}.`,
      hint: hints.offline,
      cause,
    }),
  notSaved: ({ code, hints }: HubItem, file: string, cause: unknown) =>
    new CodedError({
      code: `${code}-not-saved`,
      message: `${file} cannot be written: ${deepestMessage(cause)}.`,
      hint: hints.notSaved,
      cause,
    }),
  redirects: ({ code }: HubItem, url: URL) =>
    new CodedError({
      code: `${code}-redirects`,
      message: `${url.href} redirects too often or to an invalid address.`,
      hint: 'Check HF_ENDPOINT and the proxy.',
    }),
  refused: ({ code, what, id }: HubItem, status: number) =>
    new CodedError({
      code: `${code}-refused`,
      message: `The hub denies access to the ${what} ${id} (HTTP ${status}): it does not exist, is private, or requires that you accept its terms.`,
      hint: 'Check the name, accept the terms on its page, and set HF_TOKEN to a token with read access.',
    }),
  status: ({ code }: HubItem, url: URL, status: number) =>
    new CodedError({
      code: `${code}-status`,
      message: `${url.href} responded with HTTP ${status}.`,
      hint: 'Try again later, or check HF_ENDPOINT.',
    }),
};

/** Returns the message of the innermost cause: the error of `fetch` itself has no reason. */
function deepestMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return deepestMessage(error.cause);
  const code = 'code' in error ? String(error.code) : '';
  return (error.message === '' ? code || error.name : error.message).replace(/\.$/, '');
}

const byHand =
  'Or download the data set on a machine with network access, for example with `hf download --repo-type dataset`. Then set dataset_path to its folder.';

export function dataSetItem(id: string): HubItem {
  return {
    what: 'data set',
    id,
    code: 'task-reader/hub',
    hints: {
      offline: `Check the network, or set HF_ENDPOINT to a mirror. The next run continues the download. ${byHand}`,
      notSaved: 'Free disk space, or set HF_HOME to another folder.',
    },
    notFound: () =>
      new CodedError({
        code: 'task-reader/hub-not-found',
        message: `The data set ${id} is neither on the hub nor a folder.`,
        hint: 'Correct dataset_path. Use an id of the form "owner/name", without a subset, or a folder.',
      }),
  };
}

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
  cancelled: () =>
    new CodedError({ code: 'task-reader/cancelled', message: 'Fetching the data set was canceled.' }),
};
