import { CodedError } from '../../core/errors.ts';

const needed = 'Node 22.18 or newer';

/** The setting's id, as users find it. */
const setting = 'agentjet.runtimeExecutable';

export const runtimeErrors = {
  settingUnusable: (value: string, found: string) =>
    new CodedError({
      code: 'runtime/setting-unusable',
      message: `The Node asked for, ${value}, ${found}; ${needed} is needed.`,
      hint: `Set "${setting}" ("--runtime" on the command line) to such a Node, or leave it out to have one found.`,
    }),

  noneFound: (purpose: 'workflows' | 'traces', tried: readonly string[]) =>
    new CodedError({
      code: 'runtime/none-found',
      message: `No Node that can ${purpose === 'traces' ? 'read traces' : 'run a workflow'} was found; ${needed} is needed. ${found(tried)}`,
      hint: `Install Node from nodejs.org, or set "${setting}" to the path of one.`,
    }),
};

function found(tried: readonly string[]): string {
  return tried.length === 0 ? 'There is no node on PATH.' : `Tried: ${tried.join('; ')}.`;
}
