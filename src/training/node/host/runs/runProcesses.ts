import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { signal } from '../../../../base/node/process/kill.ts';
import { Family, type RecentProcesses } from './family.ts';
import { noteProcesses, runMark, stillRuns, type NotedProcess } from './processes.ts';
import type { NotedExit } from './keeper.ts';
import type { RunFolder } from './runFolder.ts';

export interface ProcessContext {
  readonly env: NodeJS.ProcessEnv;
  /** The command that starts {@link keepRun}. The path of its order is appended. */
  readonly keeper: { readonly command: string; readonly args: readonly string[] };
  readonly processes: Pick<RecentProcesses, 'read'>;
}

/** A supervisor that keeps ending at once has a permanent problem. */
const mostReplacements = 5;

/** The launcher, its family and the keeper of a run, as stored in the run folder. */
export class RunProcesses {
  readonly #context: ProcessContext;
  readonly #folder: RunFolder;
  readonly family = new Family();
  /** The family in the folder. Undefined: not read yet. */
  #notedFamily: Family['settled'] | undefined;
  /** Undefined: it has not been seen running. */
  launcher: NotedProcess | undefined;
  keeper: NotedProcess | undefined;
  /** True if the keeper ended before it noted itself, and so started nothing. */
  hasFailed = false;
  #child: ChildProcess | undefined;
  #replacements = 0;

  constructor(context: ProcessContext, folder: RunFolder) {
    this.#context = context;
    this.#folder = folder;
  }

  /** True if a process may still note the exit of the run. */
  get isAlive(): boolean {
    if (this.keeper === undefined) return true; // it is starting
    return stillRuns(this.keeper) || (this.launcher !== undefined && stillRuns(this.launcher));
  }

  get mayBeReplaced(): boolean {
    return this.#replacements < mostReplacements;
  }

  /** Checks the processes. Resolves to the exit of the run, if noted. */
  async look(): Promise<NotedExit | undefined> {
    const { exitCode = null, signalCode = null } = this.#child ?? {};
    const exit = await this.#folder.exit();
    this.launcher ??= await this.#folder.launcher();
    this.keeper ??= await this.#folder.keeper();
    // A stopped keeper could neither start the launcher nor note its exit.
    const isIdle = exit === undefined && !(this.launcher !== undefined && stillRuns(this.launcher));
    if (isIdle && this.keeper !== undefined && stillRuns(this.keeper)) signal(this.keeper.pid, 'SIGCONT');
    this.hasFailed = (exitCode !== null || signalCode !== null) && this.keeper === undefined;
    await this.#lookAtFamily(exit === undefined);
    return exit;
  }

  async #lookAtFamily(isRunning: boolean): Promise<void> {
    if (this.#notedFamily === undefined) {
      this.family.remember(await this.#folder.family());
      this.#notedFamily = this.family.settled;
    }
    if (this.launcher === undefined || !isRunning) return;
    this.family.look(await this.#context.processes.read(), this.launcher);
    const { settled } = this.family;
    if (settled === this.#notedFamily) return;
    // On a full disk, the family stays known in memory.
    await this.#folder.writeFamily(noteProcesses(settled)).then(
      () => (this.#notedFamily = settled),
      () => undefined,
    );
  }

  /** Starts the keeper, whose order must exist. */
  async start(): Promise<void> {
    const { keeper, env } = this.#context;
    const child = spawn(keeper.command, [...keeper.args, this.#folder.keeperOrder], {
      cwd: this.#folder.path,
      env: { ...env, [runMark]: this.#folder.id },
      stdio: 'ignore',
      detached: true,
    });
    child.unref();
    this.#child = child;
    await once(child, 'spawn');
  }

  /** Forgets the processes, which have ended and will be replaced. */
  forget(): void {
    this.#replacements += 1;
    this.launcher = undefined;
    this.keeper = undefined;
    this.#child = undefined;
  }
}
