import { formatReport, toReport, type ErrorReport } from '../../base/core/errors.ts';
import { forTerminal } from '../../base/core/optionNames.ts';
import {
  RunProgress,
  type RunStarted,
  counted,
  formatEpisode,
  formatEpisodeErrors,
  formatResults,
  inOrder,
  metricsOf,
  reportOf,
  rewardDifference,
} from '../node/client/runReport.ts';
import {
  formatTraining,
  formatTrainingEvent,
  type TrainingEvent,
  type TrainingProgress,
} from '../node/client/trainingReport.ts';
import type { RunExit } from '../node/client/runLauncher.ts';
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';
import type { RunEvent } from '../core/protocol/run.ts';
import { groupsOf, measures } from '../../tracking/core/groups.ts';
import { hintOf, levelOf, type Finding } from '../../tracking/core/finding.ts';
import type { CommonFinding } from '../../tracking/core/reportTally.ts';
import type { TrainingReport } from '../../tracking/core/report.ts';
import type { GroupVerdict } from '../../tracking/core/verdicts.ts';
import { type CommandIo, exitCodes } from '../../base/node/terminal/commandIo.ts';

export interface ViewOptions {
  readonly json: boolean;
  readonly verbose: boolean;
}

type EpisodeStarted = Extract<RunEvent, { type: 'episode-started' }>;

/** The end of a run: by itself, or because the command ended it. */
export type Ending = 'own' | 'interrupted' | 'blocked';

/** Prints a run as it goes, on stderr, and its results at the end, on stdout. */
export class TerminalView {
  readonly #options: ViewOptions;
  readonly #io: CommandIo;
  readonly #run = new RunProgress();
  readonly #running = new Map<number, EpisodeStarted>();

  constructor(options: ViewOptions, io: CommandIo) {
    this.#options = options;
    this.#io = io;
  }

  take(event: RunEvent): void {
    this.#run.take(event);
    switch (event.type) {
      case 'run-started':
        this.#say(describeRun(event));
        return;
      case 'episode-started':
        this.#running.set(event.episode, event);
        return;
      case 'llm-call':
        if (this.#options.verbose) this.#say(describeCall(event));
        return;
      case 'episode-ended':
        this.#running.delete(event.result.episode);
        // A training has too many of them.
        if (this.#run.training === undefined || this.#options.verbose) this.#say(formatEpisode(event.result));
        return;
      case 'training-started':
      case 'training-phase':
      case 'training-step':
      case 'training-validation':
      case 'training-checkpoint':
      case 'training-usage':
        this.#sayTraining(event);
        return;
      case 'log':
        if (event.level !== 'debug' || this.#options.verbose) this.#say(event.message);
        return;
      case 'problem':
        this.#say(`${event.severity}: ${formatReport(event.report, this.#options)}`);
        return;
      case 'model-asks':
      case 'model-asks-no-more':
        return; // for the terminal that the person is at
      case 'model-request':
      case 'model-request-cancelled':
      case 'debugger':
      case 'places':
        return; // for editors
      case 'selection':
      case 'run-ended':
        return; // for the results
    }
  }

  /** Prints the results. Returns the exit code. */
  finish(exit: RunExit, ending: Ending): number {
    const failure = ending === 'own' ? this.#failureOf(exit) : undefined;
    this.#failRunning(failure ?? stopped);
    const { started, ended, training } = this.#run;
    if (training !== undefined) return this.#finishTraining(training, failure, ending);
    const results = inOrder(this.#run.results);
    if (this.#options.json) {
      this.#writeJson(results, started, failure);
    } else if (started !== undefined && results.length > 0) {
      this.#io.stdout.write(forTerminal(`\n${formatResults(results, started)}\n`));
    }
    for (const text of formatEpisodeErrors(results, this.#options)) this.#writeError(text);
    if (failure !== undefined && !results.some(({ error }) => error === failure)) {
      this.#writeError(`agentjet: ${formatReport(failure, this.#options)}`);
    }
    if (ending === 'interrupted') return exitCodes.interrupted;
    if (started === undefined || ended?.status === 'failed') return exitCodes.couldNotStart;
    return results.some(({ error }) => error !== null) ? exitCodes.someFailed : exitCodes.ok;
  }

  /** Prints the rewards of a training by step. Returns the exit code. */
  #finishTraining(training: TrainingProgress, failure: ErrorReport | undefined, ending: Ending): number {
    const { started, ended } = this.#run;
    const { steps, validations, checkpoint, usage } = training;
    if (this.#options.json) {
      const document = {
        steps,
        validations,
        checkpoint,
        usage: usage?.usage,
        folder: started?.folder,
        ...(failure && { error: failure }),
      };
      this.#io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    } else {
      const text = formatTraining(training, started?.folder ?? '', ended?.status === 'completed');
      this.#io.stdout.write(forTerminal(`\n${text}\n`));
    }
    if (failure !== undefined) this.#writeError(`agentjet: ${formatReport(failure, this.#options)}`);
    if (ending === 'interrupted') return exitCodes.interrupted;
    return ended?.status === 'completed' ? exitCodes.ok : exitCodes.couldNotStart;
  }

  #sayTraining(event: TrainingEvent): void {
    const text = this.#run.training && formatTrainingEvent(event, this.#run.training);
    if (text !== undefined) this.#say(text);
  }

  /** Reports why there was no run. Returns the exit code. */
  cannotStart(error: ErrorReport): number {
    if (this.#options.json) this.#writeJson([], undefined, error);
    this.#writeError(`agentjet: ${formatReport(error, this.#options)}`);
    return exitCodes.couldNotStart;
  }

  #failureOf(exit: RunExit): ErrorReport | undefined {
    const { ended } = this.#run;
    if (ended !== undefined) return ended.error ?? undefined;
    return exit.error === undefined ? undefined : toReport(exit.error, exit.error.code);
  }

  #failRunning(error: ErrorReport): void {
    for (const { episode, taskId, repeat } of this.#running.values()) {
      const nothing = { reward: null, isSuccess: false, llmCalls: 0, seconds: 0 };
      this.#run.add({ episode, taskId, repeat, ...nothing, error });
    }
    this.#running.clear();
  }

  #writeJson(
    results: readonly EpisodeResult[],
    run: RunStarted | undefined,
    error: ErrorReport | undefined,
  ): void {
    const document =
      run?.judged === undefined
        ? runForJson(results, run, error)
        : judgedForJson(results, run.judged, run.repeat, error);
    this.#io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  }

  #say(line: string): void {
    if (!this.#options.json || this.#options.verbose) this.#writeError(line);
  }

  #writeError(text: string): void {
    this.#io.stderr.write(`${forTerminal(text)}\n`);
  }
}

const stopped: ErrorReport = {
  code: 'episode/killed',
  message: 'The run was stopped while the episode ran.',
};

function runForJson(
  results: readonly EpisodeResult[],
  run: RunStarted | undefined,
  error: ErrorReport | undefined,
): unknown {
  const report = reportOf(results, run);
  const validation = metricsOf(results, run);
  return {
    episodes: results.map((result, index) => episodeForJson(result, report.episodes[index]?.findings ?? [])),
    groups: report.groups.map(groupForJson),
    report: reportForJson(report, run),
    ...(validation && { validation }),
    trace: run?.trace ?? null,
    ...(error && { error }),
  };
}

function judgedForJson(
  results: readonly EpisodeResult[],
  trace: string,
  repeat: number,
  error: ErrorReport | undefined,
): unknown {
  const episodes = results.map((result) => {
    const { episode, taskId, reward, isSuccess, metrics, recorded = null } = result;
    const scored = { episode, taskId, repeat: result.repeat, reward, isSuccess, metrics, recorded };
    return { ...scored, difference: rewardDifference(result), error: result.error };
  });
  const groups = groupsOf(results, repeat).map((group) => {
    const { taskId, episodes, failed, meanReward, successRate } = group;
    return { taskId, episodes, failed, meanReward, successRate };
  });
  const { meanReward, successRate } = measures(results);
  return { episodes, groups, meanReward, successRate, trace, ...(error && { error }) };
}

/** Null where the process went before it could tell; undefined, which JSON leaves out, for what does not apply. */
function episodeForJson(result: EpisodeResult, found: readonly Finding[]): unknown {
  const { taskId, repeat, reward, isSuccess, metrics, llmCalls, tracking, faults, error } = result;
  const { attempts, stopped, selected, recorded } = result;
  const { timelines = null, tokens = null, trainableTokens = null } = tracking ?? {};
  const outcome = { taskId, repeat, reward, isSuccess, metrics };
  const counts = { llmCalls, timelines, tokens, trainableTokens };
  const findings = found.map(worded);
  return { ...outcome, ...counts, error, findings, faults, attempts, stopped, selected, recorded };
}

function groupForJson({ members, findings, ...group }: GroupVerdict): unknown {
  return {
    ...group,
    rewards: members.map(({ reward }) => reward),
    stepRewards: members.map(({ stepReward }) => stepReward),
    advantages: members.map(({ advantage }) => advantage),
    findings: findings.map(worded),
  };
}

function worded({ code, severity, message }: Finding): unknown {
  return { code, severity, message, hint: hintOf(code) };
}

function reportForJson({ trains, doesNotTrain, findings }: TrainingReport, run?: RunStarted): unknown {
  return { trains, doesNotTrain, findings: findings.map(findingForJson), tokenizer: run?.tokenizer ?? null };
}

function findingForJson({ code, severity, message, count, episodes, groups }: CommonFinding): unknown {
  return { code, level: levelOf(code), severity, message, hint: hintOf(code), count, episodes, groups };
}

function describeRun(run: RunStarted): string {
  if (run.judged !== undefined)
    return `${run.experiment}: ${counted(run.episodes, 'episode')} of ${run.judged}, judged again`;
  const size = `${counted(run.episodes, 'episode')} (${counted(run.tasks, 'task')} × ${run.repeat}), ${run.parallel} at a time`;
  return `${run.experiment}: ${size}; ${run.workflow}; model ${run.model}\nresults: ${run.folder}`;
}

function answeredBy({ agent, debugModel }: { agent: string; debugModel?: string | undefined }): string {
  return debugModel === undefined ? agent : `${agent} to the debug model ${debugModel}`;
}

function describeCall(call: Extract<RunEvent, { type: 'llm-call' }>): string {
  return `episode ${call.episode}: call ${call.call} by ${answeredBy(call)}, status ${call.status}, ${call.seconds.toFixed(2)} s`;
}
