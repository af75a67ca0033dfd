import * as z from 'zod/mini';
import { isRecord } from '../../../../base/core/isRecord.ts';
import type { Location } from '../../../../base/core/errors.ts';
import type { Config } from '../../../../configs/core/effectiveConfig.ts';
import type { Plain } from '../../../../configs/core/value.ts';
import type { HelperMessage } from '../../helper-llm/helperLlm.ts';
import { graderErrors } from './errors.ts';

export const section = 'ajet.task_judge.rubrics_auto_grader';

export interface GraderSettings {
  readonly mode: 'pointwise' | 'listwise';
  readonly language: 'en' | 'zh';
  readonly model: string | undefined;
  readonly name: string;
  readonly queryField: string;
  readonly answerField: string;
  readonly referenceField: string;
  /** The lowest score; unused if answers are ranked. */
  readonly lowest: number;
  readonly highest: number;
  /** The least reward, from 0 to 1, of a success; undefined: only the best there is. */
  readonly successThreshold: number | undefined;
  /** Instead of the grader's own, with the names of values in braces. */
  readonly prompt: readonly HelperMessage[] | undefined;
  readonly perSample: number;
  /** Rounds in which the rubrics of a sample are tried and revised. */
  readonly rounds: number;
  readonly batchSize: number;
  readonly mostBatches: number;
  /** Batches in a row that add nothing, after which no more are made. */
  readonly patience: number;
  readonly mostRubrics: number;
  /** Undefined: rubrics are not put into categories. */
  readonly categories: number | undefined;
  readonly location: Location;
}

/** Absent keys have the defaults of upstream's code. Throws `config/…` and `task-judge/…`. */
export function readGraderSettings(config: Config): GraderSettings {
  const at = (key: string): string => `${section}.${key}`;
  const text = (key: string, fallback: string): string => config.stringOrNull(at(key)) ?? fallback;
  const count = (key: string, fallback: number): number =>
    Math.max(config.integerOrNull(at(key)) ?? fallback, 1);
  const lowest = config.numberOrNull(at('min_score')) ?? 0;
  const highest = config.numberOrNull(at('max_score')) ?? 10;
  const mode = text('grader_mode', 'pointwise').toLowerCase() === 'pointwise' ? 'pointwise' : 'listwise';
  if (mode === 'pointwise' && !(lowest < highest)) {
    throw graderErrors.noRange(lowest, highest, config.locate(at('max_score')));
  }
  return {
    mode,
    language: text('language', 'en').toLowerCase() === 'zh' ? 'zh' : 'en',
    model: config.stringOrNull(at('model_name')) ?? undefined,
    name: text('grader_name', 'RM Iterative Rubric Grader'),
    queryField: text('query_field', 'main_query'),
    answerField: text('answer_field', 'final_answer'),
    referenceField: text('reference_field', 'answer'),
    lowest,
    highest,
    successThreshold: thresholdOf(config, at('success_threshold')),
    prompt: promptOf(config, at('custom_evaluation_prompt')),
    perSample: count('query_specific_generate_number', 1),
    rounds: count('max_epochs', 3),
    batchSize: count('batch_size', 10),
    mostBatches: count('max_iterations', 50),
    patience: count('patience', 2),
    mostRubrics: count('max_total_rubrics', 200),
    categories:
      config.booleanOrNull(at('enable_categorization')) === true ? count('categories_number', 5) : undefined,
    location: config.locate(section),
  };
}

function thresholdOf(config: Config, key: string): number | undefined {
  const threshold = config.numberOrNull(key) ?? undefined;
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1)) {
    throw graderErrors.badThreshold(threshold, config.locate(key));
  }
  return threshold;
}

/** A text is what the user says; a section has `messages`, as upstream's template. */
function promptOf(config: Config, key: string): readonly HelperMessage[] | undefined {
  const value = config.get(key)?.value;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return [{ role: 'user', content: value }];
  const template = promptSection.safeParse(value);
  if (template.success) return template.data.messages;
  throw graderErrors.badPrompt(config.locate(key));
}

const promptSection = z.object({
  messages: z
    .array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
    .check(z.minLength(1)),
});

/** Returns the settings on which the rubrics depend. Rubrics of other settings are not used. */
export function rubricSettings(config: Config): Readonly<Record<string, Plain>> {
  const value = config.get(section)?.value;
  return Object.fromEntries(
    Object.entries(isRecord(value) ? value : {})
      .filter(([name]) => !withoutEffect.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** On the rubrics; a key to a service belongs into no file. */
const withoutEffect: ReadonlySet<string> = new Set([
  'api_key',
  'success_threshold',
  'grader_name',
  'answer_field',
  'reference_field',
  'max_retries',
]);
