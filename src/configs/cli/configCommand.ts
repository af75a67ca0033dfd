import { formatReport } from '../../base/core/errors.ts';
import type { Composition } from '../core/compose.ts';
import { convert, type Conversion } from '../core/convert/convert.ts';
import type { Dialect, DialectId } from '../core/dialect.ts';
import { diffEffective, renderDiff, type Change } from '../core/effective/diff.ts';
import { originText, locationText } from '../core/effective/origins.ts';
import { renderEffective } from '../core/effective/render.ts';
import { secretDefaults, withoutConfigSecrets, withoutSecrets } from '../core/effective/secrets.ts';
import { keySources, type KeySource } from '../core/effective/keySources.ts';
import type { ConfigProblem } from '../core/finding.ts';
import { toPlain, type MappingValue, type Plain, type Value } from '../core/value.ts';
import type { CommandIo } from '../../base/node/terminal/commandIo.ts';
import { usageError } from '../../base/node/terminal/commandLine.ts';
import type { configTargets, ConfigValues, DiffValues } from './options.ts';
import { composeFile, type ComposedFile } from './composeFile.ts';

type Target = (typeof configTargets)[number];

export async function runConfig(values: ConfigValues, file: string, io: CommandIo): Promise<number> {
  const { format = 'yaml', origin: origins = false } = values;
  const { secrets = false } = values;
  const shown = effective(
    await composeFile(file, io, { secrets, releases: values.release }),
    values.to,
    secrets,
  );
  if (values.key !== undefined) return keyCommand(values.key, shown, io);
  const { text } = renderEffective(shown.root, { format, origins, relativeTo: io.cwd });
  if (format === 'yaml' && origins && shown.table !== undefined) {
    io.stdout.write(`# Converted with ${tableText(shown.table, io.cwd)}.\n`);
  }
  io.stdout.write(text);
  return report(shown.problems, io);
}

interface EffectiveConfig {
  readonly composition: Composition;
  readonly target: Target;
  readonly root: MappingValue;
  readonly problems: readonly ConfigProblem[];
  /** The conversion table, if there was a conversion. */
  readonly table?: Conversion['table'];
}

function tableText({ file, release }: Conversion['table'], cwd: string): string {
  return file === undefined ? `the built-in table of AgentJet ${release}` : locationText({ file }, cwd);
}

/** The targets of each format, its own first. */
const targetsOf: Readonly<Record<DialectId, readonly [Target, ...Target[]]>> = {
  ajet: ['ajet', 'trinity', 'verl'],
  // Its keys have to become `ajet` before this launcher converts anything.
  astuner: ['ajet'],
  trinity: ['trinity'],
};

function effective(
  { name, dialect, composition }: ComposedFile,
  to: Target | undefined,
  secrets = false,
): EffectiveConfig {
  const own = targetsOf[dialect.id];
  const target = to ?? own[0];
  if (!own.includes(target))
    throw usageError(`--to ${target} does not apply to ${name}.`, onlyTarget(dialect));
  const { config, problems, layers } = composition;
  const hidden = secretDefaults(layers);
  const shown = (root: MappingValue): MappingValue =>
    secrets ? root : withoutConfigSecrets(root, { hidden });
  if (target === 'ajet' || dialect.id === 'trinity')
    return { composition, target, root: shown(config.root), problems };
  const conversion = convert(composition, target);
  const root = shown(conversion.root);
  const { table } = conversion;
  return { composition, target, root, table, problems: [...problems, ...conversion.problems] };
}

function onlyTarget({ id, label }: Dialect): string {
  return id === 'astuner'
    ? 'Migrate `astuner:` to `ajet:` first. The editor has a quick fix for it.'
    : `A config of ${label} cannot be converted. Remove --to.`;
}

/** The maximum number of problems to print. `agentjet check` prints all. */
const maxProblems = 20;

/** Prints warnings and errors on stderr, each once. Returns the exit code. */
function report(problems: readonly ConfigProblem[], io: CommandIo): number {
  const texts = new Set(problems.map((problem) => `${problem.severity}: ${formatReport(problem)}\n`));
  for (const text of [...texts].slice(0, maxProblems)) io.stderr.write(text);
  const more = texts.size - maxProblems;
  if (more > 0) io.stderr.write(`${more} more problems are not shown. Run agentjet check to see all.\n`);
  return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
}

export async function runDiff(
  { to, format, release: releases }: DiffValues,
  [first, second]: readonly [string, string],
  io: CommandIo,
): Promise<number> {
  const left = effective(await composeFile(first, io, { releases }), to);
  const right = effective(await composeFile(second, io, { releases }), to);
  if (left.target !== right.target) {
    throw usageError(
      `${first} is for ${left.target} and ${second} for ${right.target}.`,
      'Add --to trinity to compare the configs that Trinity gets.',
    );
  }
  const changes = diffEffective(left.root, right.root);
  const text =
    format === 'json'
      ? `${JSON.stringify(
          changes.map((change) => changeJson(change, io.cwd)),
          null,
          2,
        )}\n`
      : renderDiff(changes, { relativeTo: io.cwd });
  io.stdout.write(text);
  return report([...left.problems, ...right.problems], io);
}

function changeJson(change: Change, cwd: string): Record<string, Plain> {
  const side = (value: Value): { value: Plain; origin: string } => {
    return { value: toPlain(value), origin: originText(value.origin, cwd) };
  };
  const before = change.kind === 'added' ? undefined : side(change.before);
  const after = change.kind === 'removed' ? undefined : side(change.after);
  return {
    kind: change.kind,
    path: change.path.join('.'),
    ...(before && { before: before.value, from: before.origin }),
    ...(after && { after: after.value, to: after.origin }),
  };
}

function keyCommand(key: string, { composition, target }: EffectiveConfig, io: CommandIo): number {
  if (target === 'ajet') {
    throw usageError('--key needs a backbone.', 'Add --to trinity or --to verl.');
  }
  const reached = keySources(composition, target, key);
  if (reached.length === 0) {
    throw usageError(`The config for ${target} has no key ${key}.`, 'Remove --key to print all keys.');
  }
  for (const one of reached) io.stdout.write(`${reachedText(one, io.cwd)}\n`);
  return 0;
}

function reachedText({ path, value: reached, keys, places }: KeySource, cwd: string): string {
  const value = withoutSecrets(reached, path.split('.'));
  const shown =
    value.kind === 'scalar' ? JSON.stringify(value.value) : value.kind === 'mapping' ? '{…}' : '[…]';
  const from = keys.length === 0 ? '' : ` from ${keys.join(', ')}`;
  const where = places.length === 0 ? 'default' : places.map((place) => locationText(place, cwd)).join(', ');
  return `${path}: ${shown}${from} (${where})`;
}
