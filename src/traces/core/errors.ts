import { CodedError, toReport, type ErrorReport } from '../../base/core/errors.ts';
import { damageTexts } from './missingTexts.ts';
import type { DamageView } from './protocol/runRpc.ts';
import type { ImportInfo } from '../../tracking/core/records/tracedRun.ts';

export function fileError(
  file: string,
  report: Omit<ConstructorParameters<typeof CodedError>[0], 'location'>,
): CodedError {
  return new CodedError({ ...report, location: { file } });
}

export const traceErrors = {
  damaged: (file: string, why: string, cause?: unknown) =>
    fileError(file, {
      code: 'trace/damaged',
      message: `The trace is damaged: ${why}.`,
      hint: 'Copy the file again from where it was written, or run the episodes again.',
      cause,
    }),

  /** Thrown where a whole trace is needed. Other code shows the readable parts and reports the damage. */
  incomplete: (file: string, damage: DamageView) =>
    fileError(file, {
      code: 'trace/damaged',
      message: `The trace is damaged. ${damageTexts(damage).join(' ')}`,
      hint: 'Copy the file again from where it was written, or run the episodes again.',
    }),

  noSuchEpisode: (file: string, episode: number) =>
    fileError(file, {
      code: 'trace/no-such-episode',
      message: `The trace has no episode ${episode}.`,
      hint: 'Choose one of the episodes that it lists.',
    }),

  notEnded: (file: string, episode: number) =>
    fileError(file, {
      code: 'trace/not-ended',
      message: `Episode ${episode} has not ended, so its recording in the trace is incomplete.`,
      hint: 'Choose an episode that has ended, or run the config.',
    }),

  noSuchGroup: (file: string, group: number) =>
    fileError(file, {
      code: 'trace/no-such-group',
      message: `The trace has no episode of group ${group}.`,
      hint: 'Choose one of the groups that it lists.',
    }),

  imported: (file: string, what: string, { format, source }: ImportInfo) =>
    fileError(file, {
      code: 'trace/imported',
      message: `The trace was imported from another tool (${format}: ${source}). The file does not contain the data that ${what} made from.`,
      hint: 'Use the .ajtrace of an AgentJet run. To show the imported trace, use agentjet trace.',
    }),

  noReplyTexts: (file: string, episode: number) =>
    fileError(file, {
      code: 'trace/no-reply-texts',
      message: `Training stored the tokens of episode ${episode} without their texts, so its calls cannot be replayed.`,
      hint: 'Run its task with the config. The viewer shows the tokens.',
    }),

  noSuchTask: (file: string, taskId: string) =>
    fileError(file, {
      code: 'trace/no-such-task',
      message: `The other run has no episode of the task ${JSON.stringify(taskId)} or of a task with the same query.`,
      hint: 'Choose a run over the same tasks. If the run is still active, it may not have started the task yet.',
    }),

  noSuchCall: (file: string, episode: number, call: number) =>
    fileError(file, {
      code: 'trace/no-such-call',
      message: `Episode ${episode} of the trace has no call ${call}.`,
      hint: 'Choose one of the calls that the episode lists.',
    }),

  noSuchMessage: (file: string, episode: number, message: number) =>
    fileError(file, {
      code: 'trace/no-such-message',
      message: `The conversation in episode ${episode} of the trace has no message ${message}.`,
      hint: 'Choose one of the messages that it lists. While the episode runs, they change with every call.',
    }),

  noSource: (file: string, what: string) =>
    fileError(file, {
      code: 'trace/no-source',
      message: `The trace does not record which line of code ${what} comes from.`,
      hint: 'Run the episodes again with this version. Requests of programs that the workflow starts have no line.',
    }),

  noTool: (file: string, tool: string, searched: readonly string[]) =>
    fileError(file, {
      code: 'trace/no-source',
      message: `No definition of the tool ${JSON.stringify(tool)} was found in ${searched.length === 0 ? 'any file' : searched.join(', ')}.`,
      hint: 'Only the workflow’s file and the files that made calls are searched, for a function or an entry with that name.',
    }),

  noSuchTimeline: (file: string, episode: number, timeline: number) =>
    fileError(file, {
      code: 'trace/no-such-timeline',
      message: `Episode ${episode} of the trace has no timeline ${timeline}.`,
      hint: 'Choose one of the timelines that the episode lists. While it runs, they change with every call.',
    }),

  noSuchToken: (file: string, episode: number, timeline: number, token: number) =>
    fileError(file, {
      code: 'trace/no-such-token',
      message: `Timeline ${timeline} of episode ${episode} has no token ${token}.`,
      hint: 'Choose one of the tokens of the timeline. While the episode runs, they change with every call.',
    }),

  badPattern: (pattern: string, why: string) =>
    new CodedError({
      code: 'trace/bad-pattern',
      message: `“${pattern}” is not a valid regular expression: ${why}.`,
      hint: 'Fix the expression, or search for plain text.',
    }),
};

/** Returns the report of a failure without its stack, which would only show AgentJet's own code. */
export function reportOf(error: unknown): ErrorReport {
  return { ...toReport(error, 'trace/internal'), stack: undefined };
}
