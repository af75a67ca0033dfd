import process from 'node:process';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { withoutControl } from '../../../base/core/visibleText.ts';

export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Reads a line. With `hidden`, the terminal does not show the input. Undefined: the input has ended. */
export function prompt(question: string, { hidden = false } = {}): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = hidden ? nowhere : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // Written after readline has started. Earlier, the terminal itself would echo the input.
  process.stderr.write(withoutControl(question));
  return new Promise((resolve) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => resolve(undefined));
    lines.once('line', (line) => {
      resolve(line.trim());
      lines.close();
    });
  }).finally(() => hidden && process.stderr.write('\n')) as Promise<string | undefined>;
}
