import path from 'node:path';
import { toReport, type ErrorReport } from '../../base/core/errors.ts';
import { check, type CheckSettings } from '../core/check.ts';
import { dialectOf, type DialectId } from '../core/dialect.ts';
import type { Finding } from '../core/finding.ts';
import { findInstalled } from '../core/installed.ts';
import { maskSecrets } from '../core/effective/secrets.ts';
import { parseCache, parseConfig } from '../core/parse.ts';
import { readContext } from '../core/readContext.ts';
import type { PackageChoice } from './packages.ts';
import { localClassFinder } from '../node/classFinder.ts';
import { localFiles } from '../../base/node/files.ts';
import { rowCounter } from '../node/rowCounts.ts';
import type { CommandIo } from '../../base/node/terminal/commandIo.ts';

export interface FileToCheck {
  /** The name on the command line, or the path of a file found in a folder that was named there. */
  readonly name: string;
  /** Undefined: the standard input. */
  readonly path: string | undefined;
  /** Named by itself, not found in a folder. */
  readonly named: boolean;
}

export interface CheckedFile extends FileToCheck {
  /** Null: none of our configs. */
  readonly dialect: DialectId | null;
  readonly findings: readonly Finding[];
  readonly error?: ErrorReport;
}

/** Checks files one by one; what they share, their defaults and the code they name, is read once. */
export function createChecker(
  io: Pick<CommandIo, 'cwd' | 'env' | 'readStdin'>,
  settings: CheckSettings,
  packages: PackageChoice,
): (file: FileToCheck) => Promise<CheckedFile> {
  const shared = {
    cwd: io.cwd,
    files: localFiles,
    paths: path,
    environment: maskSecrets((name) => io.env[name]),
    classes: localClassFinder([io.cwd]),
    rows: rowCounter(),
    parsed: parseCache(),
  };
  return async (file) => {
    try {
      const text = await textOf(file, io);
      const dialect = dialectOf(text);
      if (dialect === undefined) return { ...file, dialect: null, findings: [] };
      const configEnvironment = { ...shared, file: file.path ?? path.join(io.cwd, 'stdin.yaml') };
      const installed = await findInstalled({ ...configEnvironment, ...packages });
      const context = await readContext(parseConfig(text), dialect, { ...configEnvironment, installed });
      return { ...file, dialect: dialect.id, findings: check(context, settings) };
    } catch (error) {
      return { ...file, dialect: null, findings: [], error: unreadable(file.name, error) };
    }
  };
}

export function unreadable(file: string, error: unknown): ErrorReport {
  const { message } = toReport(error, '');
  // Node starts the message with a code, and ends it with the operation.
  const [, reason = message, named = file] = /^E[A-Z]+: ([^,]+)(?:, \w+ '(.+)')?/.exec(message) ?? [];
  const other = path.basename(named) === path.basename(file) ? '' : ` (${named})`; // one of its defaults
  return { code: 'cli/unreadable', message: `It cannot be read: ${reason}${other}.`, location: { file } };
}

async function textOf({ path: file }: FileToCheck, io: Pick<CommandIo, 'readStdin'>): Promise<string> {
  if (file === undefined) return io.readStdin();
  const text = await localFiles.readText(file);
  if (text === undefined) throw new Error('it no longer exists');
  return text;
}
