import {
  missingDataKinds,
  type MissingData,
  type ImportInfo,
  type ImportSkip,
} from '../../../tracking/core/records/tracedRun.ts';
import type { EpisodeNumber } from './assemble.ts';
import type { EpisodePart, ImportedMessage, Importer, ImportSink } from './parts.ts';

/** The most skipped records that are listed. */
const mostSkips = 100;

/** Receives what an importer finds, and counts findings and skipped records. */
export class ImportTally implements ImportSink {
  readonly #take: (episode: string, part: EpisodePart) => void;
  readonly #has = new Set<MissingData>();
  readonly #tasks = new Map<string, string>();
  readonly #groups = new Map<string, string | null>();
  readonly #dropped = new Set<string>();
  readonly #skips: ImportSkip[] = [];
  #skipped = 0;
  #records = 0;
  experiment: string | undefined;
  /** The model of the first call that names one. */
  model: string | undefined;
  /** Milliseconds since the Unix epoch; 0: unknown. */
  startedAt = 0;
  endedAt = 0;

  constructor(take: (episode: string, part: EpisodePart) => void) {
    this.#take = take;
  }

  add(episode: string, ...parts: readonly EpisodePart[]): void {
    this.#records += 1;
    for (const part of parts) {
      this.#look(episode, part);
      this.#take(episode, part);
    }
  }

  drop(episode: string): void {
    this.#dropped.add(episode);
  }

  skip(where: string, why: string): void {
    this.#skipped += 1;
    if (this.#skips.length < mostSkips) this.#skips.push({ where, why });
  }

  name(experiment: string): void {
    this.experiment ??= experiment;
  }

  /** Returns the task id; undefined: the format has none. */
  taskOf(episode: string): string | undefined {
    return this.#tasks.get(episode);
  }

  /** Returns the group; undefined: the group of its task; null: unknown. */
  groupOf(episode: string): string | null | undefined {
    return this.#groups.get(episode);
  }

  has(episode: string): boolean {
    return !this.#dropped.has(episode);
  }

  firstSkip(): string | undefined {
    const [first] = this.#skips;
    return first && `${first.where}: ${first.why}`;
  }

  note({ label: format, rollouts, ownTaskIds }: Importer, source: string): ImportInfo {
    const lacks = missingDataKinds.filter((one) => !this.#has.has(one));
    const counts = { records: this.#records, skipped: this.#skipped };
    const kind = { ...(rollouts && { rollouts }), ...(ownTaskIds && { ownTaskIds }) };
    return { format, source, lacks, ...counts, skips: this.#skips, ...kind };
  }

  #look(episode: string, part: EpisodePart): void {
    switch (part.kind) {
      case 'call':
        this.#has.add('calls');
        this.model ??= part.model ?? undefined;
        if (part.promptTokens !== null || part.replyTokens !== null) this.#has.add('tokenCounts');
        this.#times(
          part.startedAt,
          part.startedAt === null ? null : part.startedAt + 1_000 * (part.seconds ?? 0),
        );
        for (const message of [...part.messages, ...(part.reply === null ? [] : [part.reply])])
          this.#tokens(message);
        break;
      case 'timeline':
        for (const message of part.messages) this.#tokens(message);
        break;
      case 'tokens':
        this.#has.add('tokenTexts');
        break;
      case 'facts':
        if (part.reward !== undefined) this.#has.add('rewards');
        if (part.isSuccess !== undefined) this.#has.add('successes');
        if (part.task !== undefined) this.#tasks.set(episode, part.task);
        if (part.group !== undefined) this.#groups.set(episode, part.group);
        this.#times(part.startedAt ?? null, part.endedAt ?? null);
    }
  }

  #tokens({ tokens }: ImportedMessage): void {
    if (tokens === undefined) return;
    this.#has.add('tokens');
    if (tokens.lossMask !== null) this.#has.add('lossMask');
    if (tokens.logprobs !== null) this.#has.add('logprobs');
  }

  #times(start: number | null, end: number | null): void {
    const [from, to] = [start ?? end, end ?? start];
    if (from === null || to === null) return;
    this.#has.add('times');
    this.startedAt = this.startedAt === 0 ? from : Math.min(this.startedAt, from);
    this.endedAt = Math.max(this.endedAt, to);
  }
}

export interface EpisodeNumbering {
  readonly tasks: number;
  readonly repeat: number;
  /** In the order of their numbers. */
  readonly places: readonly EpisodeNumber[];
}

export interface TaskOfEpisode {
  readonly name: string;
  readonly task: string | undefined;
  /** Absent: the group of the task; null: unknown. */
  readonly group?: string | null | undefined;
}

/**
 * Assigns numbers to episodes. The episodes of a group have consecutive numbers. Every group reserves as many numbers as
 * the largest group has, so the number of an episode determines its group. An episode without a task is its own task.
 */
export function numberEpisodes(episodes: readonly TaskOfEpisode[]): EpisodeNumbering {
  const groups = new Map<string, string[]>();
  for (const episode of episodes) {
    const key = keyOf(episode);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [episode.name]);
    else group.push(episode.name);
  }
  const tasks = new Map(episodes.map(({ name, task }) => [name, task]));
  // A group with one episode is complete if all groups have one. A group with an unknown episode never is.
  const least = episodes.some(({ group }) => group === null) ? 2 : 1;
  const repeat = [...groups.values()].reduce((most, { length }) => Math.max(most, length), least);
  const places = [...groups.values()].flatMap((names, taskIndex) =>
    names.map((name, place): EpisodeNumber => {
      const episode = taskIndex * repeat + place;
      return { episode, taskId: tasks.get(name) ?? name, taskIndex, repeat: place, name };
    }),
  );
  return { tasks: groups.size, repeat, places };
}

function keyOf({ name, task, group }: TaskOfEpisode): string {
  if (group === null) return `episode ${name}`;
  if (group !== undefined) return `group ${group}`;
  return task === undefined ? `episode ${name}` : `task ${task}`;
}
