import { pythonStrip } from '../../../../base/core/pythonText.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import { CodedError } from '../../../../base/core/errors.ts';
import type { Task } from '../../../../sdk/core/index.ts';
import {
  IdTally,
  selectTasks,
  type ReadTasks,
  type TaskReadResult,
  type TaskSelection,
  type TaskSource,
} from '../taskReader.ts';
import { nestedConfig, readNested } from '../nestedReader.ts';
import { PythonRandom } from '../mersenneTwister.ts';
import { Deduplicator, openEmbed } from '../similarity/openEmbed.ts';
import { TaskCache, type CacheEntry } from './cache.ts';
import { runCalls, type CallResults } from './calls.ts';
import { readDocuments, type Document } from './documents.ts';
import { generationErrors } from './errors.ts';
import { questionsPerCall, questionsPrompt, questionsSchema, queryPrompt, querySchema } from './prompts.ts';
import { readSettings, section, type GenerationSettings } from './settings.ts';
import { readReply, withoutFence } from '../readReply.ts';

/** The inputs of one generation. */
interface Work {
  readonly source: TaskSource;
  readonly settings: GenerationSettings;
  readonly documents: readonly Document[] | undefined;
  readonly filter: Deduplicator | undefined;
  readonly cache: TaskCache;
  readonly warnings: CodedError[];
}

/**
 * The reader of `data_generation`, as upstream. The helper LLM writes questions about the documents; with the example
 * tasks, they are the validation tasks. It then imitates random validation tasks with random documents; these are the
 * training tasks. Near duplicates are removed, the others are cached.
 *
 * The run's seed selects the random tasks, and tasks are in the order of the calls; upstream is random in both. A run of the
 * validation split generates no training tasks.
 *
 * @param readExamples reads what `query_reader` names
 */
export async function readGenerated(
  source: TaskSource,
  selection: TaskSelection,
  readExamples: ReadTasks,
): Promise<TaskReadResult> {
  const settings = readSettings(source.config);
  const examples = await exampleTasks(source, readExamples);
  const documents = await readDocuments(settings, source);
  const work = await begin(source, settings, documents);
  work.warnings.push(...examples.warnings);
  const cached = await work.cache.read('train');
  const questions = await questionTasks(work, cached !== undefined);
  const tasks =
    source.split === 'training'
      ? await writtenTasks(work, [...examples.tasks, ...questions], cached)
      : [...questions, ...examples.tasks];
  if (tasks.length === 0) throw generationErrors.noTasks('validation', undefined, settings.location);
  return {
    tasks: selectTasks(tasks, selection, settings.location),
    warnings: work.warnings,
    ids: IdTally.of(tasks),
  };
}

async function begin(
  source: TaskSource,
  settings: GenerationSettings,
  documents: readonly Document[] | undefined,
): Promise<Work> {
  const opened = settings.deduplication && (await openEmbed(settings.deduplication, source));
  const isStandIn = source.helper.isStandIn === true || opened?.isStandIn === true;
  return {
    source,
    settings,
    documents,
    filter: opened && new Deduplicator(opened.embed, settings.deduplication.threshold),
    cache: new TaskCache(source, isStandIn),
    warnings: [...(opened?.warnings ?? [])],
  };
}

/** The training split of the nested reader: to that one, its section is the task reader's. */
async function exampleTasks(source: TaskSource, read: ReadTasks): Promise<TaskReadResult> {
  const nested = source.config.at(`${section}.query_reader`);
  if (nested?.kind !== 'mapping') return { tasks: [], warnings: [] };
  const config = nestedConfig(source.config, nested);
  return readNested({ ...source, config }, { section: `${section}.query_reader`, type: 'type' }, read);
}

/** Phase 1. */
async function questionTasks(work: Work, isTrainingCached: boolean): Promise<readonly Task[]> {
  const { source, settings, documents, cache, warnings } = work;
  const cached = await cache.read('valid');
  if (cached !== undefined) return taken(cached, work);
  if (documents === undefined) {
    if (isTrainingCached) warnings.push(generationErrors.crashesUpstream(settings.location));
    return [];
  }
  const calls = Math.ceil(settings.taskNum / questionsPerCall);
  const ask = async (index: number): Promise<readonly Task[]> => {
    const document = documents[index % documents.length];
    if (document === undefined) return [];
    const reply = await askHelper(work, questionsPrompt(document.content), questionsSchema);
    return questionsIn(reply, document);
  };
  const asked = await runCalls('Questions about documents', calls, settings.workers, ask, source);
  const kept = await unlike(asked.results.flat(), work);
  warnFailures(asked, 'questions about documents', work);
  await cache.write('valid', kept);
  return kept;
}

/** Phase 2. */
async function writtenTasks(
  work: Work,
  models: readonly Task[],
  cached: CacheEntry | undefined,
): Promise<readonly Task[]> {
  const { source, settings, documents, cache } = work;
  if (cached !== undefined) return taken(cached, work);
  if (models.length === 0) throw generationErrors.nothingToImitate(settings.location);
  const random = new PythonRandom(source.tools.seed % 2 ** 32);
  const draws = Array.from({ length: settings.taskNum }, () => ({
    model: models[random.below(models.length)],
    document: documents?.[random.below(documents.length)],
  }));
  const ask = async (index: number): Promise<readonly Task[]> => {
    const { model, document } = draws[index] ?? {};
    if (model === undefined) return [];
    if (model.main_query === '') throw new Error('the task to imitate has no query');
    const prompt = queryPrompt(model.main_query, document?.content);
    return [queryIn(await askHelper(work, prompt, querySchema), model, document)];
  };
  const asked = await runCalls('Training tasks', settings.taskNum, settings.workers, ask, source);
  const kept = await unlike(asked.results.flat(), work);
  if (kept.length === 0) throw generationErrors.noTasks('training', asked.firstFailure, settings.location);
  warnFailures(asked, 'training tasks', work);
  await cache.write('train', kept);
  return kept;
}

async function taken(
  cached: CacheEntry,
  { cache, settings, warnings, source }: Work,
): Promise<readonly Task[]> {
  const { file, tasks } = cached;
  source.log('info', `Using ${tasks.length} tasks of ${file} instead of generating tasks.`);
  warnings.push(...(await cache.warnOfChanges(cached, settings.location)));
  return tasks;
}

function askHelper(
  { source, settings }: Work,
  messages: Parameters<TaskSource['helper']['ask']>[0],
  answer: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { model, maxTokens, sampling } = settings;
  return source.helper.ask(messages, source.cancellation, { model, maxTokens, sampling, answer });
}

/** Also of those that the earlier phase kept, if this reading generated them. */
async function unlike(tasks: readonly Task[], { filter, source }: Work): Promise<readonly Task[]> {
  if (filter === undefined) return tasks;
  const kept = await filter.keep(tasks);
  source.log(
    'info',
    `Removed ${tasks.length - kept.length} of ${tasks.length} generated tasks that are too similar to others.`,
  );
  return kept;
}

function warnFailures({ failed, firstFailure }: CallResults<unknown>, what: string, work: Work): void {
  if (failed === 0) return;
  work.warnings.push(
    new CodedError({
      code: 'task-reader/calls-failed',
      message: `${failed} calls for ${what} failed and are skipped, as in training. The first: ${firstFailure ?? ''}`,
      location: work.settings.location,
      hint: 'The cache does not contain their tasks. To generate them again, delete it.',
    }),
  );
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The tasks in a reply to the prompt for questions. As upstream it is not repaired; entries without a query are left out.
 *
 * @throws Error where upstream would drop the whole reply
 */
export function questionsIn(reply: string, document: Pick<Document, 'docId'>): readonly Task[] {
  const value: unknown = JSON.parse(withoutFence(reply));
  if (!Array.isArray(value)) throw new Error('the response is not a list');
  return value.flatMap((entry: unknown) => {
    if (!isRecord(entry)) throw new Error('the list contains an element that is not an object');
    const query = textIn(entry, 'query');
    if (query === '') return [];
    const related = textIn(entry, 'related_doc');
    const metadata = related === '' ? {} : { related_doc: related, related_doc_source: document.docId };
    return [taskOf(query, 'no_env', metadata)];
  });
}

/** The task in a reply to the prompt for a query, repaired where its JSON is broken. @throws Error where there is none */
export function queryIn(reply: string, source: Task, document: Pick<Document, 'docId'> | undefined): Task {
  const value = readReply(reply);
  if (!isRecord(value)) throw new Error(`the response is not a JSON object: ${reply.slice(0, 80)}`);
  const query = textIn(value, 'query');
  if (query === '') throw new Error('the response has no query');
  return taskOf(query, source.env_type, {
    source_task_id: source.task_id,
    aug_type: 'task_augmentation',
    ...(document !== undefined && { source_doc_id: document.docId }),
  });
}

/** Without an id, as upstream leaves it. */
function taskOf(main_query: string, env_type: string, metadata: Fields): Task {
  return { main_query, init_messages: [], task_id: '', env_type, metadata };
}

function textIn(fields: Fields, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : '';
  if (typeof value !== 'string') throw new Error(`${name} is not a string`);
  return pythonStrip(value);
}
