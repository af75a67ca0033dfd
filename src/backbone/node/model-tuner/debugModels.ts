import { failureFrom } from '../../core/model-tuner/stream.ts';
import { ModelFailureError, type ChatModel } from '../../core/model-tuner/model.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { Logger } from '../../../base/core/ports.ts';
import type { ModelChoice } from '../../core/protocol/run.ts';

export interface DebugModelsOptions {
  /** Models by the names that workflows use. */
  readonly choices: Readonly<Record<string, ModelChoice>>;
  /** Names of the models that functions get; undefined for all. */
  readonly auxiliary?: readonly string[] | undefined;
  readonly trained: ModelChoice;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens the chosen model. With a recording that may not be necessary. */
  readonly open: (choose: () => ModelChoice) => Promise<ChatModel>;
  readonly logger: Logger;
}

/**
 * The models of targets that are not trained. Each is opened on its first call. A name without configuration is a
 * model of the server in OPENAI_API_KEY or OPENAI_BASE_URL, as upstream does. If neither is set and the trained model
 * needs no server, the built-in model answers.
 */
export class DebugModels {
  readonly #options: DebugModelsOptions;
  readonly #opened = new Map<string, Promise<ChatModel>>();

  constructor(options: DebugModelsOptions) {
    this.#options = options;
  }

  get names(): readonly string[] {
    return this.#options.auxiliary ?? Object.keys(this.#options.choices);
  }

  /** Returns a model. Rejects with a {@link ModelFailureError}, which can be the response of a call. */
  get(name: string): Promise<ChatModel> {
    let opened = this.#opened.get(name);
    if (opened === undefined) {
      opened = this.#open(name);
      this.#opened.set(name, opened);
    }
    return opened;
  }

  async #open(name: string): Promise<ChatModel> {
    const { logger, open } = this.#options;
    let why = '';
    const choose = (): ModelChoice => {
      const chosen = this.#choose(name);
      why = chosen.why;
      return chosen.choice;
    };
    try {
      const model = await open(choose);
      logger.log('info', `Debug model ${name}: ${model.description}${why}.`);
      return model;
    } catch (error) {
      throw new ModelFailureError(failureOf(error), { cause: error });
    }
  }

  #choose(name: string): { readonly choice: ModelChoice; readonly why: string } {
    const { choices, environment, trained } = this.#options;
    const configured = Object.hasOwn(choices, name) ? choices[name] : undefined;
    if (configured !== undefined) return { choice: configured, why: '' };
    const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: given } = environment;
    if (isSet(apiKey) || isSet(given)) {
      const baseUrl = isSet(given) ? given : 'https://api.openai.com/v1';
      return {
        choice: { kind: 'endpoint', baseUrl, model: name, ...(isSet(apiKey) && { apiKey }) },
        why: ', by OPENAI_API_KEY and OPENAI_BASE_URL',
      };
    }
    if (trained.kind === 'endpoint') throw notConfigured(name);
    return { choice: { kind: 'embedded' }, why: `, since no server is configured; ${howToName(name)}` };
  }
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function failureOf(error: unknown): ReturnType<typeof failureFrom> {
  if (!(error instanceof CodedError)) return failureFrom(error);
  const { message, code } = error;
  return { status: 500, error: { message, type: 'server_error', param: null, code }, report: error };
}

function notConfigured(name: string): CodedError {
  return new CodedError({
    code: 'model-tuner/no-debug-model',
    message: `No server is configured for the debug model ${name}, which answers for targets that are not trained.`,
    hint: `Set OPENAI_API_KEY, or ${howToName(name)}.`,
  });
}

function howToName(name: string): string {
  return `set one with --debug-model ${name}=URL (launch.json: debugModels)`;
}
