/** A command of the command line, its typed options, and its errors. */
import { Command, Option, type ErrorOptions } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import { CodedError, hasCode } from '../../core/errors.ts';
import { kebabCase } from '../../core/kebabCase.ts';
import type { CommandIo } from './commandIo.ts';

export interface CommandContext {
  readonly io: CommandIo;
  /** The folder of our bundles, absolute. */
  readonly distFolder: string;
  readonly version: string;
  /** The GPU host in one file, absolute. */
  readonly hostProgram: string;
  /** The whole command line without the program's name. */
  readonly argv: readonly string[];
}

/** An option whose value has the type `T`. Its flag is its key in a table, in kebab case. */
export interface TypedOption<T> {
  readonly description: string;
  /** Undefined: the option takes no value. */
  readonly placeholder?: string | undefined;
  readonly choices?: readonly string[] | undefined;
  /** The heading under which the help shows it. */
  readonly group?: string;
  readonly isHidden?: boolean;
  readonly isRepeated?: boolean;
  readonly read: (text: string, flag: string) => T;
}
export type OptionTable = Readonly<Record<string, TypedOption<unknown>>>;

export type Values<O extends OptionTable> = {
  readonly [K in keyof O]?: (O[K] extends TypedOption<infer T> ? T : never) | undefined;
};

export function flag(description: string): TypedOption<boolean> {
  return { description, read: () => true };
}

export function text(placeholder: string, description: string): TypedOption<string> {
  return { placeholder, description, read: (written) => written };
}

export function choice<const T extends readonly string[]>(
  placeholder: string,
  choices: T,
  description: string,
): TypedOption<T[number]> {
  return { placeholder, choices, description, read: (written, name) => oneOf(name, written, choices) };
}

export function integer(placeholder: string, least: number, description: string): TypedOption<number> {
  return { placeholder, description, read: (written, name) => readWhole(name, written, least) };
}

/** A size in bytes: `4G` has units of 1000, `4Gi` and `4GiB` of 1024. */
export function size(placeholder: string, description: string): TypedOption<number> {
  return { placeholder, description, read: (written, name) => readSize(name, written) };
}

export function repeated<T>(option: TypedOption<T>): TypedOption<readonly T[]> {
  const { read, ...others } = option;
  return { ...others, isRepeated: true, read: (written, name) => [read(written, name)] };
}

export interface CommandSpec<O extends OptionTable> {
  /** The name and the arguments, such as `trace <file> [others...]`. */
  readonly usage: string;
  readonly description: string;
  readonly options: O;
  /** The text of the help after the options. */
  readonly notes?: string;
  readonly isHidden?: boolean;
  readonly run: (
    values: Values<O>,
    args: readonly string[],
    context: CommandContext,
  ) => number | Promise<number>;
}

type Run = (context: CommandContext) => number | Promise<number>;

/** A command whose usage errors are `CodedError`s. */
export class CliCommand extends Command {
  declare parent: CliCommand | null;
  declare readonly commands: readonly CliCommand[];
  /** The action of the parsed command. */
  chosen: Run | undefined;

  constructor(name?: string) {
    super(name);
    this.enablePositionalOptions();
    this.exitOverride();
    this.configureHelp({ helpWidth: 100, showGlobalOptions: false });
    this.helpOption('-h, --help', 'Shows this help.');
    this.helpCommand(false);
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  add<O extends OptionTable>(spec: CommandSpec<O>): CliCommand {
    return this.command(spec.usage, { hidden: spec.isHidden === true }).does(spec);
  }

  does<O extends OptionTable>({ description, options, notes, run }: Omit<CommandSpec<O>, 'usage'>): this {
    this.description(description);
    for (const [key, option] of Object.entries(options)) this.addOption(commanderOption(key, option));
    if (notes !== undefined) this.addHelpText('after', `\n${notes}`);
    return this.action(() => {
      // The keys of a table are the names that commander makes of its flags.
      const values = this.opts<Values<O>>();
      this.#root().chosen = (context) => run(values, this.args, context);
    });
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    throw this.#usageError(message, code);
  }

  /** Returns the names of the parent commands and of this one, as typed. */
  path(): string {
    return `${this.parent === null ? '' : `${this.parent.path()} `}${this.name()}`;
  }

  #root(): CliCommand {
    return this.parent === null ? this : this.parent.#root();
  }

  #usageError(message: string, code: string | undefined): CodedError {
    const help = `For the options, see ${this.path()} --help.`;
    const extra = this.args[this.registeredArguments.length] ?? '';
    switch (code) {
      case 'commander.unknownOption': {
        const name = /'([^']*)'/.exec(message)?.[1] ?? '';
        const flags = this.createHelp()
          .visibleOptions(this)
          .map(({ long }) => long ?? '');
        return usageError(`Unknown option ${name}.`, suggestion(name, flags) ?? help);
      }
      case 'commander.unknownCommand':
        return this.#unknownCommand(this.args[0] ?? '');
      case 'commander.excessArguments':
        if (this.commands.length > 0 && /^[\w-]+$/.test(extra)) return this.#unknownCommand(extra);
        return usageError(
          `Unexpected argument "${extra}".`,
          this.options.some(({ long }) => long === '--conf')
            ? `If it is the config, write --conf ${extra}.`
            : help,
        );
      case 'commander.missingArgument': {
        const name = this.registeredArguments[this.args.length]?.name() ?? '';
        return usageError(`${this.path()} needs <${name}>.`, `For the syntax, see ${this.path()} --help.`);
      }
      case 'commander.optionMissingArgument': {
        const name = /'([^']*)'/.exec(message)?.[1] ?? '';
        return usageError(`${name} needs a value.`, help);
      }
      default:
        return usageError(message.replace(/^error: /, ''), help);
    }
  }

  #unknownCommand(name: string): CodedError {
    const names = this.createHelp()
      .visibleCommands(this)
      .map((command) => command.name());
    return usageError(
      `Unknown command: ${this.path()} ${name}.`,
      suggestion(name, names) ?? `Choose ${names.join(', ')}.`,
    );
  }
}

/** Parses a command line and runs its command. Resolves to the exit code; rejects with `CodedError`s. */
export async function runCommandLine(program: CliCommand, context: CommandContext): Promise<number> {
  const { stdout } = context.io;
  configureOutput(program, (written) => stdout.write(written));
  try {
    program.parse(context.argv, { from: 'user' });
  } catch (error) {
    if (hasCode(error, 'commander.helpDisplayed', 'commander.help', 'commander.version')) return 0;
    throw error;
  }
  return (await program.chosen?.(context)) ?? 0;
}

/** Parses one line of options only, such as those of a text box. Throws `cli/usage`. */
export function parseOptions<O extends OptionTable>(
  argv: readonly string[],
  options: O,
  command: string,
): Values<O> {
  const parser = new CliCommand(command).does({ description: '', options, run: () => Promise.resolve(0) });
  parser.parse(argv, { from: 'user' });
  return parser.opts<Values<O>>();
}

/** Help goes to stdout, whether it was asked for or a command is missing. */
function configureOutput(command: Command, write: (written: string) => void): void {
  command.configureOutput({ writeOut: write, writeErr: write });
  for (const one of command.commands) configureOutput(one, write);
}

function commanderOption(key: string, option: TypedOption<unknown>): Option {
  const { placeholder, description, choices, group, isHidden = false, isRepeated = false, read } = option;
  const name = `--${kebabCase(key)}`;
  const made = new Option(placeholder === undefined ? name : `${name} ${placeholder}`, description);
  if (choices !== undefined) made.choices(choices);
  if (placeholder !== undefined) {
    made.argParser((written, before: unknown) => {
      const value = read(written, name);
      return isRepeated && Array.isArray(before)
        ? [...(before as unknown[]), ...(value as unknown[])]
        : value;
    });
  }
  if (group !== undefined) made.helpGroup(`${group}:`);
  return made.hideHelp(isHidden);
}

function suggestion(name: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const nearest = closest(name, names);
  return distance(name, nearest) <= name.length / 3 ? `Did you mean ${nearest}?` : undefined;
}

export function oneOf<const T extends readonly string[]>(name: string, value: string, allowed: T): T[number] {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw usageError(`${name} cannot be ${value}.`, `Use one of ${allowed.join(', ')}.`);
  return found;
}

export function usageError(message: string, hint: string): CodedError {
  return new CodedError({ code: 'cli/usage', message, hint });
}

function readWhole(name: string, written: string, least: number): number {
  const value = written.trim() === '' ? NaN : Number(written);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw usageError(
    `${name} must be a whole number of at least ${least}, but is ${written}.`,
    `For example: ${name} ${least}.`,
  );
}

function readSize(name: string, written: string): number {
  const [, digits = '', unit = '', binary] = /^(\d+(?:\.\d+)?)([KMGT])(i)?B?$/i.exec(written) ?? [];
  const base = binary === undefined ? 1_000 : 1_024;
  if (Number(digits) > 0)
    return Math.floor(Number(digits) * base ** ('KMGT'.indexOf(unit.toUpperCase()) + 1));
  throw usageError(`${name} must be a size, but is ${written}.`, `For example: ${name} 500M or ${name} 4G.`);
}
