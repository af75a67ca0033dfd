import path from 'node:path';
import type { CodedError } from '../../../base/core/errors.ts';
import type { FileReader } from '../../../base/core/ports.ts';
import { faultKinds } from '../../../tracking/core/records/episodeResult.ts';
import {
  runProtocolVersion,
  type HelperChoice,
  type ModelChoice,
  type RunRequest,
} from '../../core/protocol/run.ts';
import { dotEnv, parseEnvFile } from '../../../base/node/dotEnv.ts';
import type { OptionErrors, RunOptions } from './runOptions.ts';
import { formatModels, writeUrl } from '../../../base/core/httpTexts.ts';
import { listModels } from '../model-tuner/modelList.ts';
import { pythonShare } from '../client/pythonShare.ts';
import type { RunSpec } from '../client/runLauncher.ts';

export interface RunContext {
  readonly files: Pick<FileReader, 'exists' | 'readText'>;
  /** Variables of this process, which the run inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Returns the key of a server if no variable is named for it. */
  readonly savedApiKey: (baseUrl: string) => Promise<string | undefined>;
  /** Returns the key of a Tinker server; absent: it is found as the official SDK finds it. */
  readonly savedTinkerKey?: (baseUrl: string) => Promise<string | undefined>;
  /** True if the run client reaches the language models of the editor. */
  readonly hasEditorModels?: boolean;
  /** Folders that hold debugpy if the interpreter has none, in order. */
  readonly debugpyFolders?: () => readonly string[];
}

export interface RunUse {
  readonly debugging: boolean;
  readonly errors: OptionErrors;
  /** The variable with the key of debug models, if `endpoint` names none. */
  readonly apiKeyEnv?: string | undefined;
  /** Recorded episodes to score again. Without `ownConfig`, `config` is not used. */
  readonly judge?: RunRequest['judge'];
}

type EnvironmentOverlay = Readonly<Record<string, string | null>>;

/** Makes paths absolute, reads `envFile` and looks up API keys. Throws a CodedError that names the invalid option. */
export function resolveRun(options: RunOptions, context: RunContext, use: RunUse): Promise<RunSpec> {
  return new RunResolver(options, context, use).resolve();
}

class RunResolver {
  readonly #options: RunOptions;
  readonly #context: RunContext;
  readonly #use: RunUse;
  readonly #errors: OptionErrors;
  readonly #config: string;
  readonly #cwd: string;
  #env: EnvironmentOverlay = {};

  constructor(options: RunOptions, context: RunContext, use: RunUse) {
    this.#options = options;
    this.#context = context;
    this.#use = use;
    this.#errors = use.errors;
    this.#config = path.resolve(options.cwd ?? '', options.config);
    this.#cwd = path.resolve(options.cwd ?? path.dirname(this.#config));
  }

  async resolve(): Promise<RunSpec> {
    const usesConfig = this.#use.judge?.ownConfig !== false;
    if (usesConfig) await this.#mustExist('config', this.#config);
    await this.#mustExist('cwd', this.#cwd);
    this.#env = await this.#environment();
    const { runtimeExecutable, runtimeArgs = [] } = this.#options;
    return {
      request: { ...(await this.#request()), ...(!usesConfig && { config: '' }) },
      inspect: this.#use.debugging && !(await this.#isAllPython()),
      env: this.#env,
      runtimeExecutable: this.#executable(runtimeExecutable),
      runtimeArgs,
    };
  }

  /** Returns true if a JavaScript debugger would have nothing to show. */
  async #isAllPython(): Promise<boolean> {
    return pythonShare((await this.#context.files.readText(this.#config)) ?? '') === 'all';
  }

  async #request(): Promise<RunRequest> {
    const options = this.#options;
    const tokenizer = await this.#existingPath('tokenizer', options.tokenizer);
    const model = await this.#model();
    const helper = await this.#helper();
    const debugModels = this.#debugModels();
    const validates = options.mode === 'validate' || options.ajetDebugParity === true;
    // A debugger gets one episode at a time by default: steps must not jump between episodes.
    const parallel = options.parallel ?? (this.#use.debugging ? 1 : 0);
    return {
      protocol: runProtocolVersion,
      config: this.#config,
      cwd: this.#cwd,
      model,
      ...this.#python(),
      ...this.#recording(),
      ...this.#judge(),
      ...(await this.#train()),
      ...(helper !== undefined && { helper }),
      ...(debugModels !== undefined && { debugModels }),
      ...(options.trainableTargets !== undefined && { trainableTargets: options.trainableTargets }),
      split: options.split ?? (validates ? 'validation' : 'training'),
      // Launching means trust: editors ask for it before they start a session.
      allowEnvironment: true,
      ...(options.expDir !== undefined && { expDir: this.#path(options.expDir) }),
      ...(tokenizer !== undefined && { tokenizer }),
      ...(options.seed !== undefined && { seed: options.seed }),
      ...(options.tasks !== undefined && { firstTasks: options.tasks }),
      ...(options.taskIds !== undefined && { taskIds: options.taskIds }),
      ...(parallel > 0 && { parallel }),
      ...(options.repeat !== undefined && { repeat: options.repeat }),
      ...(options.mode !== undefined && { mode: options.mode }),
      ...(options.ajetDebugParity !== undefined && { asUpstreamDebug: options.ajetDebugParity }),
      ...(options.maxCalls !== undefined && { maxCalls: options.maxCalls }),
      ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens }),
      ...(options.attempts !== undefined && { attempts: options.attempts }),
      ...(options.episodeTimeout !== undefined && { episodeTimeout: options.episodeTimeout }),
    };
  }

  #python(): Pick<RunRequest, 'python'> {
    const { python, ajetPackage, pluginDirs } = this.#options;
    const { debugging: debug } = this.#use;
    const debugpy = this.#context.debugpyFolders?.() ?? [];
    const executable = this.#executable(python);
    if (executable === undefined && ajetPackage === undefined && pluginDirs === undefined && !debug)
      return {};
    return {
      python: {
        ...(executable !== undefined && { executable }),
        ...(ajetPackage !== undefined && { package: ajetPackage }),
        ...(pluginDirs !== undefined && { pluginDirs }),
        ...(debug && { debug }),
        ...(debug && debugpy.length > 0 && { debugpy: [...debugpy] }),
      },
    };
  }

  async #environment(): Promise<EnvironmentOverlay> {
    const { env, envFile } = this.#options;
    const { files, environment } = this.#context;
    const own = await dotEnv(this.#cwd, files, environment);
    if (envFile === undefined) return { ...own, ...env };
    const file = this.#path(envFile);
    const text = await files.readText(file);
    if (text === undefined) throw this.#errors.fileNotFound('envFile', file);
    return { ...own, ...parseEnvFile(text, environment), ...env };
  }

  #judge(): Pick<RunRequest, 'judge'> {
    const { judgeTrace } = this.#options;
    if (this.#use.judge !== undefined) return { judge: this.#use.judge };
    return judgeTrace === undefined ? {} : { judge: { trace: this.#path(judgeTrace), ownConfig: true } };
  }

  async #train(): Promise<Pick<RunRequest, 'train'>> {
    const { backbone, tinkerHost, baseModel, loss, rank, steps, rehearsal, resume } = this.#options;
    const { maxHours, maxTokens, maxCost, prices } = this.#options;
    if (backbone !== 'tinker') {
      for (const option of ['maxHours', 'maxCost'] as const) {
        if (this.#options[option] === undefined) continue;
        throw this.#errors.bad(option, 'left out on the backbone `debug`', String(this.#options[option]));
      }
      return {};
    }
    for (const option of ['record', 'replay', 'faults', 'judgeTrace', 'mode', 'ajetDebugParity'] as const) {
      if (this.#options[option] === undefined) continue;
      throw this.#errors.bad(option, 'the backbone `debug`', '`tinker`');
    }
    const baseUrl = this.#tinkerUrl();
    return {
      train: {
        ...(baseUrl !== undefined && { baseUrl, ...(await this.#tinkerKey(baseUrl)) }),
        ...(tinkerHost !== undefined && { host: tinkerHost }),
        ...(baseModel !== undefined && { baseModel }),
        ...(loss !== undefined && { loss }),
        ...(rank !== undefined && { rank }),
        ...(steps !== undefined && { steps }),
        ...(maxHours !== undefined && { maxHours }),
        ...(maxTokens !== undefined && { maxTokens }),
        ...(maxCost !== undefined && { maxCost }),
        ...(prices !== undefined && { prices }),
        ...(rehearsal === true && { rehearsal }),
        ...(resume !== undefined && { resume: this.#path(resume) }),
      },
    };
  }

  #recording(): Pick<RunRequest, 'record' | 'replay' | 'faults'> {
    const { record, force = false, replay, onReplayMiss = 'fail', episode, faults } = this.#options;
    return {
      ...(record !== undefined && { record: { file: this.#path(record), overwrite: force } }),
      ...(replay !== undefined && {
        replay: {
          file: this.#path(replay),
          miss: onReplayMiss,
          ...(episode !== undefined && { episode }),
        },
      }),
      ...(faults !== undefined && {
        faults: {
          rate: faults.rate,
          seed: faults.seed ?? 0,
          kinds: faults.kinds?.length ? faults.kinds : [...faultKinds],
        },
      }),
    };
  }

  async #model(): Promise<ModelChoice> {
    const { endpoint, script } = this.#options;
    if (!callsModel(this.#options) || this.#options.backbone === 'tinker') return { kind: 'embedded' };
    const model = modelKind(this.#options);
    switch (model) {
      case 'embedded':
      case 'human':
        return { kind: model };
      case 'editor':
        return this.#editorModel();
      case 'tinker':
        return this.#checkpoint();
      case 'script':
        return this.#script('script', script, 'model');
      case 'endpoint': {
        if (endpoint === undefined)
          throw this.#errors.missing('endpoint', "the model 'endpoint' needs a server");
        const { baseUrl, model: name, apiKeyEnv } = endpoint;
        const access = await this.#key('endpoint', baseUrl, apiKeyEnv);
        const named = name ?? (await this.#onlyModel({ baseUrl, ...access }));
        return { kind: 'endpoint', baseUrl, model: named, ...access };
      }
    }
  }

  async #checkpoint(): Promise<ModelChoice> {
    const { checkpoint } = this.#options;
    if (checkpoint === undefined) {
      throw this.#errors.missing('checkpoint', "the model 'tinker' needs the path of saved weights");
    }
    const baseUrl = this.#tinkerUrl();
    const access = baseUrl === undefined ? {} : { baseUrl, ...(await this.#tinkerKey(baseUrl)) };
    return { kind: 'tinker', path: checkpoint, ...access };
  }

  async #tinkerKey(baseUrl: string): Promise<{ readonly apiKey?: string }> {
    const apiKey = await this.#context.savedTinkerKey?.(baseUrl);
    return apiKey === undefined ? {} : { apiKey };
  }

  #tinkerUrl(): string | undefined {
    const { tinkerUrl, tinkerHost } = this.#options;
    if (tinkerUrl === undefined && tinkerHost !== undefined) {
      throw this.#errors.missing(
        'tinkerUrl',
        'only VS Code and the command line open the tunnel of `tinkerHost`. `agentjet remote serve` prints its address',
      );
    }
    if (tinkerUrl !== undefined && !isHttpUrl(tinkerUrl)) {
      throw this.#errors.bad('tinkerUrl', 'an http or https URL', `'${tinkerUrl}'`);
    }
    return tinkerUrl;
  }

  #editorModel(): ModelChoice {
    const { editorModel } = this.#options;
    if (this.#context.hasEditorModels !== true)
      throw this.#errors.bad(
        'model',
        "'embedded', 'script', 'endpoint' or 'human' outside VS Code",
        "'editor'",
      );
    if (editorModel === undefined)
      throw this.#errors.missing('editorModel', "the model 'editor' needs the id of a language model");
    return { kind: 'editor', model: editorModel };
  }

  /** Returns the model of a server that has one. */
  async #onlyModel(endpoint: { readonly baseUrl: string; readonly apiKey?: string }): Promise<string> {
    const list = await listModels(endpoint);
    const server = `the server at ${writeUrl(endpoint.baseUrl)}`;
    const missing = (because: string): CodedError => this.#errors.missing('endpoint.model', because);
    if (list.kind === 'unauthorized') throw missing(`${server} lists its models only with a valid API key`);
    if (list.kind === 'failed') throw missing(`${server} does not list its models (${list.reason})`);
    const [first, ...others] = list.models;
    if (first === undefined) throw missing(`${server} has no models`);
    if (others.length > 0) throw missing(`${server} has several models: ${formatModels(list.models)}`);
    return first;
  }

  async #script(
    option: string,
    script: string | undefined,
    what: 'model' | 'helper',
  ): Promise<{ readonly kind: 'script'; readonly file: string }> {
    const file = await this.#existingPath(option, script);
    if (file === undefined) throw this.#errors.missing(option, `the ${what} 'script' needs a script file`);
    return { kind: 'script', file };
  }

  /** Debug models get the key of the endpoint's variable, or of OPENAI_API_KEY. */
  #debugModels(): RunRequest['debugModels'] {
    const { debugModels, endpoint } = this.#options;
    if (debugModels === undefined) return undefined;
    const apiKey = this.#variable(endpoint?.apiKeyEnv ?? this.#use.apiKeyEnv ?? 'OPENAI_API_KEY');
    return Object.fromEntries(
      Object.entries(debugModels).map(([name, text]) => {
        const model = parseDebugModel(name, text, (file) => this.#path(file), apiKey);
        if (model !== undefined) return [name, model];
        const expected = "'embedded', a script file, or an http or https URL";
        throw this.#errors.bad(`debugModels.${name}`, expected, `'${text}'`);
      }),
    );
  }

  async #helper(): Promise<HelperChoice | undefined> {
    const { helper, script: ownScript } = this.#options;
    if (helper === undefined) return undefined;
    const { baseUrl, model, apiKeyEnv } = helper;
    const script = helper.script ?? (helper.kind === 'script' ? ownScript : undefined);
    switch (helper.kind ?? (script === undefined ? 'endpoint' : 'script')) {
      case 'embedded':
        return { kind: 'embedded' };
      case 'script':
        return this.#script('helper.script', script, 'helper');
      case 'endpoint': {
        if (baseUrl === undefined)
          throw this.#errors.missing('helper.baseUrl', "the helper 'endpoint' needs a server");
        const access = await this.#key('helper', baseUrl, apiKeyEnv);
        return { kind: 'endpoint', baseUrl, ...(model !== undefined && { model }), ...access };
      }
    }
  }

  /** Returns the key of a server: from the variable named, otherwise the saved one. */
  async #key(
    option: 'endpoint' | 'helper',
    baseUrl: string,
    apiKeyEnv: string | undefined,
  ): Promise<{ readonly apiKey?: string }> {
    if (!isHttpUrl(baseUrl))
      throw this.#errors.bad(`${option}.baseUrl`, 'an http or https URL', `'${baseUrl}'`);
    if (apiKeyEnv === undefined) {
      const apiKey = await this.#context.savedApiKey(baseUrl);
      return apiKey === undefined ? {} : { apiKey };
    }
    const apiKey = this.#variable(apiKeyEnv);
    if (apiKey === undefined || apiKey === '')
      throw this.#errors.missingApiKey(`${option}.apiKeyEnv`, apiKeyEnv);
    return { apiKey };
  }

  #variable(name: string): string | undefined {
    return (name in this.#env ? this.#env[name] : this.#context.environment[name]) ?? undefined;
  }

  #path(file: string): string {
    return path.resolve(this.#cwd, file);
  }

  /** A bare name stays, for the launcher to find on PATH. */
  #executable(named: string | undefined): string | undefined {
    return named !== undefined && /[\\/]/.test(named) ? this.#path(named) : named;
  }

  async #existingPath(option: string, file: string | undefined): Promise<string | undefined> {
    if (file === undefined) return undefined;
    const absolute = this.#path(file);
    await this.#mustExist(option, absolute);
    return absolute;
  }

  async #mustExist(option: string, file: string): Promise<void> {
    if (!(await this.#context.files.exists(file))) throw this.#errors.fileNotFound(option, file);
  }
}

/** Returns the kind of a run's model. An endpoint or a script is enough to choose it. */
export function modelKind({
  model,
  endpoint,
  script,
  checkpoint,
}: RunOptions): NonNullable<RunOptions['model']> {
  if (model !== undefined) return model;
  if (checkpoint !== undefined) return 'tinker';
  if (endpoint !== undefined) return 'endpoint';
  return script === undefined ? 'embedded' : 'script';
}

/** Returns whether a run has an endpoint that its model does not use. */
export function ignoresEndpoint(options: RunOptions): boolean {
  return callsModel(options) && options.endpoint !== undefined && modelKind(options) !== 'endpoint';
}

/** Returns whether a run calls its model. A recording that answers alone needs no server and no key. */
export function callsModel({ replay, onReplayMiss }: RunOptions): boolean {
  return replay === undefined || onReplayMiss === 'call-model';
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** `embedded`, a script, or the base URL of a server, where `MODEL@` before it names the model, else `name` does. */
export function parseDebugModel(
  name: string,
  text: string,
  resolve: (file: string) => string,
  apiKey: string | undefined,
): ModelChoice | undefined {
  if (text === 'embedded') return { kind: 'embedded' };
  const [, model, baseUrl] = /^(?:(.+?)@)?(https?:\/\/.+)$/i.exec(text) ?? [];
  if (baseUrl !== undefined)
    return { kind: 'endpoint', baseUrl, model: model ?? name, ...(apiKey !== undefined && { apiKey }) };
  return /\.(?:[cm]?[jt]s|json)$/.test(text) ? { kind: 'script', file: resolve(text) } : undefined;
}
