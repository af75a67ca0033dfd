import { pythonStrip } from '../../../../base/core/pythonText.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import { CodedError, type Location } from '../../../../base/core/errors.ts';
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
import { runCalls, type CallResults } from './calls.ts';
import { readDocuments, type Document } from './documents.ts';
import { generationErrors } from './errors.ts';
import { readSettings, section, type GenerationSettings, cacheText, unkeyedSettings } from './settings.ts';
import { readReply, withoutFence } from '../readReply.ts';
import { instructed, type HelperMessage } from '../../helper-llm/helperLlm.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import { readTaskLines, taskLines } from '../jsonlReader.ts';

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

/** Does not repair the reply, as upstream. Omits entries without a query. Throws where upstream drops the reply. */
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

/** The number of questions per call, as in upstream. */
const questionsPerCall = 10;

const question = { query: { type: 'string', minLength: 1 } };

const questionsSchema = {
  type: 'array',
  minItems: questionsPerCall,
  maxItems: questionsPerCall,
  items: {
    type: 'object',
    properties: { ...question, related_doc: { type: 'string' } },
    required: ['query', 'related_doc'],
  },
};

const querySchema = { type: 'object', properties: question, required: ['query'] };

function questionsPrompt(content: string): readonly HelperMessage[] {
  return instructed(
    `You write questions for a data set. The given document answers each of them.
- Together they cover all parts of the document: facts, reasons, comparisons, sequences, numbers and conclusions.
- Each is one clear sentence that ends with a question mark and is understandable without the document. No two ask for the same thing.
- Add to each the passage that answers it, copied from the document. Use no other source.
You answer with JSON and nothing else: a list of objects with the fields "query" and "related_doc".`,
    `Write exactly ${questionsPerCall} questions about this document.

<document>
${content}
</document>

[{"query": "…?", "related_doc": "…"}, …]`,
  );
}

function queryPrompt(query: string, document: string | undefined): readonly HelperMessage[] {
  const background =
    document === undefined
      ? ''
      : '\nUse the given document as background: the new query has the same subject but does not depend on one passage.';
  return instructed(
    `You write one new user query in the style of another. Keep the kind of task, the language, the tone and about the same length. Choose a related subject and write a different query, not the old one with some words changed.${background}
You answer with one JSON object and nothing else: {"query": "…"}`,
    `${document === undefined ? '' : `<document>\n${document}\n</document>\n\n`}<query>\n${query}\n</query>`,
  );
}

type Part = 'train' | 'valid';

interface CacheEntry {
  readonly file: string;
  readonly tasks: readonly Task[];
}

/**
 * The files of generated tasks, in `dataset/jsonl` of the working directory and with upstream's names. In a clone of
 * AgentJet, training uses the same files. Tasks of a stand-in model have the ending `.debug.jsonl`, so that training does
 * not read them. Next to each file, `….settings.json` contains the settings that made it.
 */
class TaskCache {
  readonly #source: TaskSource;
  readonly #isStandIn: boolean;
  readonly #stem: (part: Part) => string;

  constructor(source: TaskSource, isStandIn: boolean) {
    const { config, tools } = source;
    const key = tools.digest('md5', cacheText(config)).slice(0, 8);
    this.#source = source;
    this.#isStandIn = isStandIn;
    this.#stem = (part) =>
      tools.paths.resolve(tools.cwd, 'dataset', 'jsonl', `generated_${part}_tasks_${key}`);
  }

  /** Training's own first. An empty file counts as none, as one that cannot be read does upstream. */
  async read(part: Part): Promise<CacheEntry | undefined> {
    const stem = this.#stem(part);
    const names = [`${stem}.jsonl`, ...(this.#isStandIn ? [`${stem}.debug.jsonl`] : [])];
    for (const file of names) {
      const tasks = await readTaskLines(file, this.#source.files);
      if (tasks.length === 0) continue;
      this.#source.log('info', `Using ${tasks.length} cached tasks of ${file}.`);
      return { file, tasks };
    }
    return undefined;
  }

  async write(part: Part, tasks: readonly Task[]): Promise<void> {
    if (tasks.length === 0) return;
    const { tools, config, log } = this.#source;
    const file = `${this.#stem(part)}${this.#isStandIn ? '.debug' : ''}.jsonl`;
    await tools.writeText(file, taskLines(tasks));
    await tools.writeText(settingsOf(file), `${JSON.stringify(unkeyedSettings(config), null, 1)}\n`);
    const note = this.#isStandIn ? '. Training does not read them, because a stand-in model wrote them' : '';
    log('info', `Saved ${tasks.length} generated tasks in ${file}${note}.`);
  }

  /** A warning where settings differ from those that the file was made with. */
  async warnOfChanges({ file }: CacheEntry, location: Location): Promise<readonly CodedError[]> {
    const { files, config } = this.#source;
    const text = await files.readText(settingsOf(file));
    if (text === undefined) return [];
    const now = unkeyedSettings(config);
    const known = parseJson(text); // a broken file counts as changed in all settings
    const then = isRecord(known) ? known : {};
    const changed = Object.keys(now).filter(
      (name) => JSON.stringify(now[name]) !== JSON.stringify(then[name]),
    );
    const names = changed.map((name) => `${section}.${name}`);
    return names.length === 0 ? [] : [generationErrors.staleCache(file, names, location)];
  }
}

function settingsOf(file: string): string {
  return file.replace(/\.jsonl$/, '.settings.json');
}
