import { CodedError, toReport, type ErrorReport } from '../../base/core/errors.ts';
import type { DamageView } from './protocol/runRpc.ts';
import type { ImportInfo } from '../../tracking/core/records/tracedRun.ts';

function counted(episodes: number): string {
  return episodes === 1 ? '1 episode is' : `${episodes} episodes are`;
}

export const traceErrors = {
  damaged: (file: string, why: string) =>
    new CodedError({
      code: 'trace/damaged',
      message: `The trace is damaged: ${why}.`,
      location: { file },
      hint: 'Copy the file again from where it was written, or run the episodes again.',
    }),

  /** Not thrown where parts are shown: whoever needs the whole of a trace throws it, others tell it. */
  incomplete: (file: string, { run, tokens, lost, incomplete }: DamageView) =>
    new CodedError({
      code: 'trace/damaged',
      message: `The trace is damaged: ${[
        ...(run ? ['what it tells of its run is lost'] : []),
        ...(tokens ? ['texts of tokens are lost'] : []),
        `${counted(lost)} lost`,
        `${counted(incomplete)} incomplete`,
      ].join(', ')}.`,
      location: { file },
      hint: 'Copy the file again from where it was written, or run the episodes again.',
    }),

  noSuchEpisode: (file: string, episode: number) =>
    new CodedError({
      code: 'trace/no-such-episode',
      message: `The trace has no episode ${episode}.`,
      location: { file },
      hint: 'Choose one of the episodes that it lists.',
    }),

  notEnded: (file: string, episode: number) =>
    new CodedError({
      code: 'trace/not-ended',
      message: `Episode ${episode} has not ended, so what the trace has of it is not whole.`,
      location: { file },
      hint: 'Choose one that has ended, or run its config.',
    }),

  noSuchGroup: (file: string, group: number) =>
    new CodedError({
      code: 'trace/no-such-group',
      message: `The trace has no episode of group ${group}.`,
      location: { file },
      hint: 'Choose one of the groups that it lists.',
    }),

  imported: (file: string, what: string, { format, source }: ImportInfo) =>
    new CodedError({
      code: 'trace/imported',
      message: `The trace was made of a file of another tool (${format}: ${source}), which does not hold what ${what} made of.`,
      location: { file },
      hint: 'Name the .ajtrace of a run of AgentJet’s; agentjet trace shows this one.',
    }),

  noReplyTexts: (file: string, episode: number) =>
    new CodedError({
      code: 'trace/no-reply-texts',
      message: `Training kept the tokens of episode ${episode} and not what they say, so no model can answer it again.`,
      location: { file },
      hint: 'Run its task with the config; the tokens are in the viewer.',
    }),

  nothingForJudges: (file: string) =>
    new CodedError({
      code: 'trace/no-outputs',
      message: 'The trace has no outputs of workflows: an earlier version made it, which did not keep them.',
      location: { file },
      hint: 'Run the episodes again; the new trace can be judged again.',
    }),

  noSuchTask: (file: string, taskId: string) =>
    new CodedError({
      code: 'trace/no-such-task',
      message: `The other run has no episode of the task ${JSON.stringify(taskId)}, and none whose task says the same.`,
      location: { file },
      hint: 'Choose a run over the same tasks; of one that still goes on, the task may be yet to come.',
    }),

  noSuchCall: (file: string, episode: number, call: number) =>
    new CodedError({
      code: 'trace/no-such-call',
      message: `Episode ${episode} of the trace has no call ${call}.`,
      location: { file },
      hint: 'Choose one of the calls that the episode lists.',
    }),

  noSuchMessage: (file: string, episode: number, message: number) =>
    new CodedError({
      code: 'trace/no-such-message',
      message: `The conversation in episode ${episode} of the trace has no message ${message}.`,
      location: { file },
      hint: 'Choose one of the messages that it lists; while the episode runs they change with every call.',
    }),

  noSource: (file: string, what: string) =>
    new CodedError({
      code: 'trace/no-source',
      message: `The trace does not tell which line of code ${what} comes from.`,
      location: { file },
      hint: 'Run the episodes again with this version; requests of programs that the workflow starts have no line.',
    }),

  noTool: (file: string, tool: string, searched: readonly string[]) =>
    new CodedError({
      code: 'trace/no-source',
      message: `No definition of the tool ${JSON.stringify(tool)} was found in ${searched.length === 0 ? 'any file' : searched.join(', ')}.`,
      location: { file },
      hint: 'Only the file of the workflow and those that made calls are searched, for a function or an entry of that name.',
    }),

  noSuchTimeline: (file: string, episode: number, timeline: number) =>
    new CodedError({
      code: 'trace/no-such-timeline',
      message: `Episode ${episode} of the trace has no timeline ${timeline}.`,
      location: { file },
      hint: 'Choose one of the timelines that the episode lists; while it runs they change with every call.',
    }),

  noSuchToken: (file: string, episode: number, timeline: number, token: number) =>
    new CodedError({
      code: 'trace/no-such-token',
      message: `Timeline ${timeline} of episode ${episode} has no token ${token}.`,
      location: { file },
      hint: 'Choose one of the tokens that the timeline has; while the episode runs they change with every call.',
    }),

  badPattern: (pattern: string, why: string) =>
    new CodedError({
      code: 'trace/bad-pattern',
      message: `“${pattern}” is no regular expression: ${why}.`,
      hint: 'Mend it, or search for it as plain text.',
    }),
};

/** The report of a failure without its stack, which would be of our own code. */
export function reportOf(error: unknown): ErrorReport {
  return { ...toReport(error, 'trace/internal'), stack: undefined };
}
