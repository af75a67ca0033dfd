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
 * The rubrics in `auto_grader.json` of the experiment's folder, as in upstream, with the settings that made them. Rubrics
 * with other settings are made again. A file of upstream has no settings; it is used if its mode is that of the config.
 * Rubrics of a stand-in model are in `auto_grader.debug.json`.
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
      this.#parts.source.log('info', `The rubrics are those in ${file}.`);
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
      source.log('info', `The rubrics are saved in ${file}.`);
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

  /** Returns the file in the first folder without one; else in the last folder, whose file has other settings. */
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
      source.log('warn', `${file} is ignored, because it has no rubrics.`);
      return undefined;
    }
    const same = made === undefined ? mode === settings.mode : equal(made, rubricSettings(config));
    if (same) return rubrics;
    source.log('info', `The rubrics in ${file} are ignored, because they were made with other settings.`);
    return undefined;
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {}; // reported as a file without rubrics
  }
}

function equal(made: unknown, now: Readonly<Record<string, Plain>>): boolean {
  return JSON.stringify(made) === JSON.stringify(now);
}
