import type { CodedError } from '../../../../base/core/errors.ts';
import type { Config } from '../../../../configs/core/effectiveConfig.ts';
import type { Plain } from '../../../../configs/core/value.ts';
import type { TaskSource } from '../../task-reader/taskReader.ts';
import { graderErrors } from './errors.ts';
import { rubricSettings, type GraderSettings } from './settings.ts';

export interface RubricsFileParts {
  readonly config: Config;
  readonly settings: GraderSettings;
  readonly source: Pick<TaskSource, 'files' | 'tools' | 'log'>;
  /** Absolute, of experiments: the rubrics are looked for in each in turn. */
  readonly folders: readonly string[];
  /** A stand-in makes them. */
  readonly isStandIn: boolean;
  readonly warn: (problem: CodedError) => void;
}

/**
 * Rubrics in `auto_grader.json` of the experiment's folder, where upstream keeps them, with what they were made with:
 * those of other settings are made anew. A file of upstream's, which does not say, is taken where its mode is the
 * config's. What a stand-in wrote is kept apart, as `auto_grader.debug.json`.
 */
export class RubricsFile {
  readonly #parts: RubricsFileParts;

  constructor(parts: RubricsFileParts) {
    this.#parts = parts;
  }

  async read(): Promise<string | undefined> {
    for (const file of this.#candidates()) {
      const rubrics = await this.#readOne(file);
      if (rubrics === undefined) continue;
      this.#parts.source.log('info', `The rubrics are taken from ${file}; none are made.`);
      return rubrics;
    }
    return undefined;
  }

  /** Not being able to is a warning: the rubrics are there. */
  async write(rubrics: string): Promise<void> {
    const { settings, config, source, isStandIn, warn } = this.#parts;
    const file = await this.#free(isStandIn ? 'auto_grader.debug.json' : 'auto_grader.json');
    const { name, mode, language, lowest, highest } = settings;
    const content = {
      name,
      mode,
      language,
      rubrics,
      ...(mode === 'pointwise' && { min_score: lowest, max_score: highest }),
      made_with: rubricSettings(config),
    };
    try {
      await source.tools.writeText(file, `${JSON.stringify(content, null, 4)}\n`);
      source.log('info', `The rubrics are kept in ${file}.`);
    } catch (error) {
      warn(graderErrors.notKept(file, error));
    }
  }

  #candidates(): readonly string[] {
    const names = this.#parts.isStandIn
      ? ['auto_grader.json', 'auto_grader.debug.json']
      : ['auto_grader.json'];
    return this.#parts.folders.flatMap((folder) => names.map((name) => this.#in(folder, name)));
  }

  /** In the first folder that has none; else, for what is there is of other settings, in the last. */
  async #free(name: string): Promise<string> {
    let file = name;
    for (const folder of this.#parts.folders) {
      file = this.#in(folder, name);
      if (!(await this.#parts.source.files.exists(file))) break;
    }
    return file;
  }

  #in(folder: string, name: string): string {
    return this.#parts.source.tools.paths.resolve(folder, name);
  }

  async #readOne(file: string): Promise<string | undefined> {
    const { source, settings, config } = this.#parts;
    const text = await source.files.readText(file);
    if (text === undefined) return undefined;
    const content = parsed(text);
    const { rubrics, mode, made_with: made } = content;
    if (typeof rubrics !== 'string' || rubrics.trim() === '') {
      source.log('warn', `${file} has no rubrics in it and is left aside.`);
      return undefined;
    }
    const same = made === undefined ? mode === settings.mode : equal(made, rubricSettings(config));
    if (same) return rubrics;
    source.log('info', `The rubrics in ${file} were made with other settings and are left aside.`);
    return undefined;
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {}; // told as a file without rubrics
  }
}

function equal(made: unknown, now: Readonly<Record<string, Plain>>): boolean {
  return JSON.stringify(made) === JSON.stringify(now);
}
