import { parseArgs, type ParseArgsConfig } from 'node:util';
import { CodedError } from '../../base/errors.ts';

/** Reads options and positionals of `command`. Throws `cli/usage` for what does not exist. */
export function parseOptions<const T extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: T,
  command = 'agentjet',
) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    // Node's message names the option; what follows its first sentence is about shells.
    const message = error instanceof Error ? (error.message.split(/\. /)[0] ?? '') : String(error);
    throw wrongUse(`${message.replace(/\.$/, '')}.`, `${command} --help lists what there is.`);
  }
}

export function oneOf<const T extends readonly string[]>(flag: string, value: string, allowed: T): T[number] {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw wrongUse(`${flag} ${value} does not exist.`, `Choose ${allowed.join(', ')}.`);
  return found;
}

export function wrongUse(message: string, hint: string): CodedError {
  return new CodedError({ code: 'cli/usage', message, hint });
}
