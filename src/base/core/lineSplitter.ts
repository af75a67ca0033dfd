/** Cuts a byte-agnostic text stream into lines, however it was chunked. */
export class LineSplitter {
  #rest = '';

  push(chunk: string): string[] {
    const parts = (this.#rest + chunk).split('\n');
    this.#rest = parts.pop() ?? '';
    return parts.filter((line) => line !== '');
  }
}
