import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { CodedError } from '../../../../base/core/errors.ts';
import type { LogLevel } from '../../../../base/core/ports.ts';
import { runCalls } from '../../task-reader/generation/calls.ts';
import { graderErrors } from './errors.ts';
import {
  categoriesPrompt,
  numbered,
  proposePrompt,
  revisePrompt,
  rubricsSchema,
  rankPrompt,
  rankSchema,
  scorePrompt,
  scoreSchema,
} from './prompts.ts';
import { rubricsIn, ranksIn, scoreIn } from './replies.ts';
import type { Sample } from './samples.ts';
import type { GraderSettings } from './settings.ts';
import type { HelperLlm, HelperMessage } from '../../helper-llm/helperLlm.ts';

export interface RubricWork {
  readonly settings: GraderSettings;
  readonly grader: Grader;
  readonly cancellation: CancellationToken;
  readonly log: (level: LogLevel, message: string) => void;
  readonly warn: (problem: CodedError) => void;
}

interface Proposal {
  readonly rubrics: readonly string[];
  /** With these the grader came to the sample's label. */
  readonly proven: boolean;
}

/**
 * Makes rubrics from labeled samples in rounds of proposing, trying and revising, as upstream does. It keeps those with
 * which the grader reaches the label. It ends when the samples are used up, when there are enough rubrics, or when
 * `patience` batches in a row added none. Upstream decides that by embeddings (MCR²), which are not used here.
 *
 * Rejects with `task-judge/no-rubrics`, with the errors of the helper LLM, and on cancellation.
 */
export async function makeRubrics(samples: readonly Sample[], work: RubricWork): Promise<readonly string[]> {
  const { settings, warn } = work;
  const proposals: Proposal[] = [];
  const rubrics = new Set<string>();
  let failure: string | undefined;
  let idle = 0;
  for (let batch = 0; batch < settings.mostBatches && idle < settings.patience; batch++) {
    const start = batch * settings.batchSize;
    const taken = samples.slice(start, start + settings.batchSize);
    if (taken.length === 0 || rubrics.size >= settings.mostRubrics) break;
    const what = `Rubrics from samples ${start + 1} to ${start + taken.length} of ${samples.length}`;
    const asked = await runCalls(
      what,
      taken.length,
      taken.length,
      (index) => propose(taken[index], work),
      work,
    );
    const before = rubrics.size;
    for (const rubric of proven(asked.results)) rubrics.add(rubric);
    proposals.push(...asked.results);
    failure ??= asked.firstFailure;
    idle = rubrics.size === before ? idle + 1 : 0;
  }
  const unproven = new Set(proposals.flatMap((proposal) => proposal.rubrics));
  if (unproven.size === 0) {
    throw graderErrors.noRubrics(failure ?? 'its responses had none', settings.location);
  }
  if (rubrics.size === 0) warn(graderErrors.unproven(proposals.length, settings.location));
  const chosen = rubrics.size === 0 ? unproven : rubrics;
  return categorised([...chosen].slice(0, settings.mostRubrics), work);
}

function proven(proposals: readonly Proposal[]): readonly string[] {
  return proposals.flatMap((proposal) => (proposal.proven ? proposal.rubrics : []));
}

async function propose(sample: Sample | undefined, work: RubricWork): Promise<Proposal> {
  if (sample === undefined) return { rubrics: [], proven: false };
  const { settings, grader } = work;
  const schema = rubricsSchema(settings.perSample);
  let rubrics = rubricsIn(await grader.ask(proposePrompt(settings, sample), schema));
  for (let round = 1; rubrics.length > 0; round++) {
    const { isLabel, verdict } = await tried(sample, rubrics, work);
    if (isLabel) return { rubrics, proven: true };
    if (round >= settings.rounds) break;
    const revised = rubricsIn(await grader.ask(revisePrompt(settings, sample, rubrics, verdict), schema));
    if (revised.length === 0) break;
    rubrics = revised;
  }
  return { rubrics, proven: false };
}

/** A score counts as the label's that is within a twentieth of the range; ranks, when they order the answers alike. */
async function tried(
  sample: Sample,
  rubrics: readonly string[],
  { settings, grader }: RubricWork,
): Promise<{ readonly isLabel: boolean; readonly verdict: string }> {
  if (sample.mode === 'pointwise') {
    const { verdict } = await grader.score(numbered(rubrics), sample.query, sample.answer);
    const near = (settings.highest - settings.lowest) / 20;
    const isLabel = verdict !== undefined && Math.abs(verdict - sample.score) <= near;
    return { isLabel, verdict: verdict === undefined ? 'none' : `a score of ${verdict}` };
  }
  const { verdict } = await grader.rank(numbered(rubrics), sample.query, sample.answers);
  const isLabel = verdict !== undefined && sameOrder(verdict, sample.ranks);
  return { isLabel, verdict: verdict === undefined ? 'none' : `the ranks ${JSON.stringify(verdict)}` };
}

/** Returns true if all answers with different labels are in the same order. */
export function sameOrder(given: readonly number[], label: readonly number[]): boolean {
  return label.every((one, i) =>
    label.every((other, j) => one >= other || (given[i] ?? NaN) < (given[j] ?? NaN)),
  );
}

async function categorised(rubrics: readonly string[], work: RubricWork): Promise<readonly string[]> {
  const { settings, grader, warn } = work;
  const { categories } = settings;
  if (categories === undefined || rubrics.length <= 1) return rubrics;
  const reply = await grader.ask(categoriesPrompt(settings, rubrics, categories), rubricsSchema(categories));
  const grouped = rubricsIn(reply);
  if (grouped.length > 0) return grouped;
  warn(graderErrors.notCategorised(settings.location));
  return rubrics;
}

interface GraderReply<T> {
  readonly verdict: T | undefined;
  readonly reply: string;
}

/** The helper LLM in the role of a grader. Rejects as the helper LLM does. */
export interface Grader {
  /** Returns the score of the grader, which may be outside its bounds. */
  score(rubrics: string, query: string, answer: string): Promise<GraderReply<number>>;
  /** Returns the ranks in the order of the answers; 1 is the best. */
  rank(rubrics: string, query: string, answers: readonly string[]): Promise<GraderReply<readonly number[]>>;
  /** @param answer the JSON Schema of the reply */
  ask(messages: readonly HelperMessage[], answer: Readonly<Record<string, unknown>>): Promise<string>;
}

export function createGrader(
  settings: GraderSettings,
  helper: HelperLlm,
  cancellation: CancellationToken,
): Grader {
  const ask: Grader['ask'] = (messages, answer) =>
    helper.ask(messages, cancellation, { model: settings.model, answer });
  return {
    ask,
    score: async (...given) => {
      const reply = await ask(scorePrompt(settings, ...given), scoreSchema(settings));
      return { verdict: scoreIn(reply), reply };
    },
    rank: async (rubrics, query, answers) => {
      const { length } = answers;
      const reply = await ask(rankPrompt(settings, rubrics, query, answers), rankSchema(length));
      return { verdict: ranksIn(reply, length), reply };
    },
  };
}
