import type { Task } from '../../../../sdk/core/index.ts';
import { readReply, withoutFence } from '../readReply.ts';
import { strip } from './chunks.ts';
import type { Document } from './documents.ts';

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
    if (!isFields(entry)) throw new Error('the list contains an element that is not an object');
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
  if (!isFields(value)) throw new Error(`the response is not a JSON object: ${reply.slice(0, 80)}`);
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
  return strip(value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
