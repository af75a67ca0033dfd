import { metaKeys } from '../../core/layout.ts';
import { countRecord } from '../../core/records.ts';
import type { Connection } from './connection.ts';

/**
 * Where what a trace tells of its run is lost, puts what its episodes tell in its place: without the size of groups no
 * advantage could be told. Whether it was lost.
 */
export function restoreRun(connection: Connection): boolean {
  const one = (statement: string): number => countRecord.parse(connection.all(statement)[0]).count;
  if (one(`SELECT count(*) AS count FROM meta WHERE key = '${metaKeys.run}'`) > 0) return false;
  const repeat = one('SELECT coalesce(max(repeat), 0) + 1 AS count FROM episodes');
  const episodes = one('SELECT count(*) AS count FROM episodes');
  const tasks = one('SELECT coalesce(max(taskIndex), -1) + 1 AS count FROM episodes');
  const startedAt = one('SELECT coalesce(min(startedAt), 0) AS count FROM episodes');
  const run = {
    experiment: '',
    config: '',
    workflow: '',
    workflowFile: '',
    model: '',
    tokenizer: { name: '', exact: true, file: null },
    limits: { modelLength: 0, promptLength: 0, responseLength: 0, turnLength: 0 },
    ...{ tasks, repeat, episodes, startedAt },
  };
  connection.run('INSERT INTO temp.meta (key, value) VALUES (?, ?)', [metaKeys.run, JSON.stringify(run)]);
  return true;
}
