import { CodedError } from '../../../base/core/errors.ts';

/** Errors of finding, reading and fetching a tokenizer. */
export const tokenizerErrors = {
  notFound: (file: string) =>
    new CodedError({
      code: 'tokenizer/not-found',
      message: 'The tokenizer does not exist.',
      location: { file },
      hint: 'Select a tokenizer.json or its folder, or remove the option to use the tokenizer of ajet.model.path.',
    }),

  broken: (file: string, reason: string, cause?: unknown) =>
    new CodedError(
      {
        code: 'tokenizer/broken',
        message: `The tokenizer cannot be read: ${reason}.`,
        location: { file },
        hint: 'Fetch it again ("AgentJet: Fetch Tokenizer"), or choose another ("AgentJet: Choose Tokenizer").',
      },
      { cause },
    ),

  noTokenizerJson: (folder: string) =>
    new CodedError({
      code: 'tokenizer/no-tokenizer-json',
      message: 'The folder of the model has no tokenizer.json, so the built-in tokenizer is used.',
      location: { file: folder },
      hint: 'Save a fast tokenizer in the folder, or choose another tokenizer ("AgentJet: Choose Tokenizer").',
    }),

  noTemplate: (file: string) =>
    new CodedError({
      code: 'tokenizer/no-template',
      message:
        'The folder of this tokenizer has no chat template, so the template of Qwen2.5 (ChatML) is used.',
      location: { file },
      hint: "Put the model's chat_template.jinja or tokenizer_config.json into the folder.",
    }),

  badModelId: (model: string) =>
    new CodedError({
      code: 'tokenizer/bad-model-id',
      message: `"${model}" is not the id of a model on a hub.`,
      hint: 'Use an id of the hub, for example Qwen/Qwen2.5-7B-Instruct.',
    }),

  badEndpoint: (endpoint: string) =>
    new CodedError({
      code: 'tokenizer/bad-endpoint',
      message: `"${endpoint}" is not an http or https address.`,
      hint: 'Correct or unset the environment variable HF_ENDPOINT.',
    }),

  fetchRefused: (model: string, status: number) =>
    new CodedError({
      code: 'tokenizer/fetch-refused',
      message: `The hub denies access to ${model} (HTTP ${status}): the model is gated, is private, or does not exist.`,
      hint: "Check the name, accept the model's terms on its page, and set HF_TOKEN to a token with read access.",
    }),

  fetchNotFound: (model: string, file: string) =>
    new CodedError({
      code: 'tokenizer/fetch-not-found',
      message: `The hub has no ${file} of ${model}.`,
      hint: 'Check the name. If the model has no tokenizer.json, convert one with transformers and select it with "AgentJet: Choose Tokenizer".',
    }),

  fetchStatus: (url: string, status: number) =>
    new CodedError({
      code: 'tokenizer/fetch-status',
      message: `${url} responded with HTTP ${status}.`,
      hint: 'Try again later, or set HF_ENDPOINT to another mirror of the hub.',
    }),

  fetchRedirects: (url: string) =>
    new CodedError({
      code: 'tokenizer/fetch-redirects',
      message: `${url} redirects too often or to an invalid address.`,
      hint: 'Check HF_ENDPOINT and the proxy.',
    }),

  fetchTooLarge: (url: string, limit: number) =>
    new CodedError({
      code: 'tokenizer/fetch-too-large',
      message: `${url} is larger than ${Math.floor(limit / 2 ** 20)} MB, which is too large for a tokenizer.`,
      hint: 'Check that the id is that of a language model.',
    }),

  fetchNotSaved: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'tokenizer/fetch-not-saved',
        message: `The tokenizer cannot be saved: ${deepestMessage(cause)}.`,
        location: { file },
        hint: 'Free disk space or allow write access to the folder, then fetch again.',
      },
      { cause },
    ),

  fetchOffline: (host: string, cause: unknown) =>
    new CodedError(
      {
        code: 'tokenizer/fetch-offline',
        message: `${host} cannot be reached: ${deepestMessage(cause)}.`,
        hint: 'Check the network and the proxy, or set HF_ENDPOINT to a mirror. Or copy tokenizer.json, tokenizer_config.json and chat_template.jinja to this machine and select them with "AgentJet: Choose Tokenizer".',
      },
      { cause },
    ),
};

/** Returns the message of the innermost cause: the error of `fetch` itself has no reason. */
function deepestMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return deepestMessage(error.cause);
  const code = 'code' in error ? String(error.code) : '';
  return (error.message === '' ? code || error.name : error.message).replace(/\.$/, '');
}
