import { CodedError } from '../base/errors.ts';

export const traceErrors = {
  damaged: (file: string, why: string) =>
    new CodedError({
      code: 'trace/damaged',
      message: `The trace is damaged: ${why}.`,
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

  nothingForJudges: (file: string) =>
    new CodedError({
      code: 'trace/no-outputs',
      message: 'The trace has no outputs of workflows: an earlier version made it, which did not keep them.',
      location: { file },
      hint: 'Run the episodes again; the new trace can be judged again.',
    }),

  noSuchCall: (file: string, episode: number, call: number) =>
    new CodedError({
      code: 'trace/no-such-call',
      message: `Episode ${episode} of the trace has no call ${call}.`,
      location: { file },
      hint: 'Choose one of the calls that the episode lists.',
    }),

  noSuchTimeline: (file: string, episode: number, timeline: number) =>
    new CodedError({
      code: 'trace/no-such-timeline',
      message: `Episode ${episode} of the trace has no timeline ${timeline}.`,
      location: { file },
      hint: 'Choose one of the timelines that the episode lists; while it runs they change with every call.',
    }),
};
