import { dialects } from '../core/dialect.ts';
import { jsonSchemaOf } from '../core/key-tables/jsonSchema.ts';
import { type CommandIo, exitCodes } from '../../base/node/terminal/commandIo.ts';
import { usageError } from '../../base/node/terminal/commandLine.ts';

export function runSchema(name: string, { stdout }: CommandIo): number {
  const dialect = dialects.find(({ id }) => id === name);
  if (dialect === undefined) {
    const known = dialects.map(({ id }) => id).join(', ');
    throw usageError(`The format ${name} does not exist.`, `Choose ${known}.`);
  }
  stdout.write(`${JSON.stringify(jsonSchemaOf(dialect), null, 2)}\n`);
  return exitCodes.ok;
}
