import { CodedError, type Location } from '../../../base/core/errors.ts';
import { selectTasks } from './select.ts';
import type { ReadTasks } from './taskReader.ts';
import { notDefined } from './jsonlReader.ts';

const section = 'ajet.task_reader.env_service';

/**
 * The reader of `env_service`: one task for each id that the service lists, its query left to the episode's instance.
 *
 * Throws `task-reader/no-tasks` for an empty list, as upstream does, `task-reader/no-environments`,
 * `task-reader/unknown-task-id`, and what asking the service throws.
 */
export const readEnvService: ReadTasks = async ({ config, split, environments }, selection) => {
  const envType = config.string(`${section}.env_type`);
  const splitKey = `${section}.${split}_split`;
  const name = config.string(splitKey);
  if (environments === undefined) throw noService(config.locate(section));
  const ids = await environments.listTasks(envType, name);
  if (ids.length === 0) {
    throw new CodedError({
      code: 'task-reader/no-tasks',
      message: `The environment service has no tasks of "${envType}" in the split "${name}".`,
      location: config.locate(splitKey),
      hint: `Correct env_type or ${split}_split under ${section}. AgentJet rejects an empty list too.`,
    });
  }
  const tasks = ids.map((id) => ({
    main_query: notDefined,
    init_messages: [],
    task_id: asPythonText(id),
    env_type: envType,
    metadata: {},
  }));
  return { tasks: selectTasks(tasks, selection, config.locate(splitKey)), warnings: [] };
};

function noService(location: Location): CodedError {
  return new CodedError({
    code: 'task-reader/no-environments',
    message: 'Cannot list the tasks of an environment service: this reader has no connection to one.',
    location,
    hint: 'Write the tasks to a JSONL file and read them with the type "jsonl_dataset_file".',
  });
}

/** `str(id)` of what JSON can hold for an id. */
function asPythonText(id: unknown): string {
  if (typeof id === 'string') return id;
  if (id === null) return 'None';
  if (typeof id === 'boolean') return id ? 'True' : 'False';
  return JSON.stringify(id);
}
