import { type CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, toReport, type Location } from '../../../base/core/errors.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { EpisodeResult, RunLocations } from '../../../tracking/core/records/episodeResult.ts';
import { type RunRequest } from '../protocol/run.ts';
import type { TracedRunEnd } from '../../../tracking/core/records/tracedRun.ts';
import { limitCode } from '../model-tuner/callBudget.ts';
import type { JudgeContext } from '../task-judge/judge.ts';
import { factsOf, runStarted } from './runPlan.ts';
import { judgeAgain } from './judgeAgain.ts';
import { replayRequest, replayTarget } from './replayedEpisode.ts';
import { configuredJudge, type ResolvedLocator } from './userClasses.ts';
import { openBatch, prepare, runBatch, warn, type LaunchPorts, type LiveRun } from './batch.ts';
import type { FindingKind } from '../../../tracking/core/findingKind.ts';
import { findingKinds } from '../../../tracking/core/findings.ts';

export async function findCodeLocations(
  config: Config,
  { placeOf }: Pick<JudgeContext, 'placeOf'>,
): Promise<RunLocations> {
  const [execute, judge] = await Promise.all([placeOf('execute'), judgePlace(config, placeOf)]);
  return {
    ...(execute && { execute }),
    ...(judge && { judge }),
    keys: Object.fromEntries(findingKeys.map((key) => [key, config.locate(key)])),
  };
}

async function judgePlace(config: Config, placeOf: JudgeContext['placeOf']): Promise<Location | undefined> {
  if (configuredJudge(config) === undefined) return undefined;
  // The judge that the config names may not exist, as long as no episode needs it.
  return placeOf('computeReward').catch(() => config.locate('ajet.task_judge.judge_protocol'));
}

const kinds: readonly FindingKind[] = Object.values(findingKinds);
const findingKeys: readonly string[] = [
  ...new Set(kinds.flatMap(({ target: place = '' }) => (place.startsWith('key:') ? [place.slice(4)] : []))),
];

/** Executes a run, from the request to `run-ended`. Never rejects. */
export async function launch(
  request: RunRequest,
  ports: LaunchPorts,
  cancellation: CancellationToken,
): Promise<void> {
  const end = await work(request, ports, cancellation).catch((error: unknown) =>
    cancellation.isCancelled ? cancelled : failed(error, ports),
  );
  ports.emit({ type: 'run-ended', ...end });
}

async function work(
  request: RunRequest,
  ports: LaunchPorts,
  cancellation: CancellationToken,
): Promise<RunEnd> {
  const { judge, train: choice } = request;
  if (judge !== undefined) return judgeAgain(request, judge, ports, cancellation);
  if (choice === undefined) return run(request, ports, cancellation);
  const { train } = await import('../trainer/train.ts');
  return train(request, choice, ports, cancellation);
}

export type RunEnd = Omit<TracedRunEnd, 'endedAt'>;

/** Used for every failure after a cancellation, since the cancellation most likely caused it. */
const cancelled: RunEnd = { status: 'cancelled', error: null };

function failed(error: unknown, ports: LaunchPorts): RunEnd {
  const location = error instanceof CodedError ? undefined : ports.episodes.userFrame(error);
  const report = toReport(error, 'launcher/unexpected');
  return { status: 'failed', error: { ...report, ...(location && { location }) } };
}

async function run(asked: RunRequest, ports: LaunchPorts, cancellation: CancellationToken): Promise<RunEnd> {
  const wanted = replayTarget(asked, ports.readReplayed);
  const request = replayRequest(asked, wanted);
  const prepared = await prepare(request, wanted, ports, cancellation);
  const { plan, slots } = prepared;
  const text = await ports.findModelText(request, plan);
  if (text.problem !== undefined) warn(ports, text.problem);
  const modelTuner = await ports.openModelTuner(request, plan, text);
  try {
    const folder = await ports.openFolder(plan, request);
    const facts = factsOf(request, plan, {
      workflowFile: await fileOf(prepared.workflow, ports),
      judge: configuredJudge(prepared.config),
      model: modelTuner.description,
      tokenizer: text.note,
      tasks: new Set(slots.map(({ taskIndex }) => taskIndex)).size,
      episodes: slots.length,
      startedAt: ports.clock.now(),
    });
    const live = openBatch({
      ...{ ...prepared, request, text, modelTuner, ports, cancellation },
      openTrace: request.trace === false ? undefined : () => folder.openTrace(facts),
    });
    const { tracker, rollout } = live;
    const place = { folder: folder.path, trace: tracker.trace };
    ports.emit(runStarted(facts, { ...place, parallel: plan.parallel, mode: plan.mode }));
    // Before the first episode, so that no episode's time includes it.
    if (text.opensOnDemand !== true) await tracker.open();
    const rolling = runBatch(live);
    const finding = findPlaces(live);
    const end = await rolling.then(
      (results) => endOf(results, live),
      (error: unknown) => failed(error, ports),
    );
    modelTuner.episodesEnded();
    ports.emit({ type: 'places', places: await finding });
    const selection = rollout.selection();
    if (selection !== undefined) ports.emit({ type: 'selection', episodes: [...selection] });
    tracker.runEnded({ ...end, ...(selection && { selection }), endedAt: ports.clock.now() });
    return end;
  } finally {
    await modelTuner.close();
  }
}

function endOf(results: readonly EpisodeResult[], { slots, ports, cancellation }: LiveRun): RunEnd {
  if (cancellation.isCancelled) return cancelled;
  const left = slots.length - results.length;
  if (!ports.budget.isReached) return left === 0 ? { status: 'completed', error: null } : repeatedError(left);
  const stopped = results.filter(({ error }) => error?.code === limitCode).length;
  const counts = { ended: results.length - stopped, stopped, total: slots.length };
  return failed(ports.budget.error(counts), ports);
}

/** @param left the number of episodes that did not run */
function repeatedError(left: number): RunEnd {
  const episodes = left === 1 ? 'the last episode' : `the other ${left} episodes`;
  const message = `The run stopped, because ${episodes} would fail with the same error.`;
  return { status: 'failed', error: { code: 'launcher/repeated-error', message } };
}

/** Runs in parallel with the episodes, so that breakpoints do not wait for it. */
function findPlaces({ config, context, tracker }: LiveRun): Promise<RunLocations> {
  const finding = findCodeLocations(config, context).then((places) => {
    tracker.codeFound({ execute: places.execute, judge: places.judge });
    return places;
  });
  finding.catch(() => undefined); // reported when the run awaits it
  return finding;
}

/** The file of a workflow in Trinity-RFT's registry is known only after it is loaded. */
async function fileOf({ file, locator }: ResolvedLocator, ports: LaunchPorts): Promise<string> {
  return locator.kind === 'trinity' ? (await ports.placeOfMethod(locator, 'execute')).file : file;
}
