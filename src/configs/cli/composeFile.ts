import path from 'node:path';
import { CodedError } from '../../base/core/errors.ts';
import { compose, type Composition } from '../core/compose.ts';
import { dialectOf, type Dialect } from '../core/dialect.ts';
import { maskSecrets } from '../core/effective/secrets.ts';
import { findInstalled } from '../core/installed.ts';
import type { Environment } from '../core/interpolation/host.ts';
import { localFiles } from '../../base/node/files.ts';
import { unreadable } from './checkFile.ts';
import { packageChoice } from './packages.ts';
import type { CommandIo } from '../../base/node/terminal/commandIo.ts';

export interface ComposedFile {
  /** The name on the command line. */
  readonly name: string;
  readonly dialect: Dialect;
  readonly composition: Composition;
}

export interface ComposeOptions {
  /** Keeps the secrets of the environment. */
  readonly secrets?: boolean | undefined;
  /** The values of `--release`. */
  readonly releases?: readonly string[] | undefined;
}

/**
 * Reads and composes a config that the command line names. `-` is the standard input. Throws `cli/…` errors.
 */
export async function composeFile(
  name: string,
  io: Pick<CommandIo, 'cwd' | 'env' | 'readStdin'>,
  { secrets = false, releases }: ComposeOptions = {},
): Promise<ComposedFile> {
  const file = name === '-' ? path.join(io.cwd, 'stdin.yaml') : path.resolve(io.cwd, name);
  const text = name === '-' ? await io.readStdin() : await readFile(name, file);
  if (text === undefined) {
    throw new CodedError({
      code: 'cli/no-config',
      message: `The config ${file} does not exist.`,
      hint: 'Correct the path. It is relative to the working directory.',
    });
  }
  const dialect = dialectOf(text);
  if (dialect === undefined) {
    throw new CodedError({
      code: 'cli/no-config',
      message: `${name} is not a config of AgentJet, ASTuner or Trinity-RFT.`,
      location: { file, line: 1 },
      hint: 'A config of AgentJet has a top-level key `ajet:`.',
    });
  }
  const place = { file, cwd: io.cwd, files: localFiles, paths: path };
  const environment: Environment = (variable) => io.env[variable];
  const composition = await compose({
    ...place,
    text,
    dialect,
    installed: findInstalled({ ...place, ...packageChoice(io, releases) }),
    environment: secrets ? environment : maskSecrets(environment),
  });
  return { name, dialect, composition };
}

async function readFile(name: string, file: string): Promise<string | undefined> {
  try {
    return await localFiles.readText(file);
  } catch (error) {
    throw new CodedError({
      ...unreadable(name, error),
      hint: 'Name a YAML file that you can read.',
      cause: error,
    });
  }
}
