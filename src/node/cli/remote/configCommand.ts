import { diffEffective, renderDiff, type Change } from '../../../config/effective/diff.ts';
import { toPlain, type MappingValue, type Plain } from '../../../config/value.ts';
import type { HostConnection } from '../../../remote/contracts.ts';
import { effectiveConfigValues } from '../../../remote/runs/effectiveConfig.ts';
import type { CommandIo } from '../commandIo.ts';
import { parseOptions, wrongUse } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import { oneRun } from './runCommands.ts';
import { withHost, type ClientInfo } from './session.ts';

const options = { host: { type: 'string' }, json: { type: 'boolean' } } as const;

/** `remote config RUN`: what a run was started with; `remote config diff RUN OTHER`: what differs between two. */
export async function showConfig(
  args: readonly string[],
  io: CommandIo,
  client: ClientInfo,
): Promise<number> {
  const { values, positionals } = parseOptions(args, options, 'agentjet remote config');
  const [first, ...runs] = positionals;
  const text =
    first === 'diff'
      ? diffOf(runs, values.json === true)
      : configOf(oneRun(positionals, 'config'), values.json === true);
  return withHost(io, { host: values.host, client }, async ({ connection }) => {
    io.stdout.write(await text(connection));
    return exitCodes.ok;
  });
}

function configOf(run: string, json: boolean) {
  return async (connection: HostConnection): Promise<string> => {
    const { text } = await connection.ask('run.config', { run });
    if (!json) return text;
    return `${JSON.stringify({ run, config: toPlain(effectiveConfigValues(text, run)) })}\n`;
  };
}

function diffOf([run, other, stray]: readonly string[], json: boolean) {
  if (run === undefined || other === undefined || stray !== undefined)
    throw wrongUse('agentjet remote config diff takes two runs.', 'agentjet remote ls lists them.');
  return async (connection: HostConnection): Promise<string> => {
    const values = async (of: string): Promise<MappingValue> =>
      effectiveConfigValues((await connection.ask('run.config', { run: of })).text, of);
    const changes = diffEffective(await values(run), await values(other));
    return json ? `${JSON.stringify(changes.map(changeJson))}\n` : renderDiff(changes, { origins: false });
  };
}

function changeJson(change: Change): Plain {
  return {
    kind: change.kind,
    path: change.path.join('.'),
    ...(change.kind !== 'added' && { before: toPlain(change.before) }),
    ...(change.kind !== 'removed' && { after: toPlain(change.after) }),
  };
}
