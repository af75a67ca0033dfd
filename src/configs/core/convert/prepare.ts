import type { ConfigProblem } from '../finding.ts';
import { valueAt, type MappingValue, type ScalarPart, type Value } from '../value.ts';
import type { Launch, LaunchTarget } from './launch.ts';
import { insertValue, withEntry } from './insertValue.ts';

/** The placeholder for the local start time in a name that the launcher makes of the file's. */
const startTime = '<YYYYmmdd_HHMM>';

/**
 * Prepares a config as upstream's launcher does before it composes. Sets the name, folder and backbone of the run, and
 * removes the other backbone's entry and folder from `defaults`.
 */
export function prepare(
  root: MappingValue,
  file: string,
  launch: Launch,
  target: LaunchTarget,
  expDir = 'saved_experiments',
): { root: MappingValue; problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const named = withRunNames(root, file, target, expDir, problems);
  return { root: withoutOtherEntry(named, file, launch, problems), problems };
}

function withRunNames(
  root: MappingValue,
  file: string,
  target: LaunchTarget,
  expDir: string,
  problems: ConfigProblem[],
): MappingValue {
  const given = valueAt(root, 'ajet.experiment_name');
  if (given?.kind === 'scalar' && given.value !== null && given.type !== 'string') {
    problems.push({
      code: 'convert/experiment-name',
      severity: 'error',
      message: `\`ajet.experiment_name\` is \`${String(given.value)}\`, which is not a string, so the launcher stops.`,
      hint: `Put it in quotes: "${String(given.value)}".`,
      ...locationOf(given, file),
    });
    return root;
  }
  const name = nameOf(given, file);
  return set(
    set(
      set(root, 'experiment_name', name),
      'experiment_dir',
      text(`${expDir}/${String(name.value)}`, '<exp-dir>/<experiment name>'),
    ),
    'backbone',
    text(target, `--backbone ${target}`),
  );
}

/** A name that only a layer below the config sets does not count: the launcher looks into the file itself. */
function nameOf(given: Value | undefined, file: string): ScalarPart {
  const own = given?.origin.kind === 'file' && given.origin.location.file === file ? given : undefined;
  const written = own?.kind === 'scalar' && typeof own.value === 'string' ? own.value : 'read_yaml_name';
  if (own?.kind === 'scalar' && written !== 'read_yaml_name') {
    return written.includes('|') ? text(written.replaceAll('|', '-'), 'ajet.experiment_name', own) : own;
  }
  const base = (file.split(/[\\/]/).at(-1) ?? file).replaceAll('.yaml', '');
  return text(`${base}_${startTime}`, '<file name>_<local time of the start>', own);
}

function text(value: string, expression: string, of?: Value): ScalarPart {
  const inputs = of === undefined ? [] : [{ path: 'ajet.experiment_name', value: of }];
  return { kind: 'scalar', type: 'string', value, origin: { kind: 'rule', expression, inputs } };
}

function set(root: MappingValue, key: string, value: ScalarPart): MappingValue {
  const placed = insertValue(root, ['ajet', key], value, value.origin);
  return placed.ok ? placed.root : root;
}

function withoutOtherEntry(
  root: MappingValue,
  file: string,
  { leavesOut }: Launch,
  problems: ConfigProblem[],
): MappingValue {
  const defaults = root.entries.get('defaults');
  if (defaults?.kind !== 'sequence' || !defaults.items.some((item) => isText(item, leavesOut.name)))
    return root;
  let shorter = withEntry(root, 'defaults', withoutFirst(defaults, leavesOut.name) ?? defaults);
  const hydra = root.entries.get('hydra');
  const folders = valueAt(root, 'hydra.searchpath');
  const rest = folders?.kind === 'sequence' ? withoutFirst(folders, leavesOut.folder) : undefined;
  if (hydra?.kind === 'mapping' && rest !== undefined) {
    shorter = withEntry(shorter, 'hydra', withEntry(hydra, 'searchpath', rest));
  } else {
    problems.push({
      code: 'convert/searchpath',
      severity: 'error',
      message: `The launcher removes \`${leavesOut.folder}\` from \`hydra.searchpath\` together with \`${leavesOut.name}\`. It is missing there, so the launcher stops.`,
      hint: `Add \`- ${leavesOut.folder}\` to \`hydra.searchpath\`, or remove \`${leavesOut.name}\` from \`defaults\`.`,
      ...locationOf(folders ?? defaults, file),
    });
  }
  return shorter;
}

function withoutFirst(list: Extract<Value, { kind: 'sequence' }>, name: string): Value | undefined {
  const index = list.items.findIndex((item) => isText(item, name));
  return index < 0 ? undefined : { ...list, items: list.items.toSpliced(index, 1) };
}

function isText(value: Value, wanted: string): boolean {
  return value.kind === 'scalar' && value.value === wanted;
}

function locationOf(value: Value, file: string): Pick<ConfigProblem, 'location'> {
  return value.origin.kind === 'file' ? { location: value.origin.location } : { location: { file } };
}
