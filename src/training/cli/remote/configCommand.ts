import { diffEffective, renderDiff, type Change } from '../../../configs/core/effective/diff.ts';
import { toPlain, type MappingValue, type Plain } from '../../../configs/core/value.ts';
import { effectiveConfigValues } from '../../core/runs/effectiveConfig.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import type { CommonValues } from './remoteOptions.ts';
import { withHost } from './session.ts';

/** Runs `remote config`, which prints the config of a run. */
export async function showConfig(
  { host, json = false }: CommonValues,
  [run = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  return withHost(context, host, async ({ connection }) => {
    const { text } = await connection.ask('run.config', { run });
    const config = (): Plain => toPlain(effectiveConfigValues(text, run));
    context.io.stdout.write(json ? `${JSON.stringify({ run, config: config() })}\n` : text);
    return exitCodes.ok;
  });
}

/** Runs `remote config diff`, which compares the configs of two runs. */
export async function diffConfigs(
  { host, json = false }: CommonValues,
  [run = '', other = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  return withHost(context, host, async ({ connection }) => {
    const values = async (of: string): Promise<MappingValue> =>
      effectiveConfigValues((await connection.ask('run.config', { run: of })).text, of);
    const changes = diffEffective(await values(run), await values(other));
    context.io.stdout.write(
      json ? `${JSON.stringify(changes.map(changeJson))}\n` : renderDiff(changes, { origins: false }),
    );
    return exitCodes.ok;
  });
}

function changeJson(change: Change): Plain {
  return {
    kind: change.kind,
    path: change.path.join('.'),
    ...(change.kind !== 'added' && { before: toPlain(change.before) }),
    ...(change.kind !== 'removed' && { after: toPlain(change.after) }),
  };
}
