import { mkdirSync } from 'node:fs';
import { scopes } from '../../../protocol/host/hostRpc.ts';
import { HostTokens, type TokenInfo } from '../../host/server/tokens.ts';
import type { CommandIo } from '../commandIo.ts';
import { oneOf, parseOptions, wrongUse } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import { dataFolderOf } from './hostSettings.ts';

const options = {
  data: { type: 'string' },
  scope: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const usage = `Usage: agentjet host token add NAME [--scope start] [--scope cancel] [--data DIR] [--json]
       agentjet host token list [--data DIR] [--json]
       agentjet host token remove NAME [--data DIR] [--json]

Who may connect to the host with this data folder, whether it runs or not. A token is shown once, when it is made; one
that is taken back ends the connections that were made with it.

  --scope NAME           what it lets its holder do beyond viewing: start or cancel runs; may be given several times
  --data DIR             the host's data folder (default: ~/.agentjet/host)
  --json                 one JSON document

Exit code: 0, or 2 if it could not be done.`;

/** `agentjet host token`: makes, lists and takes back tokens. */
export function runToken(args: readonly string[], io: CommandIo): number {
  const { values, positionals } = parseOptions(args, options, 'agentjet host token');
  if (values.help === true) {
    io.stdout.write(`${usage}\n`);
    return exitCodes.ok;
  }
  const [action, name, stray] = positionals;
  if (stray !== undefined) throw wrongUse(`"${stray}" is one name too many.`, 'Take one token at a time.');
  const dataFolder = dataFolderOf(values.data, io);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const tokens = new HostTokens(dataFolder);
  const json = values.json === true;
  switch (action) {
    case 'add': {
      const allowed = (values.scope ?? []).map((one) => oneOf('--scope', one, scopes));
      const token = tokens.add(named(name, action), allowed, Date.now());
      const [info] = tokens.list().filter((one) => one.name === name);
      io.stdout.write(json ? `${JSON.stringify({ ...info, token })}\n` : `${token}\n`);
      if (!json) io.stderr.write(`It may ${(info?.scopes ?? []).join(', ')}, and is shown this once.\n`);
      return exitCodes.ok;
    }
    case 'list':
      if (name !== undefined) throw wrongUse(`"${name}" is not needed.`, 'All tokens are listed.');
      io.stdout.write(json ? `${JSON.stringify(tokens.list())}\n` : tokens.list().map(line).join(''));
      return exitCodes.ok;
    case 'remove': {
      const [info] = tokens.list().filter((one) => one.name === name);
      tokens.remove(named(name, action));
      if (json) io.stdout.write(`${JSON.stringify(info)}\n`);
      return exitCodes.ok;
    }
    default:
      throw wrongUse(
        `agentjet host token ${action ?? ''} does nothing.`.replace('  ', ' '),
        'Choose add, list or remove.',
      );
  }
}

function named(name: string | undefined, action: string): string {
  if (name === undefined)
    throw wrongUse('The token needs a name.', `Give one: agentjet host token ${action} NAME`);
  return name;
}

function line({ name, scopes: allowed, createdAt }: TokenInfo): string {
  return `${name.padEnd(20)}  ${allowed.join(', ').padEnd(20)}  ${new Date(createdAt).toISOString().slice(0, 10)}\n`;
}
