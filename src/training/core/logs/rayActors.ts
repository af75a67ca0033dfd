/**
 * The prefix that Ray adds to a line of an actor or task: `(WorkerDict pid=17, ip=10.0.0.2)`, `(WorkflowRunner(id=3)
 * pid=18)`.
 */
const prefix = /^\(([A-Za-z_][\w.]{0,63})\b[^\n]{0,200}?\bpid=\d+(?:, ip=[^\s)]+)?\) /;

/** The number of actors with their own log. Lines of further ones are in the launcher's log only. */
const mostActors = 12;

/** Assigns lines of a driver's output to actors. All processes of an actor are one. */
export class RayActors {
  readonly #known = new Set<string>();

  /** @returns the name of the class or task; undefined for a line of the driver, or of an actor above the limit */
  actorOf(line: string): string | undefined {
    const name = prefix.exec(line)?.[1];
    if (name === undefined) return undefined;
    if (!this.#known.has(name) && this.#known.size >= mostActors) return undefined;
    this.#known.add(name);
    return name;
  }
}
