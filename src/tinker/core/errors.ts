import { CodedError } from '../../base/core/errors.ts';
import { formatModels } from '../../base/core/httpTexts.ts';

/** The purpose of a request, as the end of “Cannot …”. */
export type Task =
  | 'reach the server'
  | 'open a session'
  | 'create the model'
  | 'open the sampler'
  | 'sample'
  | 'compute the gradients'
  | 'update the weights'
  | 'save the weights'
  | 'load the weights'
  | 'unload the model'
  | 'end the session'
  | 'list the checkpoints'
  | 'download the checkpoint'
  | 'delete the checkpoint'
  | 'publish the checkpoint'
  | 'make the checkpoint private';

const urlPlaces = '--tinker-url or TINKER_BASE_URL';
const keyPlaces = 'TINKER_API_KEY';

/** The failures of a Tinker server and of the requests to it. `server` is its address for messages. */
export const tinkerErrors = {
  badUrl: (url: string) =>
    new CodedError({
      code: 'tinker/bad-url',
      message: `${JSON.stringify(url)} is not the address of a Tinker server.`,
      hint: `Correct ${urlPlaces}. It is an http or https URL, such as http://127.0.0.1:8000.`,
    }),

  noServer: (server: string, why: string, cause?: unknown) =>
    new CodedError({
      code: 'tinker/no-server',
      message: `The Tinker server at ${server} does not answer: ${why}.`,
      hint: `Start the server, or correct ${urlPlaces}.`,
      cause,
    }),

  notTinker: (server: string, why: string) =>
    new CodedError({
      code: 'tinker/not-tinker',
      message: `The server at ${server} does not speak the Tinker API: ${why}.`,
      hint: `Correct ${urlPlaces}. It is the address before /api/v1.`,
    }),

  noKey: (server: string) =>
    new CodedError({
      code: 'tinker/no-key',
      message: `The Tinker server at ${server} requires an API key.`,
      hint: `Set ${keyPlaces}, or run: tinker auth login.`,
    }),

  wrongKey: (server: string, detail: string) =>
    new CodedError({
      code: 'tinker/wrong-key',
      message: `The Tinker server at ${server} rejects the API key: ${detail}.`,
      hint: `Check ${keyPlaces}. The key must be for this server and must not have expired.`,
    }),

  otherKey: (server: string) =>
    new CodedError({
      code: 'tinker/other-key',
      message: `The API key is not for the Tinker server at ${server}, whose keys start with "tml-".`,
      hint: `Set ${keyPlaces} to a key of this server, or set ${urlPlaces} to the server of the key.`,
    }),

  badCredentials: (file: string, why: string) =>
    new CodedError({
      code: 'tinker/bad-credentials',
      message: `Cannot read an API key: ${why}.`,
      hint: `Set ${keyPlaces}, or run: tinker auth login.`,
      location: { file },
    }),

  credentialCommand: (why: string) =>
    new CodedError({
      code: 'tinker/credential-command',
      message: `The command in TINKER_CREDENTIAL_CMD prints no API key: ${why}.`,
      hint: `Correct the command, or set ${keyPlaces}.`,
    }),

  notServed: (server: string, model: string, served: readonly string[]) =>
    new CodedError({
      code: 'tinker/not-served',
      message: `The Tinker server at ${server} does not serve the model ${JSON.stringify(model)}.`,
      hint: `Set --base-model to one of its models: ${formatModels(served)}.`,
    }),

  rank: (detail: string) =>
    new CodedError({
      code: 'tinker/rank',
      message: `The server refuses the LoRA rank: ${detail}.`,
      hint: 'Lower ajet.model.tinker.rank, or start the server with a higher limit.',
    }),

  noSlot: (detail: string) =>
    new CodedError({
      code: 'tinker/no-slot',
      message: `The server has no free place for another model: ${detail}.`,
      hint: 'End other training runs on this server, or restart it with more adapters.',
    }),

  noWeights: (detail: string) =>
    new CodedError({
      code: 'tinker/no-weights',
      message: `The server does not have these weights: ${detail}.`,
      hint: 'Check the path. Weights may have been deleted or have expired, or the server may have started with a new database.',
    }),

  badPath: (path: string) =>
    new CodedError({
      code: 'tinker/bad-path',
      message: `${JSON.stringify(path)} is not the path of saved weights.`,
      hint: 'Correct it. A path is tinker://RUN/weights/NAME or tinker://RUN/sampler_weights/NAME.',
    }),

  /** @param instead the action that replaces the task */
  notOffered: (task: Task, server: string, instead: string) =>
    new CodedError({
      code: 'tinker/not-offered',
      message: `Cannot ${task}: ${server} does not offer this.`,
      hint: instead,
    }),

  filesOnServer: (server: string, folder: string) =>
    new CodedError({
      code: 'tinker/files-on-server',
      message: `Cannot download the checkpoint: ${server} does not send files. They are in ${folder} on its machine.`,
      hint: 'Copy adapter_config.json and adapter_model.safetensors from there. TuFT keeps them in its folder adapter.',
    }),

  staleSampler: () =>
    new CodedError({
      code: 'tinker/stale-sampler',
      message: 'Cannot sample: the model has been trained since these weights were taken.',
      hint: 'SkyRL would undo the training. Take the weights again after each step.',
    }),

  nameTaken: (detail: string) =>
    new CodedError({
      code: 'tinker/name-taken',
      message: `Cannot save the weights: ${detail}.`,
      hint: 'Save them under another name, or delete the checkpoint.',
    }),

  noFunds: (server: string, detail: string) =>
    new CodedError({
      code: 'tinker/no-funds',
      message: `The account at ${server} cannot pay for the request: ${detail}.`,
      hint: 'Add funds in the console of the service, then resume the training run.',
    }),

  busy: (task: Task, detail: string) =>
    new CodedError({
      code: 'tinker/busy',
      message: `Cannot ${task}: the server stayed busy for too long (${detail}).`,
      hint: 'Resume the training run later, or run fewer episodes at once.',
    }),

  sessionOver: (detail: string) =>
    new CodedError({
      code: 'tinker/session-over',
      message: `The session on the Tinker server is over: ${detail}.`,
      hint: 'Resume the training run. It opens another session and loads the newest checkpoint.',
    }),

  modelLost: (task: Task, detail: string) =>
    new CodedError({
      code: 'tinker/model-lost',
      message: `Cannot ${task}: the server no longer has the model (${detail}).`,
      hint: 'Resume the training run, which loads the newest checkpoint. The server may have restarted.',
    }),

  futureLost: (task: Task, detail: string) =>
    new CodedError({
      code: 'tinker/future-lost',
      message: `Cannot ${task}: the server lost the request (${detail}).`,
      hint: 'Resume the training run, which loads the newest checkpoint. The server may have restarted.',
    }),

  rejected: (task: Task, status: number, detail: string) =>
    new CodedError({
      code: 'tinker/rejected',
      message: `Cannot ${task}: the server rejects the request (${status}): ${detail}.`,
      hint: 'The log of the server may say more.',
    }),

  serverFailed: (task: Task, detail: string) =>
    new CodedError({
      code: 'tinker/server-failed',
      message: `Cannot ${task}: the server failed: ${detail}.`,
      hint: 'The log of the server may say more.',
    }),

  otherVersion: (task: Task, detail: string) =>
    new CodedError({
      code: 'tinker/other-version',
      message: `Cannot ${task}: the server expects another version of the Tinker API: ${detail}.`,
      hint: 'Update AgentJet or the server.',
    }),

  badAnswer: (task: Task, why: string) =>
    new CodedError({
      code: 'tinker/bad-answer',
      message: `Cannot ${task}: the response of the server is invalid: ${why}.`,
      hint: 'Update AgentJet or the server.',
    }),

  badDatum: (index: number, why: string) =>
    new CodedError({
      code: 'tinker/bad-datum',
      message: `Training sample ${index + 1} of the batch is invalid: ${why}.`,
      hint: 'Check the rewards and the log probabilities of its episode.',
    }),

  cancelled: (task: Task) =>
    new CodedError({ code: 'tinker/cancelled', message: `Canceled, so AgentJet did not ${task}.` }),
};
