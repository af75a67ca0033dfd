/** Identifies an episode independently of the run. */
export interface EpisodeName {
  readonly task: string;
  readonly repeat: number;
  /** Counts the episodes whose tasks have the same id, from 0. */
  readonly twin: number;
  /** Counts the attempts of the episode, from 0. */
  readonly attempt: number;
}

export class EpisodeNames {
  readonly #twins = new Map<string, number[]>();
  readonly #names = new Map<number, EpisodeName>();

  /** Called each time the episode begins. */
  begin(episode: number, task: string, repeat: number): EpisodeName {
    const key = `${repeat} ${task}`;
    const twins = this.#twins.get(key) ?? [];
    this.#twins.set(key, twins);
    if (!twins.includes(episode)) twins.push(episode);
    const attempt = (this.#names.get(episode)?.attempt ?? -1) + 1;
    const name = { task, repeat, twin: twins.indexOf(episode), attempt };
    this.#names.set(episode, name);
    return name;
  }

  has(episode: number): boolean {
    return this.#names.has(episode);
  }

  of(episode: number): EpisodeName {
    const name = this.#names.get(episode);
    if (name === undefined) throw new Error(`Episode ${episode} has not begun.`);
    return name;
  }
}

export function episodeKey(name: EpisodeName): string {
  return `${name.repeat} ${name.twin} ${name.attempt} ${name.task}`;
}

/** Formats the name for messages, e.g. `task train-3, repeat 2`. */
export function formatEpisode({ task, repeat, attempt }: EpisodeName): string {
  const again = attempt === 0 ? '' : `, attempt ${attempt + 1}`;
  return `task ${task === '' ? '(no id)' : task}, repeat ${repeat}${again}`;
}
