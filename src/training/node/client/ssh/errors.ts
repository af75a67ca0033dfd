import { CodedError } from '../../../../base/core/errors.ts';
import { sshAddress, type SshTarget } from './target.ts';

/** What ssh says where it came to the machine, and neither time nor the network will let it in. */
const refusals = /permission denied|verification failed|authentication failures/i;

export const sshErrors = {
  missing: (command: string, cause: unknown) =>
    new CodedError(
      {
        code: 'ssh/missing',
        message: `${command} cannot be started: ${cause instanceof Error ? cause.message : String(cause)}.`,
        hint: 'Install an OpenSSH client, or name one in the variable AGENTJET_SSH.',
      },
      { cause },
    ),
  failed: (target: SshTarget, told: string) =>
    new CodedError({
      code: refusals.test(told) ? 'ssh/refused' : 'ssh/failed',
      message: `${sshAddress(target)} cannot be reached: ${told === '' ? 'ssh ended without a word' : told}.`,
      hint: 'See that ssh gets there by itself, with a key or an agent and the machine among the known hosts.',
    }),
  noNode: (target: SshTarget) =>
    new CodedError({
      code: 'ssh/no-node',
      message: `There is no Node.js 22.18 or later on ${sshAddress(target)}.`,
      hint: 'Install one there: on PATH, with nvm, fnm or Volta, or in ~/.local/bin.',
    }),
  noAnswer: (target: SshTarget, told: string) =>
    new CodedError({
      code: 'ssh/no-answer',
      message: `The host's program on ${sshAddress(target)} did not answer${told === '' ? '' : `: ${told}`}.`,
      hint: 'Call `node ~/.agentjet/program/host-….cjs --help` there to see what keeps it.',
    }),
  cutOff: (target: SshTarget) =>
    new CodedError({
      code: 'ssh/cut-off',
      message: `The host's program did not arrive whole on ${sshAddress(target)}.`,
      hint: 'See that its disk has room, and try it again.',
    }),
};
