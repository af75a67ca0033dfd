import { formatReport } from '../../base/errors.ts';
import type { Composition } from '../../config/compose.ts';
import { convert } from '../../config/convert/convert.ts';
import type { Dialect, DialectId } from '../../config/dialect.ts';
import { diffEffective, renderDiff, type Change } from '../../config/effective/diff.ts';
import { originText, placeText } from '../../config/effective/origins.ts';
import { renderEffective } from '../../config/effective/render.ts';
import { withoutConfigSecrets, withoutSecrets } from '../../config/effective/secrets.ts';
import { keySources, type KeySource } from '../../config/effective/keySources.ts';
import type { ConfigProblem } from '../../config/finding.ts';
import { toPlain, type MappingValue, type Plain, type Value } from '../../config/value.ts';
import type { CommandIo } from './commandIo.ts';
import { oneOf, parseOptions, wrongUse } from './commandLine.ts';
import { composeFile, type ComposedFile } from './composeFile.ts';

const options = {
  to: { type: 'string' },
  origin: { type: 'boolean' },
  format: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const targets = ['ajet', 'trinity', 'verl'] as const;
type Target = (typeof targets)[number];
const formats = ['yaml', 'json'] as const;

const usage = `Usage: agentjet config FILE [--to ajet|trinity|verl] [--origin] [--format yaml|json]
       agentjet config FILE --to trinity|verl --key KEY
       agentjet config diff A B [--to ajet|trinity|verl] [--format yaml|json]

Prints what a config comes to: composed with its defaults, and with --to trinity or verl what the launcher would hand to
that backbone. A FILE of - is the standard input. Relative paths are looked for from the working directory, where
training is started.

  --to TARGET            ajet: composed, as AgentJet reads it (default); trinity, verl: converted for that backbone
  --origin               with each value's place: comments in YAML, in JSON {"config": …, "origins": {"a.b": "place"}}
  --format yaml|json     how it is printed (default: yaml)
  --key KEY              only where this key of the backbone comes from; the last part of its name is enough

diff compares by effective value: + only in B, - only in A, ~ in both. With --format json a list of
{kind, path, before, after, from, to}.

Exit code: 0, also where configs differ; 1 if training would not start with the config; 2 it could not be read.`;

/** `agentjet config`: effective values with their origins, and what differs between two configs. */
export async function runConfig(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(args, options, 'agentjet config');
  if (values.help === true) {
    io.stdout.write(`${usage}\n`);
    return 0;
  }
  const to = values.to === undefined ? undefined : oneOf('--to', values.to, targets);
  const format = oneOf('--format', values.format ?? 'yaml', formats);
  const [command, ...rest] = positionals;
  if (command === 'diff') {
    if (values.key !== undefined || values.origin === true) {
      throw wrongUse('agentjet config diff takes no --key and no --origin.', 'It tells origins anyway.');
    }
    return diffCommand(rest, to, format, io);
  }
  if (command === undefined) {
    throw wrongUse('agentjet config needs a file.', 'Name one: agentjet config conf/exp.yaml');
  }
  if (rest.length > 0) {
    throw wrongUse(
      `"${rest.join('", "')}" is too much: agentjet config shows one file.`,
      'Compare two: agentjet config diff A B',
    );
  }
  const shown = effective(await composeFile(command, io), to);
  if (values.key !== undefined) return keyCommand(values.key, shown, io);
  const { text } = renderEffective(shown.root, {
    format,
    origins: values.origin === true,
    relativeTo: io.cwd,
  });
  io.stdout.write(text);
  return tell(shown.problems, io);
}

interface Shown {
  readonly composition: Composition;
  readonly target: Target;
  readonly root: MappingValue;
  readonly problems: readonly ConfigProblem[];
}

/** What each format can be shown as, first what it is by itself. */
const targetsOf: Readonly<Record<DialectId, readonly [Target, ...Target[]]>> = {
  ajet: ['ajet', 'trinity', 'verl'],
  // Its keys have to become `ajet` before this launcher converts anything.
  astuner: ['ajet'],
  trinity: ['trinity'],
};

function effective({ name, dialect, composition }: ComposedFile, to: Target | undefined): Shown {
  const own = targetsOf[dialect.id];
  const target = to ?? own[0];
  if (!own.includes(target)) throw wrongUse(`--to ${target} is nothing for ${name}.`, whyNot(dialect));
  const { config, problems } = composition;
  if (target === 'ajet' || dialect.id === 'trinity')
    return { composition, target, root: withoutConfigSecrets(config.root), problems };
  const conversion = convert(composition, target);
  const root = withoutConfigSecrets(conversion.root);
  return { composition, target, root, problems: [...problems, ...conversion.problems] };
}

function whyNot({ id, label }: Dialect): string {
  return id === 'astuner'
    ? 'Migrate the older `astuner:` to `ajet:` first, which the editor offers as a quick fix.'
    : `It is a config of ${label} itself, which nothing converts: leave --to out.`;
}

/** More than these are for `agentjet check`. */
const mostTold = 20;

/** Warnings and errors go to stderr, each once. */
function tell(problems: readonly ConfigProblem[], io: CommandIo): number {
  const texts = new Set(problems.map((problem) => `${problem.severity}: ${formatReport(problem)}\n`));
  for (const text of [...texts].slice(0, mostTold)) io.stderr.write(text);
  const more = texts.size - mostTold;
  if (more > 0) io.stderr.write(`${more} more are not told here: agentjet check tells all.\n`);
  return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
}

async function diffCommand(
  files: readonly string[],
  to: Target | undefined,
  format: (typeof formats)[number],
  io: CommandIo,
): Promise<number> {
  const [first, second] = files;
  if (first === undefined || second === undefined || files.length > 2) {
    throw wrongUse(
      'agentjet config diff compares two files.',
      'Name both: agentjet config diff A.yaml B.yaml',
    );
  }
  const left = effective(await composeFile(first, io), to);
  const right = effective(await composeFile(second, io), to);
  if (left.target !== right.target) {
    throw wrongUse(
      `${first} is for ${left.target} and ${second} for ${right.target}.`,
      'Add --to trinity to compare what Trinity gets of both.',
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
  return tell([...left.problems, ...right.problems], io);
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

function keyCommand(key: string, { composition, target }: Shown, io: CommandIo): number {
  if (target === 'ajet') {
    throw wrongUse('--key needs to know whose key it is.', 'Add --to trinity or --to verl.');
  }
  const reached = keySources(composition, target, key);
  if (reached.length === 0) {
    throw wrongUse(`Nothing that ${target} gets is named ${key}.`, 'Print all of it: leave --key out.');
  }
  for (const one of reached) io.stdout.write(`${reachedText(one, io.cwd)}\n`);
  return 0;
}

function reachedText({ path, value: reached, keys, places }: KeySource, cwd: string): string {
  const value = withoutSecrets(reached, path.split('.'));
  const shown =
    value.kind === 'scalar' ? JSON.stringify(value.value) : value.kind === 'mapping' ? '{…}' : '[…]';
  const from = keys.length === 0 ? '' : ` from ${keys.join(', ')}`;
  const where = places.length === 0 ? 'default' : places.map((place) => placeText(place, cwd)).join(', ');
  return `${path}: ${shown}${from} (${where})`;
}
