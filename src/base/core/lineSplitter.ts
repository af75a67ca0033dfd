/** Splits chunks of text into lines. Skips empty lines. */
export class LineSplitter {
  #rest = '';

  push(chunk: string): string[] {
    const parts = (this.#rest + chunk).split('\n');
    this.#rest = parts.pop() ?? '';
    return parts.filter((line) => line !== '');
  }
}
