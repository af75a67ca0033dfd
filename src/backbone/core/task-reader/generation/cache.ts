import { isRecord } from '../../../../base/core/isRecord.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import type { CodedError, Location } from '../../../../base/core/errors.ts';
import type { Task } from '../../../../sdk/core/index.ts';
import { readTaskLines, taskLines } from '../jsonlReader.ts';
import type { TaskSource } from '../taskReader.ts';
import { generationErrors } from './errors.ts';
import { cacheText, section, unkeyedSettings } from './settings.ts';

type Part = 'train' | 'valid';

export interface CacheEntry {
  readonly file: string;
  readonly tasks: readonly Task[];
}

/**
 * The files of generated tasks, in `dataset/jsonl` of the working directory and with upstream's names. In a clone of
 * AgentJet, training uses the same files. Tasks of a stand-in model have the ending `.debug.jsonl`, so that training does
 * not read them. Next to each file, `….settings.json` contains the settings that made it.
 */
export class TaskCache {
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
