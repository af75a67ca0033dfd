import { isRecord } from '../../../../base/core/isRecord.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import type { CodedError } from '../../../../base/core/errors.ts';
import type { Config } from '../../../../configs/core/effectiveConfig.ts';
import type { TaskSource } from '../../task-reader/taskReader.ts';
import { graderErrors } from './errors.ts';
import { rubricSettings, type GraderSettings } from './settings.ts';

export interface RubricsFile {
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
 * Reads the rubrics in `auto_grader.json` of the experiment's folder, as in upstream, with the settings that made them.
 * Rubrics with other settings are made again. A file of upstream has no settings; it is used if its mode is that of the
 * config. Rubrics of a stand-in model are in `auto_grader.debug.json`.
 */
export async function readRubrics(parts: RubricsFile): Promise<string | undefined> {
  const { folders, isStandIn, source } = parts;
  const names = isStandIn ? ['auto_grader.json', 'auto_grader.debug.json'] : ['auto_grader.json'];
  for (const file of folders.flatMap((folder) =>
    names.map((name) => source.tools.paths.resolve(folder, name)),
  )) {
    const rubrics = await readOne(file, parts);
    if (rubrics === undefined) continue;
    source.log('info', `The rubrics are those in ${file}.`);
    return rubrics;
  }
  return undefined;
}

async function readOne(file: string, { source, settings, config }: RubricsFile): Promise<string | undefined> {
  const text = await source.files.readText(file);
  if (text === undefined) return undefined;
  const content = parseJson(text);
  const { rubrics, mode, made_with: made } = isRecord(content) ? content : {};
  if (typeof rubrics !== 'string' || rubrics.trim() === '') {
    source.log('warn', `${file} is ignored, because it has no rubrics.`);
    return undefined;
  }
  const isSame =
    made === undefined
      ? mode === settings.mode
      : JSON.stringify(made) === JSON.stringify(rubricSettings(config));
  if (isSame) return rubrics;
  source.log('info', `The rubrics in ${file} are ignored, because they were made with other settings.`);
  return undefined;
}

/** Writes the rubrics to the first folder without a file, else to the last one. A failure is a warning. */
export async function writeRubrics(rubrics: string, parts: RubricsFile): Promise<void> {
  const { settings, config, source, isStandIn, warn } = parts;
  const name = isStandIn ? 'auto_grader.debug.json' : 'auto_grader.json';
  let file = name;
  for (const folder of parts.folders) {
    file = source.tools.paths.resolve(folder, name);
    if (!(await source.files.exists(file))) break;
  }
  const { mode, language, lowest, highest } = settings;
  const content = {
    name: settings.name,
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
