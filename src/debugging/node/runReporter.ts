import type { DebugProtocol } from '@vscode/debugprotocol';
import {
  formatReport,
  toReport,
  type CodedError,
  type ErrorReport,
  type Location,
} from '../../base/core/errors.ts';
import { forEditor } from '../../base/core/optionNames.ts';
import { exitCodes } from '../../base/node/terminal/commandIo.ts';
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';
import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import {
  type RunProgress,
  type RunEnded,
  type RunStarted,
  counted,
  formatEpisode,
  formatOutcome,
  formatResults,
} from '../../backbone/node/client/runReport.ts';
import {
  formatTraining,
  formatTrainingEvent,
  type TrainingEvent,
} from '../../backbone/node/client/trainingReport.ts';
import { taskName } from '../../tracking/core/report.ts';

export type DapEvent = Pick<DebugProtocol.Event, 'event' | 'body'>;

/** The looks of a line of AgentJet: progress, an episode with and without success, a warning, or an error. */
type Tone = 'progress' | 'plain' | 'good' | 'warning' | 'error';

/** Clients show `console` as a warning and `stderr` as an error. The category `important` could open a popup. */
const categories: Readonly<Record<Tone, 'stdout' | 'console' | 'stderr'>> = {
  progress: 'stdout',
  plain: 'stdout',
  good: 'stdout',
  warning: 'console',
  error: 'stderr',
};

/** ANSI codes that begin and end a style. */
const styles: Readonly<Partial<Record<Tone, readonly [number, number]>>> = {
  progress: [2, 22],
  good: [32, 39],
};

export interface ReporterOptions {
  readonly verbose: boolean;
  /** Reports progress in addition to threads and output. */
  readonly progress: boolean;
  /** The client shows ANSI styles. */
  readonly styled: boolean;
  /** The options that the launch configuration leaves to settings. */
  readonly settings?: ReadonlySet<string>;
}

const progressId = 'agentjet-run';

/** Reports a run to the client: episodes as threads, results as output, and the progress. */
export class RunReporter {
  readonly #options: ReporterOptions;
  readonly #running = new Map<number, string>();
  readonly #run: RunProgress;
  #progressShown = false;
  /** The first episode with each error. */
  readonly #errors = new Map<string, string>();

  /** @param run takes each event before it is reported */
  constructor(options: ReporterOptions, run: RunProgress) {
    this.#options = options;
    this.#run = run;
  }

  /** 0 exactly when every episode ran. */
  exitCode({ stopped }: { readonly stopped: boolean }): number {
    switch (this.#run.ended?.status) {
      case 'completed':
        return this.#run.failed > 0 ? exitCodes.someFailed : 0;
      case 'cancelled':
        return exitCodes.interrupted;
      case 'failed':
        return exitCodes.couldNotStart;
      case undefined:
        return stopped ? exitCodes.interrupted : exitCodes.couldNotStart;
    }
  }

  threads(): DebugProtocol.Thread[] {
    return [...this.#running].map(([episode, name]) => ({ id: threadId(episode), name }));
  }

  isProgress(id: string | undefined): boolean {
    return id === progressId;
  }

  report(event: RunEvent): DapEvent[] {
    switch (event.type) {
      case 'run-started':
        return this.#runStarted(event);
      case 'episode-started':
        this.#running.set(event.episode, threadName(event));
        return [threadEvent('started', event.episode)];
      case 'llm-call':
        return this.#whenVerbose(
          `episode ${event.episode}: LLM call ${event.call} by ${event.agent}${event.debugModel === undefined ? '' : ` to the debug model ${event.debugModel}`}, status ${event.status}, ${event.seconds.toFixed(2)} s`,
        );
      case 'episode-ended':
        return this.#episodeEnded(event.result);
      case 'log':
        if (event.level === 'debug') return this.#whenVerbose(event.message);
        return [this.#line(tones[event.level], event.message)];
      case 'problem':
        return [this.#problem(event.report, event.severity)];
      case 'model-asks':
        return [this.#line('plain', asksText(event))];
      case 'model-asks-no-more':
      case 'model-request':
      case 'model-request-cancelled':
      case 'selection':
      case 'debugger':
      case 'places':
        return [];
      case 'training-started':
      case 'training-phase':
      case 'training-step':
      case 'training-validation':
      case 'training-checkpoint':
      case 'training-usage':
        return this.#training(event);
      case 'run-ended':
        return this.#runEnded(event);
    }
  }

  /** Reports an episode that has run for a while; nothing if it has ended. */
  stillRunning({ episode }: { readonly episode: number }): DapEvent[] {
    const name = this.#running.get(episode);
    // A training has too many of them.
    return name === undefined || this.#run.training !== undefined
      ? []
      : [this.#line('progress', `${name}: started`)];
  }

  /** Reports what a stopped training waits for. */
  stopping(): DapEvent[] {
    const text =
      'Stopping: the training saves a checkpoint of its last step and frees the server. Stop again to end it at once.';
    return [this.#line('plain', text)];
  }

  /** Reports the end of the process; `error` if the process ended before it reported the end of the run. */
  processEnded(error: CodedError | undefined): DapEvent[] {
    return [
      ...(error ? [this.#problem(toReport(error, 'debug/internal'), 'error')] : []),
      ...(this.#run.ended ? [] : this.#summary()),
      ...this.#endThreads(),
      ...this.#endProgress(),
    ];
  }

  #runStarted(event: RunStarted): DapEvent[] {
    const events = [this.#line('progress', describeRun(event), { file: event.workflowFile })];
    if (!this.#options.progress) return events;
    this.#progressShown = true;
    const body = {
      progressId,
      title: event.experiment,
      cancellable: true,
      percentage: 0,
      message: this.#done(),
    };
    return [...events, { event: 'progressStart', body }];
  }

  #training(event: TrainingEvent): DapEvent[] {
    const text = this.#run.training && formatTrainingEvent(event, this.#run.training);
    return [...(text === undefined ? [] : [this.#line('plain', text)]), ...this.#updateProgress()];
  }

  #episodeEnded(result: EpisodeResult): DapEvent[] {
    this.#running.delete(result.episode);
    // A training has too many of them for a line each.
    if (this.#run.training !== undefined && result.error === null && !this.#options.verbose) {
      return [threadEvent('exited', result.episode), ...this.#updateProgress()];
    }
    return [
      result.error
        ? this.#failed(result, result.error)
        : this.#line(result.isSuccess ? 'good' : 'plain', formatEpisode(result)),
      threadEvent('exited', result.episode),
      ...this.#updateProgress(),
    ];
  }

  /** An error that an earlier episode had is not repeated. */
  #failed(result: EpisodeResult, error: ErrorReport): DapEvent {
    const name = episodeName(result);
    const text = formatReport(error, this.#options);
    const first = this.#errors.get(text);
    if (first !== undefined)
      return this.#line('error', `${name}: the same error as ${first}`, error.location);
    this.#errors.set(text, name);
    return this.#line('error', `${name}: ${text}`, error.location);
  }

  #runEnded(event: RunEnded): DapEvent[] {
    return [
      ...(event.error ? [this.#problem(event.error, 'error')] : []),
      ...this.#summary(),
      ...(event.status === 'cancelled' ? [this.#line('plain', 'The run was stopped.')] : []),
    ];
  }

  #summary(): DapEvent[] {
    const { started, results, training, ended } = this.#run;
    if (started && training !== undefined) {
      const isOver = ended?.status === 'completed';
      return [this.#line(isOver ? 'good' : 'plain', formatTraining(training, started.folder, isOver))];
    }
    if (!started || results.length === 0) return [];
    const isComplete = results.length === started.episodes;
    const tone = this.#run.failed > 0 ? 'error' : isComplete ? 'good' : 'plain';
    return [
      this.#line('plain', `\n${formatResults(results, started, { tables: this.#options.verbose })}`),
      this.#line(tone, formatOutcome(results, started)),
    ];
  }

  #problem(report: ErrorReport, tone: 'warning' | 'error'): DapEvent {
    return this.#line(tone, formatReport(report, this.#options), report.location);
  }

  /** Returns an output event for a line of AgentJet. The client links it to the location, if any. */
  #line(tone: Tone, raw: string, location?: Location): DapEvent {
    const text = forEditor(raw, this.#options.settings);
    const style = this.#options.styled ? styles[tone] : undefined;
    const output = style === undefined ? text : `\u001b[${style[0]}m${text}\u001b[${style[1]}m`;
    const place = location && {
      source: { path: location.file, name: location.file.split(/[\\/]/).at(-1) },
      ...(location.line !== undefined && { line: location.line }),
      ...(location.column !== undefined && { column: location.column }),
    };
    return {
      event: 'output',
      body: { category: categories[tone], output: `${output}\n`, ...ofAgentJet, ...place },
    };
  }

  #whenVerbose(text: string): DapEvent[] {
    return this.#options.verbose ? [this.#line('progress', text)] : [];
  }

  #updateProgress(): DapEvent[] {
    if (!this.#progressShown) return [];
    const { training, results, started } = this.#run;
    const [done, all] =
      training === undefined
        ? [results.length, started?.episodes]
        : [training.steps.at(-1)?.step, training.started?.totalSteps];
    const percentage = (100 * (done ?? 0)) / Math.max(all ?? 0, 1);
    return [{ event: 'progressUpdate', body: { progressId, message: this.#done(), percentage } }];
  }

  #endProgress(): DapEvent[] {
    if (!this.#progressShown) return [];
    this.#progressShown = false;
    return [{ event: 'progressEnd', body: { progressId } }];
  }

  #endThreads(): DapEvent[] {
    const episodes = [...this.#running.keys()];
    this.#running.clear();
    return episodes.map((episode) => threadEvent('exited', episode));
  }

  #done(): string {
    const { training } = this.#run;
    if (training?.phase !== undefined) {
      return `step ${training.phase.step} of ${training.started?.totalSteps ?? '?'}, ${training.phase.phase}`;
    }
    return `${this.#run.results.length} of ${counted(this.#run.started?.episodes ?? 0, 'episode')}`;
  }
}

/** Marks the output of AgentJet, which has the categories of the output of the run. Clients ignore the field. */
const ofAgentJet = { agentjet: true };

export function streamOutput(category: 'stdout' | 'stderr', text: string): DapEvent {
  return { event: 'output', body: { category, output: text } };
}

const tones: Readonly<Record<Extract<RunEvent, { type: 'log' }>['level'], Tone>> = {
  debug: 'progress',
  info: 'progress',
  warn: 'warning',
  error: 'error',
};

function describeRun(run: RunStarted): string {
  const size = [counted(run.tasks, 'task'), counted(run.repeat, 'repeat')].join(' × ');
  const count = `${size} = ${counted(run.episodes, 'episode')}, ${run.parallel} at a time`;
  return `${run.experiment}: ${count}; workflow ${run.workflow}; model ${run.model}`;
}

/** For clients that show the question in no other way. */
function asksText(event: Extract<RunEvent, { type: 'model-asks' }>): string {
  const { call, agent, conversation, problem } = event;
  if (problem !== null) return `The answer was not sent: line ${problem.line + 1}: ${problem.message}.`;
  return `${episodeName(event)}: LLM call ${call} by ${agent} waits for your answer, here or in the editor:\n${conversation}`;
}

function episodeName(episode: { readonly taskId: string; readonly repeat: number }): string {
  return `task ${taskName(episode.taskId)}, repeat ${episode.repeat}`;
}

/** Short, since the call stack view gives it little room: `train-3 · repeat 2`. */
function threadName(episode: { readonly taskId: string; readonly repeat: number }): string {
  return `${taskName(episode.taskId)} · repeat ${episode.repeat}`;
}

function threadEvent(reason: 'started' | 'exited', episode: number): DapEvent {
  return { event: 'thread', body: { reason, threadId: threadId(episode) } };
}

/** Some clients take 0 for "no thread". */
function threadId(episode: number): number {
  return episode + 1;
}
