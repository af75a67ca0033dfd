/**
 * Removes the messages of the Node.js inspector from the stderr of a process, and reads the address of the inspector from them.
 * Text is passed on as soon as it cannot be such a message, so unfinished lines of the user are not delayed.
 */
export class InspectorMessageFilter {
  readonly #onUrl: (url: URL) => void;
  #line = '';
  #passing = false;

  constructor(onUrl: (url: URL) => void) {
    this.#onUrl = onUrl;
  }

  /** Returns the output of the user in the text so far. */
  push(text: string): string {
    let passed = '';
    for (const part of text.split(/(?<=\n)/)) passed += this.#take(part);
    return passed;
  }

  /** Returns the rest at the end of the stream. */
  end(): string {
    const rest = this.#passing || isChatter(this.#line) ? '' : this.#line;
    this.#line = '';
    return rest;
  }

  #take(part: string): string {
    const complete = part.endsWith('\n');
    const before = this.#line;
    this.#line += part;
    if (!this.#passing) {
      if (complete ? isChatter(this.#line) : mayBecomeChatter(this.#line)) {
        if (complete) this.#swallow();
        return '';
      }
    }
    const passed = this.#passing ? part : before + part;
    this.#passing = !complete;
    this.#line = '';
    return passed;
  }

  #swallow(): void {
    const url = /^Debugger listening on (ws:\/\/\S+)/.exec(this.#line)?.[1];
    this.#line = '';
    if (url !== undefined) this.#onUrl(new URL(url));
  }
}

const beginnings = [
  'Debugger listening on ws://',
  'Debugger ending on ws://',
  'For help, see: https://nodejs.org/',
];
const wholes = ['Debugger attached.', 'Waiting for the debugger to disconnect...'];

function isChatter(line: string): boolean {
  const text = line.trimEnd();
  return wholes.includes(text) || beginnings.some((beginning) => text.startsWith(beginning));
}

function mayBecomeChatter(start: string): boolean {
  return [...beginnings, ...wholes].some((text) => text.startsWith(start)) || isChatter(start);
}
