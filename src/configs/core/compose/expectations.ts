import type { Dialect } from '../dialect.ts';
import type { LocatedProblem } from '../finding.ts';
import type { SearchFolder } from './searchPath.ts';
import { isSettled, locationOf, type MappingValue, type Value } from '../value.ts';
import type { Choice } from './defaultsTree.ts';

/** Sections that a launcher asks for, and that are not there. */
export function sectionProblems(file: string, primary: MappingValue, dialect: Dialect): LocatedProblem[] {
  const { section, label, bundled } = dialect;
  if (section === undefined) return [];
  const problems: LocatedProblem[] = [];
  const own = primary.entries.get(section);
  if (own?.kind !== 'mapping') {
    problems.push({
      code: 'config/no-ajet',
      severity: 'error',
      message: `The config has no section \`${section}\`.`,
      location: (own && locationOf(own)) ?? { file, line: 1 },
      hint: `Put the experiment under a top-level key \`${section}:\`.`,
    });
  }
  const missing = ['hydra', 'defaults'].filter((name) => !primary.entries.has(name));
  if (missing.length > 0) {
    problems.push({
      code: 'config/no-defaults',
      severity: 'warning',
      message: `The config has no \`${missing.join('` and no `')}\`, so training does not start. ${label}'s built-in defaults replace it here.`,
      location: { file, line: 1 },
      hint: `Add \`hydra.searchpath\` with the folder of ${label}'s defaults, and \`defaults\` with \`${bundled.at(-1) ?? ''}\` and \`_self_\`.`,
    });
  }
  return problems;
}

/** Names that no folder has although every folder is there: training would not start. */
export function bundledProblems(
  choices: readonly Choice[],
  folders: readonly SearchFolder[],
): LocatedProblem[] {
  if (folders.length === 0 || folders.some(({ folder }) => folder === undefined)) return [];
  return choices.flatMap(({ loaded, entry }): LocatedProblem[] => {
    if (loaded.file !== undefined || entry?.origin === undefined) return [];
    const location = locationOf(entry.origin);
    return [
      {
        code: 'config/defaults-missing',
        severity: 'warning',
        message: `No folder of the search path has ${entry.path}.yaml, so training would not start. The built-in defaults replace it here.`,
        hint: 'Point `hydra.searchpath` at the `default_config` folder of a clone of the trainer.',
        ...(location && { location }),
      },
    ];
  });
}

/** `???` marks what is still to be set: reading it stops training. */
export function missingValues(root: MappingValue, section: string | undefined): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const check = (value: Value, place: readonly string[], key: string): void => {
    if (isSettled(value)) return;
    if (value.kind !== 'scalar') visit(value, [...place, key]);
    else if (value.value === '???' && value.origin.kind !== 'bundled') {
      problems.push(missingValue(value, [...place, key], section));
    }
  };
  const visit = (value: Value, place: readonly string[]): void => {
    if (value.kind === 'mapping') for (const [key, child] of value.entries) check(child, place, key);
    if (value.kind === 'sequence')
      for (const [index, item] of value.items.entries()) check(item, place, String(index));
  };
  visit(root, []);
  return problems;
}

function missingValue(value: Value, path: readonly string[], section: string | undefined): LocatedProblem {
  const location = locationOf(value);
  const name = path.join('.');
  return {
    code: 'config/missing-value',
    severity: section === undefined || path[0] === section ? 'error' : 'warning',
    message: `\`${name}\` is \`???\`, so you must set it.`,
    hint: `Set \`${name}\`.`,
    ...(location && { location }),
  };
}
