import {
  missingDataKinds,
  type MissingData,
  type ImportInfo,
} from '../../../tracking/core/records/tracedRun.ts';
import { groupBy } from '../../../tracking/core/groupBy.ts';
import type { EpisodeNumber } from './assemble.ts';
import type { EpisodePart, ImportedMessage, Importer, ImportSink } from './parts.ts';

const mostSkips = 100;

export class ImportTally implements ImportSink {
  readonly #take: (episode: string, part: EpisodePart) => void;
  readonly #has = new Set<MissingData>();
  readonly #tasks = new Map<string, string>();
  readonly #groups = new Map<string, string | null>();
  readonly #dropped = new Set<string>();
  readonly #skips: ImportInfo['skips'][number][] = [];
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

  add(episode: string, parts: readonly EpisodePart[]): void {
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

  /**
   * Assigns numbers to episodes that were not dropped. The episodes of a group have consecutive numbers. Every group
   * reserves as many numbers as the largest group has, so the number of an episode determines its group. An episode
   * without a task is its own task.
   */
  numbered(episodes: readonly string[]): {
    readonly tasks: number;
    readonly repeat: number;
    /** In the order of their numbers. */
    readonly places: readonly EpisodeNumber[];
  } {
    const kept = episodes.filter((name) => !this.#dropped.has(name));
    const groups = groupBy(kept, (name) => this.#groupKey(name));
    // A group with one episode is complete if all groups have one. A group with an unknown episode never is.
    const least = kept.some((name) => this.#groups.get(name) === null) ? 2 : 1;
    const repeat = [...groups.values()].reduce((most, { length }) => Math.max(most, length), least);
    const places = [...groups.values()].flatMap((names, taskIndex) =>
      names.map((name, place): EpisodeNumber => {
        const episode = taskIndex * repeat + place;
        return { episode, taskId: this.#tasks.get(name) ?? name, taskIndex, repeat: place, name };
      }),
    );
    return { tasks: groups.size, repeat, places };
  }

  /** Absent groups are those of the task. */
  #groupKey(name: string): string {
    const [group, task] = [this.#groups.get(name), this.#tasks.get(name)];
    if (group === null || (group === undefined && task === undefined)) return `episode ${name}`;
    return group === undefined ? `task ${task}` : `group ${group}`;
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
      case 'tool':
        this.#times(part.startedAt, part.startedAt + 1_000 * part.seconds);
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
