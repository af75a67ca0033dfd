import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/format.ts';
import { setUpFailure, setUpSize, type SetUpFailure } from '../../core/rehearsal/setUpProgress.ts';

const indexHint =
  'Check the network, and that pip can reach the package index with its settings for indexes and proxies. Then start again: downloaded packages are kept.';

export const rehearsalErrors = {
  cancelled: () =>
    new CodedError({
      code: 'rehearsal/cancelled',
      message: 'The rehearsal was canceled before it was ready.',
    }),

  /** @param tried what was found, such as `python3 is Python 3.10.13` */
  noPython: (tried: readonly string[]) =>
    new CodedError({
      code: 'rehearsal/no-python',
      message: `A rehearsal needs Python 3.11, 3.12 or 3.13 with the module venv. ${tried.length === 0 ? 'None was found.' : `Found: ${tried.join('; ')}.`}`,
      hint: 'Install Python 3.12 (on Debian and Ubuntu also python3.12-venv), or choose one with --python FILE.',
    }),

  noFolder: (folder: string, cause: unknown) =>
    new CodedError({
      code: 'rehearsal/no-folder',
      message: `The folder ${folder} cannot be created: ${messageOf(cause)}.`,
      hint: 'Choose another folder: --data for the data of the server, XDG_CACHE_HOME for the environment.',
      cause,
    }),

  /** @param lines the last lines of the output */
  setUp: (lines: readonly string[], cache: string) => {
    const [failure, said] = setUpFailure(lines);
    return setUpErrors[failure](said, cache);
  },

  portInUse: (port: number, reason: string) =>
    new CodedError({
      code: 'rehearsal/port-in-use',
      message: `The rehearsal server cannot listen at 127.0.0.1:${port}: ${reason}.`,
      hint: 'Choose another port with --port, or none for any free port.',
    }),

  dataInUse: (folder: string) =>
    new CodedError({
      code: 'rehearsal/data-in-use',
      message: `Another rehearsal server uses the data folder ${folder}.`,
      hint: 'Stop it first, or choose another folder with --data.',
    }),

  /**
   * @param lines the last lines of its log
   * @param environment the folder of its Python environment
   */
  serverEnded: (how: string, lines: readonly string[], environment: string) =>
    new CodedError({
      code: 'rehearsal/server-ended',
      message: `The rehearsal server ended: ${how}.${lines.length === 0 ? '' : ` Its last lines:\n${lines.join('\n')}`}`,
      hint: `It needs about 1.5 GB of memory. If its packages are damaged, delete ${environment} and start again.`,
    }),
};

const setUpErrors: Readonly<Record<SetUpFailure, (said: string, cache: string) => CodedError>> = {
  'disk-full': (_, cache) =>
    new CodedError({
      code: 'rehearsal/disk-full',
      message: `The environment of the rehearsal needs about ${sizeText(setUpSize.disk + setUpSize.download)} in ${cache}, which has less.`,
      hint: 'Free space there, or set XDG_CACHE_HOME to a folder with more, then start again.',
    }),

  'no-network': (said) =>
    new CodedError({
      code: 'rehearsal/no-network',
      message: `The packages of the rehearsal could not be downloaded: ${said}`,
      hint: indexHint,
    }),

  'no-package': (said) =>
    new CodedError({
      code: 'rehearsal/no-package',
      message: `A package of the rehearsal does not exist for this machine and Python: ${said}`,
      hint: 'Rehearsals run on Linux, and on macOS with Apple silicon. Try Python 3.12 with --python FILE, and check the settings of pip for indexes.',
    }),

  failed: (said) =>
    new CodedError({
      code: 'rehearsal/not-set-up',
      message: `The environment of the rehearsal could not be set up:\n${said || 'Python ended without a message.'}`,
      hint: indexHint,
    }),
};
