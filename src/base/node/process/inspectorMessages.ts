/**
 * Removes the messages of the Node.js inspector from the stderr of a process, and reads the inspector port from them.
 * Text is passed on as soon as it cannot be such a message, so unfinished lines of the user are not delayed.
 */
export class InspectorMessageFilter {
  readonly #onPort: (port: number) => void;
  #line = '';
  #passing = false;

  constructor(onPort: (port: number) => void) {
    this.#onPort = onPort;
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
    const port = /^Debugger listening on ws:\/\/[^/]*:(\d+)\//.exec(this.#line)?.[1];
    this.#line = '';
    if (port !== undefined) this.#onPort(Number(port));
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
