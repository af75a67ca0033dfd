import { dialects } from '../../config/dialect.ts';
import { jsonSchemaOf } from '../../config/jsonSchema.ts';
import { oneOf, parseOptions, wrongUse } from './commandLine.ts';
import type { Subcommand } from './commandIo.ts';
import { exitCodes } from './terminalView.ts';

const options = { help: { type: 'boolean', short: 'h' } } as const;

const usage = `Usage: agentjet schema ajet|astuner|trinity

Prints a JSON Schema (draft 7) of the keys of AgentJet, of the older ASTuner or of Trinity-RFT, so that other editors
can complete and check them. It knows one key at a time; agentjet check knows the rules across keys as well.

With the YAML language server, which many editors use, save it and name it in the first line of a config:

  agentjet schema ajet > ajet.schema.json
  # yaml-language-server: $schema=ajet.schema.json

Exit code: 0, or 2 if there is no such format.`;

/** `agentjet schema ajet|astuner|trinity`: prints the keys of a dialect as JSON Schema, for other editors. */
export const runSchema: Subcommand = (args, { stdout }) => {
  const { values, positionals } = parseOptions(args, options, 'agentjet schema');
  if (values.help === true) {
    stdout.write(`${usage}\n`);
    return Promise.resolve(exitCodes.ok);
  }
  const ids = dialects.map(({ id }) => id);
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) {
    throw wrongUse('agentjet schema takes the name of one format.', `Choose ${ids.join(', ')}.`);
  }
  const wanted = oneOf('The format', name, ids);
  for (const dialect of dialects) {
    if (dialect.id === wanted) stdout.write(`${JSON.stringify(jsonSchemaOf(dialect), null, 2)}\n`);
  }
  return Promise.resolve(exitCodes.ok);
};
