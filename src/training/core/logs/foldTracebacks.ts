/** Folds the library frames of Python tracebacks to one line. */
import { messageOf } from '../runs/markers.ts';

/** The prefix that Ray adds to lines of other processes. */
const rayPrefix = /^(?:\([^()\n]{1,200}pid=\d+[^()\n]{0,100}\) )+/;
const frame = /^ {2}File "([^"]+)", line \d+, in .+$/;
/** Files of packages and of Python itself. */
const library = /^(?:.*\/)?(?:site-packages|dist-packages|lib\/python3(?:\.\d+)?)\/([^/]+)/;

interface Folded {
  readonly prefix: string;
  readonly names: Set<string>;
  frames: number;
}

/** Replaces frames of libraries by one line that counts them, so that the user's frames and the error are easy to see. */
export class TracebackFolder {
  #folded: Folded | undefined;
  /** True if the next line can be the code of a folded frame. */
  #isInFrame = false;

  /** Returns the lines to show for a line: folded frames before it, and the line itself unless it is folded. */
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

  end(): readonly string[] {
    const folded = this.#folded;
    this.#folded = undefined;
    this.#isInFrame = false;
    if (folded === undefined) return [];
    const { prefix, frames, names } = folded;
    return [`${prefix}  ⋯ ${frames} ${frames === 1 ? 'frame' : 'frames'} of ${[...names].join(', ')}`];
  }
}

/** Returns Ray's prefix and then that of Trinity's log, which is on each line of a message. */
function prefixOf(line: string): string {
  const ray = rayPrefix.exec(line)?.[0] ?? '';
  const logged = line.slice(ray.length);
  const text = messageOf(logged) ?? logged;
  return line.slice(0, line.length - text.length);
}
