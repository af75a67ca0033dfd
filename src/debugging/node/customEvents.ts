import type { ErrorReport } from '../../base/core/errors.ts';
import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import { type RunProgress, inOrder, reportOf } from '../../backbone/node/client/runReport.ts';
import {
  traceEventNames,
  trainingEventNames,
  type RunEndedBody,
  type RunStartedBody,
  type TrainingEndedBody,
  type TrainingProgressBody,
  type TrainingStartedBody,
} from '../../traces/core/runEvents.ts';
import { locatedFindings, type LocatedFinding } from '../../tracking/core/locatedFindings.ts';
import type { DapEvent } from './runReporter.ts';

/** Custom events of the session, for clients that know them. Other clients ignore them. */
export const customEventNames = {
  ...traceEventNames,
  /** An LLM call waits for the answer of a person. */
  modelAsks: 'agentjet.modelAsks',
  modelAsksNoMore: 'agentjet.modelAsksNoMore',
  /** An LLM call waits for a language model of the editor. */
  modelRequest: 'agentjet.modelRequest',
  modelRequestCancelled: 'agentjet.modelRequestCancelled',
  /** A run has findings about the code and the config of the user. */
  notes: 'agentjet.runNotes',
  /** A run could not start because its interpreter has no debugpy. */
  needsDebugpy: 'agentjet.needsDebugpy',
  /** A run ended with an error, or has a problem before its first episode. The editor may know a command that fixes it. */
  failed: 'agentjet.failed',
} as const;

type ModelAsks = Extract<RunEvent, { type: 'model-asks' }>;

/** The body of `agentjet.modelAsks`. The event is sent again with a problem if an answer is invalid. */
export interface ModelAsksBody extends Pick<
  ModelAsks,
  'id' | 'conversation' | 'tools' | 'problem' | 'waiting'
> {
  /** e.g. `call 2 of train-3, repeat 0, by solver`. */
  readonly title: string;
}

/** The body of `agentjet.modelAsksNoMore`: the question was answered or its call was canceled. */
export interface ModelAsksNoMoreBody {
  readonly id: number;
}

/** The body of `agentjet.modelRequest`. */
export type ModelRequestBody = Omit<Extract<RunEvent, { type: 'model-request' }>, 'type'>;

/** The body of `agentjet.runNotes`: all notes of a finished run, with absolute paths. */
export interface RunNotesBody {
  readonly notes: readonly LocatedFinding[];
}

/** The body of `agentjet.failed`. */
export interface FailedBody extends Pick<ErrorReport, 'code' | 'message'> {
  /** Present if the run continues. */
  readonly severity?: 'warning';
}

export interface NeedsDebugpyBody {
  readonly message: string;
}

/** Returns the custom events for an event of a run that `run` has taken. */
export function customEvents(event: RunEvent, run: RunProgress): DapEvent[] {
  switch (event.type) {
    case 'run-started': {
      const body = traceOf(run);
      return body === undefined ? [] : [{ event: customEventNames.started, body }];
    }
    case 'training-started': {
      if (run.started === undefined) return [];
      const { folder, experiment } = run.started;
      const { step, totalSteps } = event;
      const body: TrainingStartedBody = { folder, experiment, step: step - 1, totalSteps };
      return [{ event: trainingEventNames.started, body }];
    }
    case 'training-step':
    case 'training-validation': {
      if (run.started === undefined) return [];
      const { step, trace } = event;
      const own = typeof trace === 'string' ? { trace } : {};
      const body: TrainingProgressBody = { folder: run.started.folder, step, ...own };
      return [{ event: trainingEventNames.progressed, body }];
    }
    case 'episode-ended': {
      const body = { trace: traceOf(run)?.trace, ended: run.results.length, failed: run.failed };
      return body.trace === undefined ? [] : [{ event: customEventNames.progressed, body }];
    }
    case 'model-asks': {
      const { id, conversation, tools, problem, waiting } = event;
      const body: ModelAsksBody = { id, title: titleOf(event), conversation, tools, problem, waiting };
      return [{ event: customEventNames.modelAsks, body }];
    }
    case 'model-asks-no-more':
      return [{ event: customEventNames.modelAsksNoMore, body: { id: event.id } }];
    case 'model-request': {
      const { id, model, messages, tools } = event;
      const body: ModelRequestBody = { id, model, messages, tools };
      return [{ event: customEventNames.modelRequest, body }];
    }
    case 'model-request-cancelled':
      return [{ event: customEventNames.modelRequestCancelled, body: { id: event.id } }];
    case 'problem':
      return event.report.code === 'python/missing-requirements' ? failed(event.report, 'warning') : [];
    case 'run-ended':
      return [...notes(run), ...needsDebugpy(event), ...failed(run.results.at(-1)?.error ?? event.error)];
    default:
      return [];
  }
}

export function traceEnded(run: RunProgress, { stopped }: { readonly stopped: boolean }): DapEvent[] {
  if (run.started !== undefined && run.training !== undefined) {
    const status = run.ended?.status ?? (stopped ? 'cancelled' : 'died');
    const body: TrainingEndedBody = { folder: run.started.folder, status };
    return [{ event: trainingEventNames.ended, body }];
  }
  const trace = traceOf(run);
  if (trace === undefined) return [];
  const body: RunEndedBody = { ...trace, status: stopped ? 'cancelled' : (run.ended?.status ?? 'died') };
  return [{ event: customEventNames.ended, body }];
}

function traceOf({ started }: RunProgress): RunStartedBody | undefined {
  if (typeof started?.trace !== 'string') return undefined;
  const { trace, folder, experiment, episodes } = started;
  return { trace, folder, experiment, episodes };
}

function titleOf({ call, taskId, repeat, agent }: ModelAsks): string {
  return `call ${call} of ${taskId === '' ? 'task' : taskId}, repeat ${repeat}, by ${agent}`;
}

/** Runs without source locations have no notes. */
function notes({ places, results, started }: RunProgress): DapEvent[] {
  if (places === undefined) return [];
  const sorted = inOrder(results);
  const body: RunNotesBody = { notes: locatedFindings(reportOf(sorted, started), sorted, places) };
  return body.notes.length === 0 ? [] : [{ event: customEventNames.notes, body }];
}

function needsDebugpy({ error }: Extract<RunEvent, { type: 'run-ended' }>): DapEvent[] {
  if (error?.code !== 'python/no-debugpy') return [];
  const body: NeedsDebugpyBody = { message: error.message };
  return [{ event: customEventNames.needsDebugpy, body }];
}

function failed(error: ErrorReport | null, severity?: 'warning'): DapEvent[] {
  if (error === null) return [];
  const body: FailedBody = { code: error.code, message: error.message, ...(severity && { severity }) };
  return [{ event: customEventNames.failed, body }];
}
