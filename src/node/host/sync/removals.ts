import { rm } from 'node:fs/promises';

/** Files that are on their way out: whoever has one of the same name to put there waits until the old one has gone. */
export class Removals {
  readonly #going = new Map<string, Promise<void>>();

  async remove(file: string): Promise<void> {
    const going = rm(file, { force: true }).finally(() => this.#going.delete(file));
    this.#going.set(file, going);
    await going;
  }

  async gone(file: string): Promise<void> {
    await this.#going.get(file);
  }
}
