import { CodedError, type Location, messageOf } from '../../../../base/core/errors.ts';
import type { Task } from '../../../../sdk/core/index.ts';
import { IdTally, selectTasks, type ReadTasks, type TaskSource } from '../taskReader.ts';
import { readTaskLines, taskLines } from '../jsonlReader.ts';
import { runFilters } from './filters.ts';
import { readSpan } from './spanPair.ts';
import { PythonRandom } from '../mersenneTwister.ts';

const section = 'ajet.task_reader.feedback_tracing';
/** The spans that hold a question and its answer. */
const spanName = 'ReActAgent.reply';

/**
 * The reader of `tracing`, which makes tasks from responses that AgentScope Studio traced. As in upstream, the tasks that
 * `train_output_path` already contains are first. New tasks follow: they pass the filters and have a `qa_hash` that is not
 * in the file. They are shuffled, and 70 % of them are for training.
 *
 * New tasks are appended to `train_output_path`, as in training. The choice of a stand-in model must not become training
 * data, so its tasks are not appended. A span that would stop training is ignored with a warning.
 */
export const readTracing: ReadTasks = async (source, selection) => {
  const { config, log } = source;
  const output = await outputFile(source);
  const { tasks: traced, warnings } = await tracedTasks(source);
  const earlier = await readTaskLines(output, source.files);
  const known = new Set(earlier.map(({ metadata }) => metadata['qa_hash']));
  const fresh = traced.filter(({ metadata }) => !known.has(metadata['qa_hash']));
  log(
    'info',
    `${traced.length} traced tasks, of which ${fresh.length} are new; ${earlier.length} earlier tasks.`,
  );
  const filtered = await runFilters(fresh, source);
  await keep(filtered.tasks, filtered.isStandIn, output, source);
  const all = [...earlier, ...filtered.tasks];
  if (all.length === 0) throw tracingErrors.nothingLeft(traced.length, config.locate(section));
  const split = splitTasks(all)[source.split];
  if (split.length === 0) throw tracingErrors.emptySplit(config.locate(section));
  return {
    tasks: selectTasks(split, selection, config.locate(`${section}.base_url`)),
    warnings: [...warnings, ...filtered.warnings],
    ids: IdTally.of(split),
  };
};

/** Returns the output path. If the file does not exist, it is in the working directory, as in upstream. */
async function outputFile(source: TaskSource): Promise<string> {
  const { config, files, tools } = source;
  const written = config.string(`${section}.train_output_path`);
  const found = await source.resolveFile(written);
  return (await files.exists(found)) ? found : tools.paths.resolve(tools.cwd, written);
}

async function keep(
  tasks: readonly Task[],
  isStandIn: boolean,
  output: string,
  { log, tools }: TaskSource,
): Promise<void> {
  if (tasks.length === 0) return;
  if (isStandIn) {
    log(
      'info',
      `The ${tasks.length} new tasks are not added to ${output}, because a stand-in model selected them.`,
    );
    return;
  }
  await tools.appendText(output, taskLines(tasks));
  log('info', `Added ${tasks.length} new tasks to ${output}, as training does.`);
}

async function tracedTasks(
  source: TaskSource,
): Promise<{ readonly tasks: readonly Task[]; readonly warnings: readonly CodedError[] }> {
  const { config, files, tools, log } = source;
  const key = `${section}.base_url`;
  const file = await source.resolveFile(config.string(key));
  const location = config.locate(key);
  if (!(await files.exists(file))) throw tracingErrors.noDatabase(file, location);
  const spans = await tools.readSpans(file, spanName).catch((error: unknown) => {
    throw tracingErrors.unreadable(file, error, location);
  });
  const tasks: Task[] = [];
  const fatal: { readonly row: number; readonly reason: string }[] = [];
  for (const [index, attributes] of spans.entries()) {
    const reading = readSpan(attributes);
    if (reading.kind === 'fatal') fatal.push({ row: index + 1, reason: reading.reason });
    if (reading.kind !== 'pair') continue;
    const { query, answer } = reading;
    const text = `${query}\n${typeof answer === 'string' ? answer : ''}`;
    const metadata = { answer, qa_hash: tools.digest('sha256', text) };
    tasks.push({ main_query: query, init_messages: [], task_id: 'no_id', env_type: 'no_env', metadata });
  }
  const skipped = spans.length - tasks.length - fatal.length;
  log('info', `${file}: ${spans.length} spans ${spanName}, ${skipped} without a question and its answer.`);
  const [first] = fatal;
  if (first === undefined) return { tasks, warnings: [] };
  return { tasks, warnings: [tracingErrors.fatalSpans(fatal.length, spans.length, first, location)] };
}

/** Shuffles by Python's generator with seed 42, then takes 70 % for training. Of two tasks, each part has one. */
export function splitTasks<T>(tasks: readonly T[]): {
  readonly training: readonly T[];
  readonly validation: readonly T[];
} {
  const shuffled = [...tasks];
  new PythonRandom(42).shuffle(shuffled);
  const share = Math.trunc(shuffled.length * 0.7);
  const size = shuffled.length < 2 ? shuffled.length : Math.min(Math.max(share, 1), shuffled.length - 1);
  return { training: shuffled.slice(0, size), validation: shuffled.slice(size) };
}

const tracingErrors = {
  noDatabase: (file: string, location: Location) =>
    new CodedError({
      code: 'task-reader/no-database',
      message: `The database ${file} does not exist.`,
      location,
      hint: 'Correct base_url. Despite its name, it is the path of the SQLite file of AgentScope Studio.',
    }),

  unreadable: (file: string, cause: unknown, location: Location) => {
    const reason = messageOf(cause);
    const lacksTable = /no such (table|column)/i.test(reason);
    return new CodedError({
      code: lacksTable ? 'task-reader/no-spans' : 'task-reader/unreadable-database',
      message: lacksTable
        ? `The database ${file} has no traces of AgentScope Studio: ${reason}.`
        : `The database ${file} cannot be read: ${reason}.`,
      location,
      hint: lacksTable
        ? 'Select the file that Studio writes, with the columns name and attributes in the table span_table. Later versions of Studio write another format.'
        : 'Select a complete SQLite file that you can read. Copy it while Studio is stopped.',
      cause,
    });
  },

  fatalSpans: (
    count: number,
    all: number,
    first: { readonly row: number; readonly reason: string },
    location: Location,
  ) =>
    new CodedError({
      code: 'task-reader/spans-end-training',
      message: `Training fails on ${count} of the ${all} traced responses. This run ignores them. The first is number ${first.row}: ${first.reason}.`,
      location,
      hint: 'Before training, delete these rows of span_table. The usual cause is a response with both kinds of quotes, which AgentJet cannot read.',
    }),

  nothingLeft: (traced: number, location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message:
        traced === 0
          ? 'The database has no traced response with a question and an answer.'
          : `The filters removed all ${traced} traced tasks.`,
      location,
      hint:
        traced === 0
          ? 'Trace a ReActAgent that answers a user, or set base_url to another database.'
          : 'Relax the filters. The reasons are in the log.',
    }),

  emptySplit: (location: Location) =>
    new CodedError({
      code: 'task-reader/no-tasks',
      message: 'Validation has no tasks: the only task belongs to the training split.',
      location,
      hint: 'Use --split training (launch.json: split), or trace more responses.',
    }),
};
