/** Asking the person at the terminal. */
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Whether there is one. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** A line; what is typed is not shown where it is `hidden`. Undefined: there is none any more. */
export function prompt(question: string, { hidden = false } = {}): Promise<string | undefined> {
  const output = hidden ? nowhere() : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // Only now: before, the terminal itself would show what is typed.
  process.stderr.write(question);
  return new Promise((resolve) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => resolve(undefined));
    lines.once('line', (line) => {
      resolve(line.trim());
      lines.close();
    });
  }).finally(() => hidden && process.stderr.write('\n')) as Promise<string | undefined>;
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
