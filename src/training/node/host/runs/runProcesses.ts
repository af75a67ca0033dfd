import { spawn, type ChildProcess } from 'node:child_process';
import type { RunExit } from '../../../core/runs/outcome.ts';
import { Family, type RecentProcesses } from './family.ts';
import { noteProcesses, runMark, stillRuns, type NotedProcess } from './processes.ts';
import type { RunFolder } from './runFolder.ts';

export interface ProcessContext {
  /** The host's own environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Starts {@link keepRun}: the path of its order is added to the arguments. */
  readonly keeper: { readonly command: string; readonly args: readonly string[] };
  readonly processes: Pick<RecentProcesses, 'read'>;
}

/** How often one host has somebody else look after a run: what ends at once each time has a cause that stays. */
const mostReplacements = 5;

/** The launcher of a run with its family and its keeper, as they are noted in the run's folder. */
export class RunProcesses {
  readonly #context: ProcessContext;
  readonly #folder: RunFolder;
  readonly family = new Family();
  /** As it is in the folder; undefined: that was not read yet. */
  #notedFamily: Family['settled'] | undefined;
  #launcher: NotedProcess | undefined;
  #keeper: NotedProcess | undefined;
  /** The keeper that this host has started. */
  #child: ChildProcess | undefined;
  #hasFailed = false;
  #replacements = 0;

  constructor(context: ProcessContext, folder: RunFolder) {
    this.#context = context;
    this.#folder = folder;
  }

  /** Undefined: not seen to run so far. */
  get launcher(): NotedProcess | undefined {
    return this.#launcher;
  }

  get keeper(): NotedProcess | undefined {
    return this.#keeper;
  }

  /** Whether anybody may still note how the run ends. */
  get isAlive(): boolean {
    if (this.#keeper === undefined) return true; // it is just being started
    return stillRuns(this.#keeper) || (this.#launcher !== undefined && stillRuns(this.#launcher));
  }

  /** Whether the keeper ended before it had noted itself: it has started nothing. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get mayBeReplaced(): boolean {
    return this.#replacements < mostReplacements;
  }

  /** Resolves to how the run ended; undefined: nobody has noted it. */
  async look(): Promise<(RunExit & { readonly endedAt: number }) | undefined> {
    const hasGone = this.#child !== undefined && hasEnded(this.#child);
    const exit = await this.#folder.exit();
    this.#launcher ??= await this.#folder.launcher();
    this.#keeper ??= await this.#folder.keeper();
    this.#hasFailed = hasGone && this.#keeper === undefined;
    await this.#lookAtFamily(exit === undefined);
    return exit;
  }

  async #lookAtFamily(isRunning: boolean): Promise<void> {
    if (this.#notedFamily === undefined) {
      this.family.remember(await this.#folder.family());
      this.#notedFamily = this.family.settled;
    }
    if (this.#launcher === undefined || !isRunning) return;
    this.family.look(await this.#context.processes.read(), this.#launcher);
    const { settled } = this.family;
    if (settled === this.#notedFamily) return;
    // Whoever cannot be noted, since the disk is full, is known here all the same.
    await this.#folder.writeFamily(noteProcesses(settled)).then(
      () => (this.#notedFamily = settled),
      () => undefined,
    );
  }

  /** Starts the keeper, which the order is there for. Resolves to why that cannot be; undefined: it has been started. */
  async start(): Promise<string | undefined> {
    const { keeper, env } = this.#context;
    const child = spawn(keeper.command, [...keeper.args, this.#folder.keeperOrder], {
      cwd: this.#folder.path,
      env: { ...env, [runMark]: this.#folder.id },
      stdio: 'ignore',
      detached: true,
    });
    child.unref();
    this.#child = child;
    return new Promise((resolve) => {
      child.once('spawn', () => resolve(undefined));
      child.once('error', (error) => resolve(error.message));
    });
  }

  /** They have ended, and others are to come. */
  forget(): void {
    this.#replacements += 1;
    this.#launcher = undefined;
    this.#keeper = undefined;
    this.#child = undefined;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
