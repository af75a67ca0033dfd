/** `(WorkerDict pid=17, ip=10.0.0.2)`, `(WorkflowRunner(id=3) pid=18)`: what Ray puts before a line of an actor or task. */
const prefix = /^\(([A-Za-z_][\w.]{0,63})\b[^\n]{0,200}?\bpid=\d+(?:, ip=[^\s)]+)?\) /;

/** Beyond these the lines are in the launcher's log alone. */
const mostActors = 12;

/** Tells the lines of a driver's output apart by the actors that they come from. All processes of an actor are one. */
export class RayActors {
  readonly #known = new Set<string>();

  /** @returns the name of its class, or of the task; undefined: the driver's own line, or one of too many */
  actorOf(line: string): string | undefined {
    const name = prefix.exec(line)?.[1];
    if (name === undefined) return undefined;
    if (!this.#known.has(name) && this.#known.size >= mostActors) return undefined;
    this.#known.add(name);
    return name;
  }
}
