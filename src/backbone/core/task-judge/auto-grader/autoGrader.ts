/** The judge of `judge_type: rubrics_auto_grader`. */

import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { CodedError } from '../../../../base/core/errors.ts';
import { hashText } from '../../../../base/core/random.ts';
import type { Config } from '../../../../configs/core/effectiveConfig.ts';
import {
  BaseJudge,
  JudgeInputError,
  type Verdict,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../../../sdk/core/index.ts';
import type { HelperLlm } from '../../helper-llm/helperLlm.ts';
import { nestedConfig, readNested } from '../../task-reader/nestedReader.ts';
import { readTasks } from '../../task-reader/readers.ts';
import type { TaskSource } from '../../task-reader/taskReader.ts';
import type { JudgeClass } from '../judge.ts';
import { graderErrors } from './errors.ts';
import { createGrader, type Grader, makeRubrics } from './makeRubrics.ts';
import { numbered } from './prompts.ts';
import { candidatesOf, queryOf, sampleOf, sampleRequirements, textOf, type Sample } from './samples.ts';
import { readGraderSettings, section, type GraderSettings, rubricSettings } from './settings.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';

export interface AutoGraderParts {
  readonly config: Config;
  readonly helper: HelperLlm;
  readonly cancellation: CancellationToken;
  /** Absolute, of experiments: the rubrics are looked for in each in turn. */
  readonly folders: readonly string[];
  readonly sourceOf: (config: Config) => TaskSource;
  readonly warn: (problem: CodedError) => void;
}

interface Scoring {
  readonly settings: GraderSettings;
  readonly grader: Grader;
  readonly rubrics: string;
  /** Called with the first score outside the bounds. */
  readonly onClipped: (score: number) => void;
}

/**
 * Returns the grader with its rubrics, which are those of an earlier run or are made now from the labeled samples.
 *
 * - Pointwise: the reward is the position of the score between `min_score` (0) and `max_score` (1).
 * - Listwise: the reward is the share of the task's other answers that rank lower.
 * - A success is a reward of `success_threshold` or more, by default 1.
 *
 * Upstream's grader loads its rubrics but then refuses to score, because it never marks them as generated.
 *
 * Rejects with `task-judge/…`, `task-reader/…` and the errors of the helper LLM.
 */
export async function openAutoGrader(parts: AutoGraderParts): Promise<JudgeClass> {
  const { config, helper, cancellation, warn } = parts;
  const settings = readGraderSettings(config);
  warn(graderErrors.upstreamCannot(config.locate('ajet.task_judge.judge_type')));
  if (config.stringOrNull(`${section}.api_key`) !== null) {
    warn(graderErrors.keyUnread(config.locate(`${section}.api_key`)));
  }
  const grader = createGrader(settings, helper, cancellation);
  const rubrics = await rubricsOf(settings, grader, parts);
  let warned = false;
  const onClipped = (score: number): void => {
    if (!warned) warn(graderErrors.clipped(score, settings.lowest, settings.highest, settings.location));
    warned = true;
  };
  const scoring: Scoring = { settings, grader, rubrics, onClipped };
  const modes = { pointwise: scored, listwise: ranked };
  return class AutoGraderJudge extends BaseJudge {
    override async computeReward(task: WorkflowTask, output: WorkflowOutput): Promise<Verdict> {
      const answer = answerOf(output, settings.answerField);
      const query = queryOf(task.task, settings.queryField);
      if (query === undefined) {
        throw graderErrors.noQuery(settings.queryField, task.taskId, settings.location);
      }
      const reward = await modes[settings.mode](scoring, { task, query, answer });
      return { reward, isSuccess: reward >= (settings.successThreshold ?? 1) };
    }
  };
}

function answerOf({ metadata = {} }: WorkflowOutput, field: string): string {
  const answer = Object.hasOwn(metadata, field) ? textOf(metadata[field]) : undefined;
  if (answer !== undefined) return answer;
  throw new JudgeInputError(
    'output',
    `The output of the workflow has no metadata.${field}, which the grader needs.`,
    `Return {metadata: {${field}}} from execute, or set answer_field to the field with the answer.`,
  );
}

async function rubricsOf(settings: GraderSettings, grader: Grader, parts: AutoGraderParts): Promise<string> {
  const { config, helper, cancellation, warn } = parts;
  const source = parts.sourceOf(config);
  const file = { ...parts, settings, source, isStandIn: helper.isStandIn === true };
  const known = await readRubrics(file);
  if (known !== undefined) return known;
  const samples = await readSamples(settings, parts);
  const made = await makeRubrics(samples, { settings, grader, cancellation, log: source.log, warn });
  const rubrics = numbered(made);
  await writeRubrics(rubrics, file);
  return rubrics;
}

async function readSamples(
  settings: GraderSettings,
  { config, sourceOf, warn }: AutoGraderParts,
): Promise<readonly Sample[]> {
  const written = config.at(section);
  const type = config.at(`${section}.input_data_type`);
  const wants = sampleRequirements[settings.mode];
  if (written?.kind !== 'mapping') throw graderErrors.noSamples(wants, 0, settings.location);
  const entries = new Map([...written.entries, ...(type === undefined ? [] : [['type', type] as const])]);
  const source = sourceOf(nestedConfig(config, { ...written, entries }));
  const { tasks, warnings } = await readNested(source, { section, type: 'input_data_type' }, readTasks);
  for (const warning of warnings) warn(warning);
  const samples = tasks.map((task) => sampleOf(task, settings)).filter((sample) => sample !== undefined);
  if (samples.length === 0) throw graderErrors.noSamples(wants, tasks.length, settings.location);
  const left = tasks.length - samples.length;
  if (left > 0) warn(graderErrors.samplesLeftOut(wants, left, tasks.length, settings.location));
  return samples;
}

interface Question {
  readonly task: WorkflowTask;
  readonly query: string;
  readonly answer: string;
}

async function scored(
  { settings, grader, rubrics, onClipped }: Scoring,
  { query, answer }: Question,
): Promise<number> {
  const { lowest, highest, location } = settings;
  const { verdict, reply } = await grader.score(rubrics, query, answer);
  if (verdict === undefined) throw graderErrors.noScore('score', reply, location);
  if (verdict < lowest || verdict > highest) onClipped(verdict);
  return (Math.min(Math.max(verdict, lowest), highest) - lowest) / (highest - lowest);
}

/** The position of the answer depends on the answers only, because a fixed first or last position could be an advantage. */
async function ranked(
  { settings, grader, rubrics }: Scoring,
  { task, query, answer }: Question,
): Promise<number> {
  const others = othersOf(task, settings);
  const place = hashText(`${query}\n${answer}`) % (others.length + 1);
  const answers = others.toSpliced(place, 0, answer);
  const { verdict, reply } = await grader.rank(rubrics, query, answers);
  const own = verdict?.[place];
  if (verdict === undefined || own === undefined) {
    throw graderErrors.noScore(`ranks for all ${answers.length} answers`, reply, settings.location);
  }
  const before = verdict.filter((rank) => rank < own).length;
  return 1 - before / others.length;
}

/** The task's candidates; else its reference answer. */
function othersOf({ task, taskId }: WorkflowTask, settings: GraderSettings): readonly string[] {
  const candidates = candidatesOf(task.metadata['candidates']).map((one) => one.answer);
  if (candidates.length > 0) return candidates;
  const reference = textOf(task.metadata[settings.referenceField]);
  if (reference !== undefined) return [reference];
  throw graderErrors.nothingToRank(taskId, settings.referenceField, settings.location);
}

interface RubricsFile extends Pick<AutoGraderParts, 'config' | 'folders' | 'warn'> {
  readonly settings: GraderSettings;
  readonly source: Pick<TaskSource, 'files' | 'tools' | 'log'>;
  /** A stand-in makes them. */
  readonly isStandIn: boolean;
}

/**
 * Reads the rubrics in `auto_grader.json` of the experiment's folder, as in upstream, with the settings that made them.
 * Rubrics with other settings are made again. A file of upstream has no settings; it is used if its mode is that of the
 * config. Rubrics of a stand-in model are in `auto_grader.debug.json`.
 */
async function readRubrics(parts: RubricsFile): Promise<string | undefined> {
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
async function writeRubrics(rubrics: string, parts: RubricsFile): Promise<void> {
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
