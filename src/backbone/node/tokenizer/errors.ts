import { CodedError } from '../../../base/core/errors.ts';

/** Errors of finding, reading and fetching a tokenizer. */
export const tokenizerErrors = {
  notFound: (file: string) =>
    new CodedError({
      code: 'tokenizer/not-found',
      message: 'There is no tokenizer at this place.',
      location: { file },
      hint: 'Name a tokenizer.json or the folder of one, or leave the tokenizer out to have it looked for by ajet.model.path.',
    }),

  broken: (file: string, reason: string, cause?: unknown) =>
    new CodedError(
      {
        code: 'tokenizer/broken',
        message: `This is no tokenizer that can be read: ${reason}.`,
        location: { file },
        hint: 'Fetch it again ("AgentJet: Fetch Tokenizer"), or choose another ("AgentJet: Choose Tokenizer").',
      },
      { cause },
    ),

  noTokenizerJson: (folder: string) =>
    new CodedError({
      code: 'tokenizer/no-tokenizer-json',
      message: 'The folder of the model has no tokenizer.json, so the built-in tokenizer counts.',
      location: { file: folder },
      hint: 'Save a fast tokenizer there, or choose another tokenizer ("AgentJet: Choose Tokenizer").',
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
      hint: 'Write it as on the hub, for example Qwen/Qwen2.5-7B-Instruct.',
    }),

  badEndpoint: (endpoint: string) =>
    new CodedError({
      code: 'tokenizer/bad-endpoint',
      message: `"${endpoint}" is not an http or https address.`,
      hint: 'Correct the environment variable HF_ENDPOINT, or take it away.',
    }),

  fetchRefused: (model: string, status: number) =>
    new CodedError({
      code: 'tokenizer/fetch-refused',
      message: `The hub refuses ${model} (HTTP ${status}): the model is gated or private, or there is none of this name.`,
      hint: "Check the name, accept the model's terms on its page, and set HF_TOKEN to a token that may read it.",
    }),

  fetchNotFound: (model: string, file: string) =>
    new CodedError({
      code: 'tokenizer/fetch-not-found',
      message: `The hub has no ${file} of ${model}.`,
      hint: 'Check the name; a model without tokenizer.json needs one converted by transformers, which "AgentJet: Choose Tokenizer" then takes.',
    }),

  fetchStatus: (url: string, status: number) =>
    new CodedError({
      code: 'tokenizer/fetch-status',
      message: `${url} answers HTTP ${status}.`,
      hint: 'Try again later, or set HF_ENDPOINT to another mirror of the hub.',
    }),

  fetchRedirects: (url: string) =>
    new CodedError({
      code: 'tokenizer/fetch-redirects',
      message: `${url} is redirected too often or to no address.`,
      hint: 'Check HF_ENDPOINT and the proxy.',
    }),

  fetchTooLarge: (url: string, limit: number) =>
    new CodedError({
      code: 'tokenizer/fetch-too-large',
      message: `${url} is larger than ${Math.floor(limit / 2 ** 20)} MB, which no tokenizer is.`,
      hint: 'Check that the name is that of a language model.',
    }),

  fetchNotSaved: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'tokenizer/fetch-not-saved',
        message: `What was fetched cannot be saved: ${deepestMessage(cause)}.`,
        location: { file },
        hint: 'Make room or give write access there, then fetch again.',
      },
      { cause },
    ),

  fetchOffline: (host: string, cause: unknown) =>
    new CodedError(
      {
        code: 'tokenizer/fetch-offline',
        message: `${host} cannot be reached: ${deepestMessage(cause)}.`,
        hint: 'Check the network and the proxy, set HF_ENDPOINT to a mirror, or copy tokenizer.json, tokenizer_config.json and chat_template.jinja here and choose them ("AgentJet: Choose Tokenizer").',
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
