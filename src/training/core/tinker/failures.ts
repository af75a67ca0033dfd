import { CodedError } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/format.ts';

/** The failures of calls of a Tinker server through a host. */
export const tinkerCallErrors = {
  notServer: (run: string) =>
    new CodedError({
      code: 'host/tinker-no-server',
      message: `The run ${run} is not a Tinker server.`,
      hint: 'Start one with `agentjet remote serve`.',
    }),
  ended: (run: string, how: string) =>
    new CodedError({
      code: 'host/tinker-ended',
      message: `The Tinker server of the run ${run} has ended: ${how}`,
      hint: 'Read its log with `agentjet remote logs`, then start it again with `agentjet remote serve`.',
    }),
  ending: (run: string) =>
    new CodedError({
      code: 'host/tinker-ending',
      message: `The run ${run}, which serves this model, is being canceled.`,
      hint: 'Wait until it has ended, then start the server again.',
    }),
  stopped: (run: string) =>
    new CodedError({
      code: 'host/cancelled',
      message: `The wait for the Tinker server was canceled. Its run ${run} continues.`,
      hint: `To end it, use \`agentjet remote cancel ${run}\`.`,
    }),
  notReady: (run: string) =>
    new CodedError({
      code: 'host/tinker-not-ready',
      message: `The Tinker server of the run ${run} is not ready yet.`,
      hint: 'Wait until its phase is "serving".',
    }),
  noAnswer: (why: string) =>
    new CodedError({
      code: 'host/tinker-no-answer',
      message: `The Tinker server of the host does not answer: ${why}.`,
      hint: 'Read the log of its run with `agentjet remote logs`.',
    }),
  tooLarge: (most: number) =>
    new CodedError({
      code: 'host/tinker-too-large',
      message: `A request or a response of the Tinker server is larger than ${sizeText(most)}.`,
      hint: 'Train fewer or shorter episodes per step.',
    }),
  tooMany: () =>
    new CodedError({
      code: 'host/tinker-too-many',
      message: 'The calls of Tinker servers need more memory than the host allows.',
      hint: 'Run fewer episodes at once, or wait until other trainings have ended.',
    }),
  /** The host was restarted, or kept the response for too long. */
  bodyLost: () =>
    new CodedError({
      code: 'host/tinker-body-lost',
      message: 'The host no longer has the body of this call.',
      hint: 'Send it again.',
    }),
  responseLost: () =>
    new CodedError({
      code: 'host/tinker-response-lost',
      message: 'The host no longer has the response of this call.',
      hint: 'Send the request again.',
    }),
};
