import { instructed } from '../../helper-llm/helperLlm.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import { CodedError, type Location } from '../../../../base/core/errors.ts';
import type { Plain } from '../../../../configs/core/value.ts';
import type { Task } from '../../../../sdk/core/index.ts';
import { Deduplicator, openEmbed } from '../similarity/openEmbed.ts';
import { type TaskSource, throwIfCancelled } from '../taskReader.ts';
import { readReply } from '../readReply.ts';

const section = 'ajet.task_reader.feedback_tracing.filters';

type Params = Readonly<Record<string, Plain>>;

export interface FilterResult {
  readonly tasks: readonly Task[];
  readonly warnings: readonly CodedError[];
  /** True if a stand-in judged the tasks, so training may keep others. */
  readonly isStandIn: boolean;
}

interface Entry {
  readonly params: Params;
  readonly location: Location;
  readonly source: TaskSource;
}

interface FilterKind {
  readonly known: readonly string[];
  /** Upstream's class has no default for these. */
  readonly required: readonly string[];
  run(tasks: readonly Task[], entry: Entry): Promise<FilterResult>;
}

const kinds: Readonly<Record<string, FilterKind>> = {
  llm_evaluate: {
    known: ['custom_rubrics', 'temperature', 'max_tokens', 'print_reason'],
    required: [],
    run: evaluate,
  },
  deduplication: {
    known: ['similarity_threshold', 'db_path', 'model', 'api_key', 'base_url'],
    required: ['similarity_threshold', 'db_path', 'model', 'api_key', 'base_url'],
    run: deduplicate,
  },
};

/** Runs the filters of the config in order, those that are enabled. Throws `task-reader/unknown-filter`. */
export async function runFilters(tasks: readonly Task[], source: TaskSource): Promise<FilterResult> {
  const warnings: CodedError[] = [];
  let kept = tasks;
  let isStandIn = false;
  for (const [index, written] of filtersOf(source).entries()) {
    const location = source.config.locate(`${section}.${index}`);
    const filter = isRecord(written) ? written : {};
    if (filter['enabled'] === false) continue;
    const name = textOr(filter['type'], '');
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw unknownFilter(filter['type'], location);
    const params = isRecord(filter['params']) ? filter['params'] : {};
    warnings.push(...wrongParams(name, kind, params, location));
    const filtered = await kind.run(kept, { params, location, source });
    source.log('info', `${name} keeps ${filtered.tasks.length} of ${kept.length} tasks.`);
    kept = filtered.tasks;
    isStandIn ||= filtered.isStandIn;
    warnings.push(...filtered.warnings);
  }
  return { tasks: kept, warnings, isStandIn };
}

function filtersOf({ config }: TaskSource): readonly Plain[] {
  const value = config.get(section)?.value;
  return Array.isArray(value) ? value : [];
}

async function deduplicate(
  tasks: readonly Task[],
  { params, location, source }: Entry,
): Promise<FilterResult> {
  const threshold = numberOr(params['similarity_threshold'], defaults.threshold);
  const { embed, isStandIn, warnings } = await openEmbed(
    {
      threshold,
      model: textOr(params['model'], defaults.model),
      baseUrl: textOr(params['base_url'], defaults.baseUrl),
      apiKey: typeof params['api_key'] === 'string' ? params['api_key'] : null,
      dbPath: typeof params['db_path'] === 'string' ? params['db_path'] : null,
      location,
    },
    source,
  );
  return { tasks: await new Deduplicator(embed, threshold).keep(tasks), warnings, isStandIn };
}

/** The section of the same filter in data generation. */
const defaults = {
  threshold: 0.8,
  model: 'text-embedding-v4',
  baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
};

function wrongParams(name: string, kind: FilterKind, params: Params, location: Location): CodedError[] {
  const unknown = Object.keys(params).filter((param) => !kind.known.includes(param));
  const missing = kind.required.filter((param) => !Object.hasOwn(params, param));
  const warnings: CodedError[] = [];
  if (unknown.length > 0) {
    warnings.push(
      new CodedError({
        code: 'task-reader/unknown-filter-param',
        message: `The filter ${name} has no parameter ${unknown.join(', ')}: training fails with a TypeError. This run ignores it.`,
        location,
        hint: `Remove ${unknown.join(', ')} from params. The parameters are ${kind.known.join(', ')}.`,
      }),
    );
  }
  if (missing.length > 0) {
    warnings.push(
      new CodedError({
        code: 'task-reader/missing-filter-param',
        message: `The filter ${name} needs ${missing.join(', ')}: training fails with a TypeError. This run uses defaults.`,
        location,
        hint: `Set ${missing.join(', ')} in params. With api_key: null, the key is DASHSCOPE_API_KEY.`,
      }),
    );
  }
  return warnings;
}

function unknownFilter(name: Plain | undefined, location: Location): CodedError {
  return new CodedError({
    code: 'task-reader/unknown-filter',
    message: `Unknown filter type: ${JSON.stringify(name ?? null)}.`,
    location,
    hint: `Use ${Object.keys(kinds).join(' or ')}, or set enabled: false.`,
  });
}

function brokenUpstream(location: Location): CodedError {
  return new CodedError({
    code: 'task-reader/llm-evaluate-fails-upstream',
    message:
      'llm_evaluate works as documented here. In training it fails at the first task, because AgentJet reads the message of the reviewer as the verdict.',
    location,
    hint: 'Fix the filter in your AgentJet before training. Or filter here, and train from train_output_path without the filter.',
  });
}

function textOr(value: Plain | undefined, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function numberOr(value: Plain | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

/** The model that upstream writes into the filter. */
const reviewer = 'qwen3-235b-a22b-instruct-2507';
const defaultMaxTokens = 512;

const verdictSchema = {
  type: 'object',
  properties: { reason: { type: 'string' }, result: { type: 'string', enum: ['GOOD', 'BAD'] } },
  required: ['reason', 'result'],
};

function instructions(rubrics: string): string {
  return `You review pairs of a question and the answer of an assistant, which become training data. Judge only by the two texts: look nothing up and assume no facts.

A pair is BAD when one or more of these hold; otherwise it is GOOD:
- the question or the answer is empty;
- the answer only acknowledges or asks back, and has no substance;
- the answer does not address the question;
- the answer mainly reports obstacles, such as a search that failed, and offers nothing instead;
- the answer contradicts itself;
- the answer contains illegal, hateful or private content;
- the answer is in a language that the user would not understand.
${rubrics.trim() === '' ? '' : `\nRules of this data set, which count as much:\n${rubrics}\n`}
Reply with one JSON object and nothing else: {"reason": "one sentence", "result": "GOOD" or "BAD"}`;
}

/** Keeps tasks that the helper LLM calls GOOD, one after another as upstream intends. Rejects with `helper-llm/…`. */
async function evaluate(
  tasks: readonly Task[],
  { params, location, source: { helper, cancellation, log } }: Entry,
): Promise<FilterResult> {
  const system = instructions(textOr(params['custom_rubrics'], ''));
  const { temperature } = params;
  const options = {
    model: reviewer,
    maxTokens: numberOr(params['max_tokens'], defaultMaxTokens),
    ...(typeof temperature === 'number' && { sampling: { temperature } }),
    answer: verdictSchema,
  };
  const kept: Task[] = [];
  for (const [index, task] of tasks.entries()) {
    throwIfCancelled(cancellation);
    const answer = task.metadata['answer'];
    const pair = `query: ${task.main_query}\nanswer: ${typeof answer === 'string' ? answer : ''}`;
    const { result, reason } = verdictOf(await helper.ask(instructed(system, pair), cancellation, options));
    const isSilent = params['print_reason'] === false;
    if (!isSilent) log('info', `Reviewed ${index + 1} of ${tasks.length}: ${result}. ${reason}`);
    if (result === 'GOOD') kept.push(task);
  }
  return { tasks: kept, warnings: [brokenUpstream(location)], isStandIn: helper.isStandIn === true };
}

function verdictOf(reply: string): { result: string; reason: string } {
  const value = readReply(reply);
  const { result, reason } = isRecord(value) ? value : {};
  if (result !== 'GOOD' && result !== 'BAD') {
    return { result: 'BAD', reason: `The reviewer gave no verdict: ${reply.slice(0, 80)}` };
  }
  return { result, reason: typeof reason === 'string' ? reason : '' };
}
