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
    new CodedError({
      code: 'tokenizer/broken',
      message: `The tokenizer cannot be read: ${reason}.`,
      location: { file },
      hint: 'Fetch it again ("AgentJet: Fetch Tokenizer"), or choose another ("AgentJet: Choose Tokenizer").',
      cause,
    }),

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

  fetchTooLarge: (url: string, limit: number) =>
    new CodedError({
      code: 'tokenizer/fetch-too-large',
      message: `${url} is larger than ${Math.floor(limit / 2 ** 20)} MB, which is too large for a tokenizer.`,
      hint: 'Check that the id is that of a language model.',
    }),
};
