/** Long Python tracebacks of training are mostly frames of its libraries: these become one line each stretch. */

import { messageOf } from '../runs/markers.ts';

/** What Ray puts before each line of another process. */
const rayPrefix = /^(?:\([^()\n]{1,200}pid=\d+[^()\n]{0,100}\) )+/;
const frame = /^ {2}File "([^"]+)", line \d+, in .+$/;
/** Code of packages and of Python itself. */
const library = /^(?:.*\/)?(?:site-packages|dist-packages|lib\/python3(?:\.\d+)?)\/([^/]+)/;

interface Folded {
  readonly prefix: string;
  readonly names: Set<string>;
  frames: number;
}

/**
 * Folds the frames of libraries as lines come, so that the user's own frames, and the error, stand out. What was folded
 * is told in the line that stands for it.
 */
export class TracebackFolder {
  #folded: Folded | undefined;
  /** What the next line belongs to: the code of a frame that was folded. */
  #isInFrame = false;

  /** What is shown for a line: it, nothing yet, or what was folded before it as well. */
  add(line: string): readonly string[] {
    const prefix = prefixOf(line);
    const text = line.slice(prefix.length);
    const file = frame.exec(text)?.[1];
    if (file !== undefined) {
      const name = library.exec(file)?.[1];
      if (name === undefined) return [...this.end(), line];
      const before = this.#folded?.prefix === prefix ? [] : this.end();
      this.#folded ??= { prefix, names: new Set(), frames: 0 };
      this.#folded.names.add(name.replace(/\.py$/, ''));
      this.#folded.frames += 1;
      this.#isInFrame = true;
      return before;
    }
    // A frame's code, its marks, and a repeated frame's note are indented deeper.
    if (this.#isInFrame && /^ {4}|^ {2}\[Previous line repeated/.test(text)) return [];
    return [...this.end(), line];
  }

  /** What waits to be told. */
  end(): readonly string[] {
    const folded = this.#folded;
    this.#folded = undefined;
    this.#isInFrame = false;
    if (folded === undefined) return [];
    const { prefix, frames, names } = folded;
    return [`${prefix}  ⋯ ${frames} ${frames === 1 ? 'frame' : 'frames'} of ${[...names].join(', ')}`];
  }
}

/** All before the text: Ray's prefix, then that of Trinity's log, which repeats it before each line of a message. */
function prefixOf(line: string): string {
  const ray = rayPrefix.exec(line)?.[0] ?? '';
  const logged = line.slice(ray.length);
  const text = messageOf(logged) ?? logged;
  return line.slice(0, line.length - text.length);
}
