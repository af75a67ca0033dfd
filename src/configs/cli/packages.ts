import { closest } from 'fastest-levenshtein';
import { usageError } from '../../base/node/terminal/commandLine.ts';
import type { CommandIo } from '../../base/node/terminal/commandIo.ts';
import type { InstalledRequest } from '../core/installed.ts';
import { releaseNames, type Program } from '../core/key-tables/releases.ts';

const programs: Readonly<Record<string, Program>> = { agentjet: 'ajet', trinity: 'trinity' };

/** The packages that a config is read for: of the active virtual environment, or as `--release` says. */
export type PackageChoice = Pick<InstalledRequest, 'environments' | 'chosen'>;

/** Throws an error of usage for a release that does not exist. */
export function packageChoice(
  { env }: Pick<CommandIo, 'env'>,
  releases: readonly string[] = [],
): PackageChoice {
  const { VIRTUAL_ENV: environment } = env;
  return {
    environments: environment === undefined || environment === '' ? [] : [environment],
    chosen: Object.fromEntries(releases.map(readRelease)),
  };
}

function readRelease(written: string): readonly [Program, string] {
  const at = written.indexOf('=');
  const program = programs[written.slice(0, at)];
  if (at < 0 || program === undefined) {
    throw usageError(
      `--release ${written} does not name a program.`,
      'Write --release agentjet=RELEASE or --release trinity=RELEASE.',
    );
  }
  const release = written.slice(at + 1);
  const names = releaseNames(program);
  if (!names.includes(release)) {
    throw usageError(
      `--release ${written}: the release does not exist. Did you mean ${closest(release, [...names])}?`,
      `Choose one of: ${names.join(', ')}.`,
    );
  }
  return [program, release];
}
