import type { Environment } from '../process/environment.ts';

/** What a subcommand sees of the terminal it was started in; handed in, so that tests need no process. */
export interface CommandIo {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
  /** Everything that is piped in. */
  readonly readStdin: () => Promise<string>;
  /** Absolute; paths of the command line are relative to it. */
  readonly cwd: string;
  readonly env: Environment;
}

export interface CommandOutput {
  write(text: string): void;
  /** Whether somebody looks at it who wants colours. */
  readonly colour: boolean;
}

/** A subcommand gets what follows its name. Resolves to the exit code; throws `CodedError`s, which end it with 2. */
export type Subcommand = (args: readonly string[], io: CommandIo) => Promise<number>;
