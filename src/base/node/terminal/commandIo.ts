import type { Environment } from '../process/environment.ts';

/** The terminal of a command. Tests pass their own. */
export interface CommandIo {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
  /** Reads stdin to its end. */
  readonly readStdin: () => Promise<string>;
  /** Absolute. Paths of the command line are relative to it. */
  readonly cwd: string;
  readonly env: Environment;
}

export interface CommandOutput {
  write(text: string): void;
  /** Whether the terminal shows colors. */
  readonly colour: boolean;
}

export const exitCodes = { ok: 0, someFailed: 1, couldNotStart: 2, interrupted: 130 } as const;
