import process from 'node:process';
import type { ModelTextSource } from '../../core/context-tracker/modelTextSource.ts';
import { tokenPieces } from '../../core/context-tracker/tokenPieces.ts';
import type { ModelTuner, RunPlan } from '../../core/launcher/runPlan.ts';
import { createBuiltInModel } from '../../core/model-tuner/built-in/builtInModel.ts';
import type { CallBudget } from '../../core/model-tuner/callBudget.ts';
import { FaultTally, withFaults } from '../../core/model-tuner/faults/faults.ts';
import { createGateway, type FinishedCall, type Gateway } from '../../core/model-tuner/gateway.ts';
import type { ChatModel } from '../../core/model-tuner/model.ts';
import { type Targets, TargetUsage } from '../../core/model-tuner/routing.ts';
import { createTuner, type TunerBinding } from '../../core/model-tuner/tuner.ts';
import type { EpisodeSlot } from '../../core/task-runner/episode.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Location } from '../../../base/core/errors.ts';
import { Emitter, type Event } from '../../../base/core/event.ts';
import { hashText } from '../../../base/core/random.ts';
import type { Logger, LogLevel } from '../../../base/core/ports.ts';
import {
  type ModelAnswer,
  type ModelChoice,
  type RunEvent,
  type RunRequest,
  warningEvent,
} from '../../core/protocol/run.ts';
import type { Workflow } from '../../../sdk/core/index.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { DebugModels } from './debugModels.ts';
import { createEditorModel } from './editorModel.ts';
import { createEndpointModel } from './endpointModel.ts';
import { Checkpoints } from './checkpointModel.ts';
import { createHumanModel } from './humanModel.ts';
import { localFiles } from '../../../base/node/files.ts';
import { createModelFetch, startModelServer } from './modelServer.ts';
import { OutsideWatch, type UserStacks } from './outsideCalls.ts';
import { openPrinter } from '../printedOutput.ts';
import { openRunRecording, type RunRecordings } from '../recording/runRecordings.ts';
import { loadScriptModel } from './scriptModel.ts';

/** The part of the loader that scripted models need. */
export interface ScriptLoader {
  importModule(file: string): Promise<unknown>;
  userFrame(error: unknown): Location | undefined;
}

export type TunerLoader = ScriptLoader & UserStacks;

export type TunerRequest = Pick<
  RunRequest,
  | 'config'
  | 'model'
  | 'record'
  | 'replay'
  | 'faults'
  | 'debugModels'
  | 'trainableTargets'
  | 'allowEnvironment'
>;

export interface RunServices {
  readonly cancellation: CancellationToken;
  readonly onAnswer: Event<ModelAnswer>;
  readonly recordings: RunRecordings;
  readonly budget: CallBudget;
  /** The model that is trained; undefined: that of the request. */
  readonly trained?: ChatModel | undefined;
}

type Planned = Pick<RunPlan, 'seed' | 'sampling' | 'tracking' | 'auxiliaryModels' | 'toolParser'>;

/** Opens the Model Tuner of a run: a gateway with a loopback server and a `fetch` in this process. */
export async function openModelTuner(
  request: TunerRequest,
  plan: Planned,
  text: ModelTextSource,
  loader: TunerLoader,
  emit: (event: RunEvent) => void,
  { cancellation, onAnswer, recordings, budget, trained }: RunServices,
): Promise<ModelTuner> {
  const { seed, sampling } = plan;
  const { toolCallsDisabled } = plan.tracking;
  const logger = { log: (level: LogLevel, message: string) => emit({ type: 'log', level, message }) };
  const { names } = recordings;
  recordings.toolCallsDisabled = toolCallsDisabled;
  const around = await openModelLayers(request, recordings, logger);
  const checkpoints = new Checkpoints(logger, cancellation);
  const client = { clock: systemClock, onAnswer, emit };
  const openOwn = ownOpener({
    client,
    names,
    checkpoints,
    text,
    toolParser: plan.toolParser,
    open: (choice) => openModel(choice, seed, text, loader, logger),
  });
  const open = async (choice: ModelChoice): Promise<ChatModel> => budget.around(await openOwn(choice));
  const model = await around(() => (trained ? budget.around(trained) : open(request.model)), 'trained');
  const recorded = { names, model: model.description, cancellation, emit };
  const recording = recordings.recordTo(await openRunRecording(request, recorded));
  const openDebug = (choose: () => ModelChoice): Promise<ChatModel> => around(() => open(choose()), 'debug');
  const debugModels = debugModelsOf(request, plan, openDebug, logger);
  const targets = new TargetUsage((problem) => emit(warningEvent(problem)));
  const calls = new Emitter<FinishedCall>();
  const faults = new FaultTally();
  calls.event((call) => recording?.take(call));
  calls.event((call) => faults.take(call));
  calls.event((call) => targets.uses(call.targetTag));
  const observer = { onCall: (call: FinishedCall) => calls.fire(call) };
  const debugModel = (name: string): Promise<ChatModel> => debugModels.get(name);
  const rules = { seed, sampling, toolCallsDisabled, clock: systemClock, logger };
  const gateway = createGateway({ ...rules, model, debugModel, observer });
  const server = await startModelServer(gateway.handle);
  const outside = new OutsideWatch(server.baseUrl, loader);
  const { trainableTargets } = request;
  const parts = { gateway, recordings, cancellation, debugModels, targets, trainableTargets, faults };
  return {
    description: model.description,
    onCall: calls.event,
    openCalls: episodeOpener({ ...parts, outside, loader, baseUrl: server.baseUrl }),
    episodesEnded: () => targets.close(),
    close: async () => {
      outside.close();
      await server.close();
      await checkpoints.close();
      recording?.close();
    },
  };
}

function debugModelsOf(
  { debugModels = {}, model, allowEnvironment }: TunerRequest,
  { auxiliaryModels }: Planned,
  open: (choose: () => ModelChoice) => Promise<ChatModel>,
  logger: Logger,
): DebugModels {
  const environment = allowEnvironment ? process.env : {};
  const choices = debugModels;
  return new DebugModels({ choices, auxiliary: auxiliaryModels, trained: model, environment, open, logger });
}

interface OpenerParts {
  readonly client: Omit<Parameters<typeof createEditorModel>[0], 'model'>;
  readonly names: RunRecordings['names'];
  readonly checkpoints: Checkpoints;
  readonly text: ModelTextSource;
  readonly toolParser: RunPlan['toolParser'];
  readonly open: (choice: Parameters<typeof openModel>[0]) => ChatModel | Promise<ChatModel>;
}

/** Returns a function that opens any model, also one that a client of the run or a Tinker server has. */
function ownOpener({ client, names, checkpoints, text, toolParser, open }: OpenerParts) {
  return (choice: ModelChoice): ChatModel | Promise<ChatModel> => {
    switch (choice.kind) {
      case 'human':
        return createHumanModel({ ...client, names });
      case 'editor':
        return createEditorModel({ ...client, model: choice.model });
      case 'tinker':
        return checkpoints.open(choice, text, toolParser);
      case 'embedded':
      case 'script':
      case 'endpoint':
        return open(choice);
    }
  };
}

interface EpisodeParts extends Pick<RunServices, 'recordings' | 'cancellation'> {
  readonly gateway: Gateway;
  readonly baseUrl: string;
  readonly debugModels: DebugModels;
  readonly targets: TargetUsage;
  /** The trained targets of the run; undefined for those of the workflow. */
  readonly trainableTargets: readonly string[] | undefined;
  readonly faults: FaultTally;
  readonly outside: OutsideWatch;
  readonly loader: TunerLoader;
}

function episodeOpener(parts: EpisodeParts): ModelTuner['openCalls'] {
  const { gateway, baseUrl, recordings, debugModels, targets } = parts;
  const fetchFor = fetchesOf(gateway, parts.loader);
  return (slot, episodeUuid, guard) => {
    const { episode, task, repeat } = slot;
    const name = recordings.names.begin(episode, task.task_id, repeat);
    const identity = { episode, episodeUuid, address: baseUrl, seed: seedOf(slot) };
    const handle = gateway.openEpisode({ ...identity, ...(guard && { guard }) });
    return {
      tunerFor: (workflow) => {
        const trained = settleTargets(workflow, parts.trainableTargets);
        targets.names(trained);
        handle.trainOnly(trained);
        return createTuner({
          ...{ baseUrl, fetchFor, targets: trained, debugModels: debugModels.names },
          apiKeyFor: (agent) => handle.apiKeyFor(agent),
          contextOverflow: () => handle.contextOverflow,
          progress: () => handle.progress,
        });
      },
      get answered() {
        return handle.llmCalls;
      },
      get failure() {
        return handle.failure;
      },
      get faults() {
        return parts.faults.of(episodeUuid);
      },
      get routing() {
        return handle.routing;
      },
      outside: parts.outside.openEpisode(),
      printer: openPrinter(episodeUuid),
      close: () => {
        handle.close();
        recordings.episodeEnded(name, parts.cancellation);
      },
    };
  };
}

/** Returns `fetch` functions that send the line of the user's code, which is known only at the start of the call. */
function fetchesOf({ handle }: Gateway, loader: TunerLoader): TunerBinding['fetchFor'] {
  return (adapter) => (input, init) => {
    const source = loader.callSource();
    return createModelFetch((asked) => handle({ ...asked, adapter, source }))(input, init);
  };
}

/** Returns the trained targets. Those of the run win over those of the workflow, and the workflow can see them. */
function settleTargets(
  workflow: Pick<Workflow, 'trainableTargets'>,
  ofRun: readonly string[] | undefined,
): Targets {
  if (ofRun !== undefined) workflow.trainableTargets = ofRun;
  return workflow.trainableTargets;
}

/** Depends on the task's content and not on its position, so that a task that runs alone samples the same. */
function seedOf({ task, repeat, attempt = 1, step }: EpisodeSlot): number {
  const again = `${attempt > 1 ? `\n${attempt}` : ''}${step === undefined ? '' : `\nstep ${step}`}`;
  return hashText(`${task.task_id}\n${task.main_query}\n${repeat}${again}`);
}

/** Opens a model. Throws errors of its kind, such as `model/script-not-found`. */
export function openModel(
  choice: Exclude<ModelChoice, { kind: 'human' | 'editor' | 'tinker' }>,
  seed: number,
  text: Pick<ModelTextSource, 'open'>,
  loader: ScriptLoader,
  logger: Logger,
): ChatModel | Promise<ChatModel> {
  switch (choice.kind) {
    case 'embedded':
      return createBuiltInModel({
        seed,
        openTokens: async () => tokenPieces((await text.open()).tokenizer),
      });
    case 'script':
      return loadScriptModel({
        file: choice.file,
        files: localFiles,
        clock: systemClock,
        load: (file) => loader.importModule(file),
        userFrame: (error) => loader.userFrame(error),
      });
    case 'endpoint':
      return createEndpointModel({ ...choice, logger });
  }
}

/** Wraps a model of a run. */
type ModelLayers = (
  open: () => ChatModel | Promise<ChatModel>,
  role: 'trained' | 'debug',
) => Promise<ChatModel>;

/** A replay opens the models only if it can need them. Rejects with `recording/…`. */
async function openModelLayers(
  { faults }: Pick<RunRequest, 'faults'>,
  recordings: RunRecordings,
  logger: Logger,
): Promise<ModelLayers> {
  const around = (model: ChatModel): ChatModel =>
    faults === undefined ? model : withFaults(model, { ...faults, names: recordings.names, logger });
  const replay = await recordings.replay();
  if (replay === undefined) return async (open) => around(await open());
  return async (open, role) => {
    if (role === 'debug' && !replay.hasDebugModels) return around(await open());
    return around(replay.player.inPlaceOf(replay.asksModels ? await open() : undefined));
  };
}
