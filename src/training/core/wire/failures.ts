import { CodedError, type ErrorReport } from '../../../base/core/errors.ts';
import type { Scope } from '../protocol/hostRpc.ts';

export const wireErrors = {
  notAllowed: (method: string, scope: Scope) =>
    new CodedError({
      code: 'host/not-allowed',
      message: `This token does not allow \`${method}\`: it does not have the scope \`${scope}\`.`,
      hint: `Ask the owner of the host for a token with this scope: \`agentjet host token add NAME --scope ${scope}\`.`,
    }),
  tooManyTransfers: (most: number) =>
    new CodedError({
      code: 'host/too-many-transfers',
      message: `This connection already has ${most} open transfers.`,
      hint: 'Wait until one of them ends.',
    }),
  tooManyFollows: (most: number) =>
    new CodedError({
      code: 'host/too-many-follows',
      message: `This connection already follows ${most} runs.`,
      hint: 'Stop following one of them.',
    }),
  chunkOutOfPlace: () =>
    new CodedError({
      code: 'host/chunk-out-of-place',
      message: 'A piece of a transfer arrived out of order.',
      hint: 'Start the transfer again.',
    }),
  tooManyBytes: () =>
    new CodedError({
      code: 'host/too-many-bytes',
      message: 'The transfer has more bytes than announced.',
      hint: 'The file changed during the upload. Send it again.',
    }),
  connectionLost: (what: string) =>
    new CodedError({
      code: 'host/connection-lost',
      message: `The connection to the host was lost before it responded to \`${what}\`. The request may have been carried out.`,
      hint: 'Check the runs of the host before you try again.',
    }),
  ended: (
    reason: string,
    hint = 'Check that the host is running and that the address and token are correct.',
  ) =>
    new CodedError({
      code: 'host/not-connected',
      message: `There is no connection to the host: ${reason}`,
      hint,
    }),
  cancelled: (what: string) =>
    new CodedError({ code: 'host/cancelled', message: `\`${what}\` was canceled.` }),
  badAnswer: (what: string, why: string) =>
    new CodedError({
      code: 'host/bad-answer',
      message: `This version cannot read the response of the host to \`${what}\`: ${why}.`,
      hint: 'Use the same version of AgentJet on both sides.',
    }),
  olderHost: (what: string) =>
    new CodedError({
      code: 'host/older',
      message: `The host has an earlier version of AgentJet, which does not support \`${what}\`.`,
      hint: 'Update AgentJet on the host.',
    }),
  noVersion: (min: number, max: number) =>
    new CodedError({
      code: 'host/version',
      message: `The host supports versions ${min} to ${max} of the protocol. This client supports none of them.`,
      hint: 'Update AgentJet on the older side.',
    }),
  gap: (run: string) =>
    new CodedError({
      code: 'host/gap',
      message: `Events of run ${run} are missing between two that the host sent.`,
      hint: 'Another program changed the event log. The log file of the run is complete.',
    }),
  report: (report: ErrorReport) => new CodedError(report),
};
