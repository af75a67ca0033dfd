/**
 * Our side of the config benches: what the editor does with a config. Neither side has a workspace: this one composes
 * with the defaults that come with it, and finds no files and no classes.
 */
import path from 'node:path';
import './asBundled.mjs';

const { check } = await import('../../src/configs/core/check.ts');
const { completeIn } = await import('../../src/configs/core/completion/completeIn.ts');
const { dialectOf } = await import('../../src/configs/core/dialect.ts');
const { hoverIn } = await import('../../src/configs/core/hover.ts');
const { parseConfig } = await import('../../src/configs/core/parse.ts');
const { readContext } = await import('../../src/configs/core/readContext.ts');

export class OurSide {
  #document;
  #context;
  #surroundings = {
    file: '/project/conf/exp.yaml',
    cwd: '/project',
    paths: path.posix,
    environment: () => undefined,
    files: {
      readText: () => Promise.resolve(undefined),
      exists: () => Promise.resolve(false),
      lines: () => {
        throw new Error('A config is not read line by line.');
      },
      list: () => Promise.resolve([]),
    },
    classes: {
      find: () => Promise.resolve({ status: 'elsewhere' }),
      all: () => Promise.resolve([]),
    },
  };

  /** Everything that diagnostics take: dialect, parsing, composition, facts, rules. */
  async open(text) {
    return this.edit(text);
  }

  async edit(text) {
    const dialect = dialectOf(text);
    if (dialect === undefined) throw new Error('The text is of no dialect.');
    this.#document = parseConfig(text);
    this.#context = await readContext(this.#document, dialect, this.#surroundings);
    return check(this.#context);
  }

  hover(offset) {
    return Promise.resolve(hoverIn(this.#context, offset)?.markdown);
  }

  complete(offset) {
    const { dialect, composition } = this.#context;
    const request = { dialect, configEnvironment: this.#surroundings, composition };
    return completeIn(this.#document, offset, request);
  }
}
