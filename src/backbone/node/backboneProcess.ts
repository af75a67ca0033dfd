/** The backbone process. It executes one run on the request of the run client, reports events and exits. */

import path from 'node:path';
import process from 'node:process';
import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { LaunchPorts } from '../core/launcher/batch.ts';
import { launch } from '../core/launcher/launch.ts';
import { readRows } from '../core/launcher/taskSource.ts';
import type { ModelTextSource } from '../core/context-tracker/modelTextSource.ts';
import type { DataSetPorts } from '../core/task-reader/data-set/table.ts';
import { CallBudget } from '../core/model-tuner/callBudget.ts';
import { CancellationSource } from '../../base/core/cancellation.ts';
import { toReport, CodedError, messageOf } from '../../base/core/errors.ts';
import { Emitter } from '../../base/core/event.ts';
import type { Logger } from '../../base/core/ports.ts';
import { locateMethod } from '../../configs/core/code/methodPlace.ts';
import {
  type RunClientMessage,
  type ModelAnswer,
  type RunEvent,
  type RunRequest,
  warningEvent,
} from '../core/protocol/run.ts';
import type { RecordedRun } from '../../traces/core/protocol/runRpc.ts';
import { localClassFinder } from '../../configs/node/classFinder.ts';
import { systemClock } from '../../base/node/clock.ts';
import { deferred } from '../../base/node/process/deferred.ts';
import { readReplayed } from '../../traces/node/replayedFile.ts';
import { envTransport, localParts, createReaderTools } from './readerTools.ts';
import { localFiles } from '../../base/node/files.ts';
import { huggingFaceHub } from './hub/dataSetHub.ts';
import { isScript, runScript, type ScriptPorts } from './job/runScript.ts';
import { installLoader, type Loader } from './loader/loader.ts';
import { openHelperLlm, type HelperContext } from './model-tuner/helperLlm.ts';
import type { HelperLlm } from '../core/helper-llm/helperLlm.ts';
import { openModel, openModelTuner } from './model-tuner/modelTuner.ts';
import { RunRecordings } from './recording/runRecordings.ts';
import { isPythonScript, runTuneScript } from './python/tuneScript.ts';
import { serveRunClient } from './process/runClient.ts';
import { descendantsOf, killOwnTree, killSurvivors } from '../../base/node/process/kill.ts';
import { configCopy, openFolderOfTraining, openRunFolder } from './runFolder.ts';
import { openTraceReader } from '../../traces/node/store/openReader.ts';
import { UncaughtErrors } from '../../base/node/uncaught.ts';
import { noticeLog } from './model-tuner/checkpointModel.ts';
import { killLeftovers } from './python/worker.ts';
import { userCodeOf, type UserCode, type UserCodeOptions } from './userCode.ts';
import type { RunPlan } from '../core/launcher/runPlan.ts';
import type { ModelText } from '../../tracking/core/tokenizer.ts';
import { findModelText } from './tokenizer/open.ts';
import { astunerRun } from '../../configs/core/astuner/astunerRun.ts';
import { compose, type Composition } from '../../configs/core/compose.ts';
import { dialectOf, type DialectId } from '../../configs/core/dialect.ts';
import { trinityRun } from '../../configs/core/trinity/trinityRun.ts';

const ownFolder = import.meta.dirname;
const cancellation = new CancellationSource();
const answers = new Emitter<ModelAnswer>();
const attached = deferred<undefined>();
let started = false;
let isHeld = false;

const runClient = serveRunClient({
  onMessage: take,
  onUnknown: (line) => emit({ type: 'log', level: 'warn', message: `Not understood: ${line.slice(0, 200)}` }),
  // No one can receive events or stop the run any more.
  onClosed: killOwnTree,
});

function emit(event: RunEvent): void {
  // Collect garbage once the heap has grown by half. A run of a thousand episodes then needs little more memory than
  // one of a hundred. Before the first episode has ended, this would only slow the start.
  if (event.type === 'episode-ended') setFlagsFromString('--heap-growing-percent=50');
  runClient.send(event);
}

function take(message: RunClientMessage): void {
  if (message.type === 'cancel') {
    cancellation.cancel();
  } else if (message.type === 'model-answers') {
    answers.fire(message);
  } else if (message.type === 'held') {
    isHeld = message.held;
  } else if (message.type === 'attached') {
    attached.resolve(undefined);
  } else if (!started) {
    started = true;
    if (message.inspected !== true) attached.resolve(undefined);
    void run(message.request, message.inspected === true);
  }
}

/** Waits for the JavaScript debugger, if there is one. Everything before it is done while the debugger attaches. */
async function untilAttached(): Promise<void> {
  const alive = setInterval(() => undefined, 1_000_000); // Nothing else may keep the process alive.
  await attached.promise;
  clearInterval(alive);
}

async function run(request: RunRequest, inspected: boolean): Promise<void> {
  await runWhole(request, inspected);
  await untilAttached(); // An editor reports an error if the process ends while its debugger attaches.
  // Timers and sockets that the user's code left open must not keep a completed run alive.
  await flushed(process.stdout);
  await flushed(process.stderr);
  // Kill programs that it started in their own process group. After this process exits, no one can find them.
  killSurvivors(descendantsOf(process.pid));
  killLeftovers();
  process.exit(0);
}

/** Executes the run of a config, or the one that a script starts. */
function runWhole(request: RunRequest, inspected: boolean): Promise<void> {
  const { ports, loader, config, code } = portsOf(request, inspected);
  const start: ScriptPorts['launch'] = (changes) =>
    launch(request, { ...ports, ...changes }, cancellation.token);
  if (isPythonScript(request.config) && request.judge === undefined) {
    return runTuneScript(request, {
      cancellation: cancellation.token,
      now: () => new Date(),
      emit,
      runScript: (file, answers) => code.runScript(file, answers),
      compose: (file, text) => config.compose(file, text),
      launch: start,
      readRows: (compose, first) =>
        readRows(request, first, { ...ports, readConfig: compose }, cancellation.token),
    });
  }
  if (!isScript(request.config)) return launch(request, ports, cancellation.token);
  return runScript(request, {
    emit,
    load: (file) => loader.importModule(file),
    findExport: (value, except) => loader.findExport(value, except),
    userFrame: (error) => loader.userFrame(error),
    compose: (file, text) => config.compose(file, text),
    launch: start,
  });
}

/** Returns the config of a run. If the run of a script is scored again, this is the copy in the run's folder. */
function configOf({ config, judge }: RunRequest): string {
  const isMade = judge !== undefined && (isScript(config) || isPythonScript(config));
  return isMade ? path.join(path.dirname(judge.trace), configCopy) : config;
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

const dataSets: DataSetPorts = {
  parts: localParts,
  hub: huggingFaceHub({ env: process.env, home: homedir(), platform: process.platform }),
};

interface RunPorts {
  readonly ports: LaunchPorts;
  readonly loader: Loader;
  readonly config: RunConfig;
  readonly code: UserCode;
}

function portsOf(request: RunRequest, inspected: boolean): RunPorts {
  const sdkUrl = pathToFileURL(path.join(ownFolder, 'sdk.mjs')).href;
  const compiler = path.join(ownFolder, 'typescript.cjs');
  const loader = installLoader({ sdkUrl, compiler, beforeUserCode: untilAttached });
  const logger: Logger = { log: (level, message) => emit({ type: 'log', level, message }) };
  // It is found after the user's code is loaded, and before an episode starts.
  let trainedText: ModelTextSource | undefined;
  const openText: UserCodeOptions['openText'] = () =>
    trainedText?.open() ?? Promise.reject(new Error('No tokenizer was selected.'));
  const { code, episodes } = userCode(request, loader, { logger, openText, inspected });
  const classes = localClassFinder([request.cwd]);
  const config = new RunConfig(request);
  const recordings = new RunRecordings(request, logger, emit);
  // A training counts the tokens that its server processes.
  const { maxCalls, maxTokens, train } = request;
  const budget = new CallBudget(train === undefined ? { maxCalls, maxTokens } : { maxCalls, canEnd: true });
  const ports: LaunchPorts = {
    clock: systemClock,
    files: localFiles,
    paths: path,
    emit,
    readConfig: (asked) => config.compose(configOf(asked)),
    loadWorkflow: (locator) => code.loadWorkflow(locator),
    loadJudge: (locator) => code.loadJudge(locator),
    loadRewardFn: (name) => code.loadRewardFn(name),
    placeOfMethod: async (locator, method) =>
      code.locationOf(locator) ?? locateMethod(locator, method, classes, (one) => localFiles.readText(one)),
    findModelText: async (_, plan) => (trainedText = await findRunText(request, plan)),
    openModelTuner: (asked, plan, text, trained) =>
      openModelTuner(asked, plan, text, loader, emit, {
        trained,
        cancellation: cancellation.token,
        onAnswer: answers.event,
        recordings,
        budget,
      }),
    budget,
    envTransport,
    dataSets,
    openHelper: (plan) => openRunHelper(request, plan, { loader, logger, recordings, budget }),
    readerTools: (plan) => createReaderTools(request, plan.seed, request.allowEnvironment ? process.env : {}),
    readReplayed,
    readTrace: readRecorded,
    openFolder: (plan) => openRunFolder(plan.folder, config.text, request.config),
    trainer: {
      connect: async ({ baseUrl, apiKey }, onTokens, token) => {
        const { openTinker } = await import('../../tinker/node/openTinker.ts');
        return openTinker({ baseUrl, apiKey, onTokens, cancellation: token, onNotice: noticeLog(logger) });
      },
      openFolder: (plan, resume) => openFolderOfTraining(plan.folder, config.text, request.config, resume),
    },
    episodes: {
      newUuid: () => randomBytes(16).toString('hex'),
      ...episodes,
      isHeld: () => isHeld,
    },
  };
  return { ports, loader, config, code };
}

function userCode(
  request: RunRequest,
  loader: Loader,
  {
    logger,
    openText,
    inspected,
  }: Pick<UserCodeOptions, 'logger' | 'openText'> & { readonly inspected: boolean },
): Pick<RunPorts, 'code'> & { readonly episodes: Omit<LaunchPorts['episodes'], 'newUuid' | 'isHeld'> } {
  const uncaught = new UncaughtErrors((error) => reportUncaught(error, code));
  const code = userCodeOf({
    request,
    loader,
    logger,
    pythonFolder: path.join(ownFolder, 'python'),
    openText,
    onUncaught: (error) => uncaught.take(error),
    warn: (problem) => emit(warningEvent(problem)),
    onDebugger: (address) => emit({ type: 'debugger', language: 'python', address }),
  });
  const episodes: Omit<LaunchPorts['episodes'], 'newUuid' | 'isHeld'> = {
    userFrame: (error) => code.userFrame(error),
    userStack: (error) => code.userStack(error),
    ...(inspected && { callUser: (work) => uncaught.run(work) }),
    onUncaught: uncaught.onUncaught,
    onEnd: (uuid) => code.ended(uuid),
  };
  return { code, episodes };
}

function openRunHelper(
  request: RunRequest,
  plan: RunPlan,
  parts: Pick<HelperContext, 'logger' | 'recordings' | 'budget'> & { readonly loader: Loader },
): HelperLlm {
  const { loader, ...counted } = parts;
  return openHelperLlm(request.helper, {
    ...counted,
    seed: plan.seed,
    clock: systemClock,
    environment: request.allowEnvironment ? process.env : {},
    openLocal: (choice) => {
      const text = { open: async () => (await findRunText(request, plan)).open() };
      return openModel(choice, plan.seed, text, loader, counted.logger);
    },
    warn: (problem) => emit(warningEvent(problem)),
  });
}

function readRecorded(file: string): RecordedRun {
  const reader = openTraceReader(file);
  try {
    return reader.read((views) => views.recorded());
  } finally {
    reader.close();
  }
}

function reportUncaught(error: unknown, code: Pick<UserCode, 'userFrame'>): void {
  const location = code.userFrame(error);
  const report = toReport(error, 'episode/uncaught');
  const hint = 'Several episodes were running, or none. To find the episode, run one at a time.';
  emit({ type: 'problem', severity: 'error', report: { ...report, hint, ...(location && { location }) } });
}

async function findRunText(
  request: Pick<RunRequest, 'tokenizer' | 'cwd' | 'config'>,
  plan: Pick<RunPlan, 'modelPath'>,
): Promise<ModelTextSource> {
  const found = await findModelText({
    setting: request.tokenizer,
    modelPath: plan.modelPath ?? undefined,
    cwd: request.cwd,
    configFile: request.config,
    files: localFiles,
    env: process.env,
    home: homedir(),
    platform: process.platform,
  });
  let opened: Promise<ModelText> | undefined;
  return { ...found, open: () => (opened ??= found.open()) };
}

/** The config of a run, as last composed. */
class RunConfig {
  readonly #request: Pick<RunRequest, 'cwd' | 'allowEnvironment'>;
  text = '';

  constructor(request: Pick<RunRequest, 'cwd' | 'allowEnvironment'>) {
    this.#request = request;
  }

  /** @param text the text of the config; read from the file if absent */
  async compose(file: string, text?: string): Promise<Composition> {
    this.text = text ?? (await readConfigText(file));
    const { cwd, allowEnvironment } = this.#request;
    const dialect = dialectOf(this.text);
    const composed = await compose({
      file,
      text: this.text,
      ...(dialect && { dialect }),
      cwd,
      files: localFiles,
      paths: path,
      environment: allowEnvironment ? (name) => process.env[name] : 'blocked',
    });
    return dialect === undefined ? composed : runs[dialect.id](composed);
  }
}

/** Converts a composed config to AgentJet's own keys, which the debug backbone reads. */
const runs: Readonly<Record<DialectId, (composed: Composition) => Composition>> = {
  ajet: (composed) => composed,
  astuner: astunerRun,
  trinity: trinityRun,
};

async function readConfigText(file: string): Promise<string> {
  const text = await localFiles.readText(file).catch((error: unknown) => {
    throw unreadableConfig(file, error);
  });
  if (text !== undefined) return text;
  throw new CodedError({
    code: 'launcher/config-not-found',
    message: `The config ${file} does not exist.`,
    hint: 'Correct the path of the config.',
  });
}

function unreadableConfig(file: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'launcher/config-unreadable',
    message: `The config ${file} cannot be read: ${messageOf(cause)}.`,
    hint: 'Select a YAML file that you can read.',
    cause,
  });
}
