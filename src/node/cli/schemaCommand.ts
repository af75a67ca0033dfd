import { dialects } from '../../config/dialect.ts';
import { jsonSchemaOf } from '../../config/jsonSchema.ts';
import type { CommandIo } from './commandIo.ts';
import { wrongUse } from './commandLine.ts';
import { exitCodes } from './terminalView.ts';

/** Runs `agentjet schema`, which prints the keys of a config format as JSON Schema, for other editors. */
export function runSchema(name: string, { stdout }: CommandIo): number {
  const dialect = dialects.find(({ id }) => id === name);
  if (dialect === undefined) {
    const known = dialects.map(({ id }) => id).join(', ');
    throw wrongUse(`The format ${name} does not exist.`, `Choose ${known}.`);
  }
  stdout.write(`${JSON.stringify(jsonSchemaOf(dialect), null, 2)}\n`);
  return exitCodes.ok;
}
