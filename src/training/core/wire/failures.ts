import { CodedError, type ErrorReport } from '../../../base/core/errors.ts';
import type { Scope } from '../protocol/hostRpc.ts';

export const wireErrors = {
  notAllowed: (method: string, scope: Scope) =>
    new CodedError({
      code: 'host/not-allowed',
      message: `This token may not do \`${method}\`: it lacks the scope \`${scope}\`.`,
      hint: `Have the owner of the host make one with it: \`agentjet host token add NAME --scope ${scope}\`.`,
    }),
  tooManyTransfers: (most: number) =>
    new CodedError({
      code: 'host/too-many-transfers',
      message: `This connection has ${most} transfers open already.`,
      hint: 'Wait until one of them ends.',
    }),
  tooManyFollows: (most: number) =>
    new CodedError({
      code: 'host/too-many-follows',
      message: `This connection follows ${most} runs already.`,
      hint: 'Leave one of them.',
    }),
  chunkOutOfPlace: () =>
    new CodedError({
      code: 'host/chunk-out-of-place',
      message: 'A piece of a transfer came that is not the next one.',
      hint: 'Send it again from its beginning.',
    }),
  tooManyBytes: () =>
    new CodedError({
      code: 'host/too-many-bytes',
      message: 'More bytes came than the transfer was opened for.',
      hint: 'The file changed while it was read: send it again.',
    }),
  connectionLost: (what: string) =>
    new CodedError({
      code: 'host/connection-lost',
      message: `The connection to the host was lost before it answered \`${what}\`; whether it was done is not known.`,
      hint: 'Look at the host’s runs before you try again.',
    }),
  ended: (reason: string, hint = 'See that it runs, and that the address and the token are right.') =>
    new CodedError({
      code: 'host/not-connected',
      message: `There is no connection to the host: ${reason}`,
      hint,
    }),
  cancelled: (what: string) =>
    new CodedError({ code: 'host/cancelled', message: `\`${what}\` was cancelled.` }),
  badAnswer: (what: string, why: string) =>
    new CodedError({
      code: 'host/bad-answer',
      message: `The host answered \`${what}\` with what this version does not understand: ${why}.`,
      hint: 'Have the host and this side of the same version of AgentJet.',
    }),
  olderHost: (what: string) =>
    new CodedError({
      code: 'host/older',
      message: `The host is of an earlier version of AgentJet, which does not know \`${what}\`.`,
      hint: 'Update AgentJet there.',
    }),
  noVersion: (min: number, max: number) =>
    new CodedError({
      code: 'host/version',
      message: `The host speaks versions ${min} to ${max} of the protocol, and this side none of them.`,
      hint: 'Update AgentJet on the side that is older.',
    }),
  closed: (reason: string) =>
    new CodedError({ code: 'host/closed', message: `The host ended the connection: ${reason}.` }),
  gap: (run: string) =>
    new CodedError({
      code: 'host/gap',
      message: `Events of run ${run} are missing between two that the host sent.`,
      hint: 'Its event log was changed by something else; the log file of the run is whole.',
    }),
  report: ({ code, message, hint, location }: ErrorReport) =>
    new CodedError({
      code,
      message,
      ...(hint !== undefined && { hint }),
      ...(location !== undefined && { location }),
    }),
};
