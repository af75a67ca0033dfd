/** Notes and tags of users on episodes. They are in a file next to the trace, because a trace never changes. */
import * as z from 'zod/mini';
import { escapedPattern } from '../../base/core/escapedPattern.ts';

export const longest = { note: 10_000, tag: 50 } as const;
export const mostTags = 20;

const text = (most: number) => z.string().check(z.maxLength(most));

export const episodeNote = z.object({
  note: text(longest.note),
  tags: z.array(text(longest.tag)).check(z.maxLength(mostTags)),
});
export type EpisodeNote = z.infer<typeof episodeNote>;

export type Notes = ReadonlyMap<number, EpisodeNote>;

/** The content of the file: notes by the number of the episode. */
export const notesDocument = z.object({ episodes: z.record(z.string(), episodeNote) });

/** The suffix of the file after the name of the trace. */
export const notesSuffix = '.notes.json';

export interface NotesStore {
  /** Throws a CodedError if the file cannot be read. */
  read(): Notes;
  /** Throws a CodedError if the file cannot be written. An empty note removes the entry. */
  write(episode: number, note: EpisodeNote): void;
}

/** Returns the numbers of the episodes with a tag as a whole, where `*` matches anything, or with a part of a note. */
export function notedEpisodes(notes: Notes, field: 'tag' | 'note', value: string): readonly number[] {
  const lower = value.toLowerCase();
  const pieces = lower.split('*').map((piece) => escapedPattern(piece));
  const pattern = new RegExp(`^${pieces.join('.*')}$`, 's');
  return [...notes].flatMap(([episode, { note, tags }]) => {
    const matches =
      field === 'note'
        ? note.toLowerCase().includes(lower)
        : tags.some((tag) => pattern.test(tag.toLowerCase()));
    return matches ? [episode] : [];
  });
}

export function tagsOf(notes: Notes): readonly string[] {
  return [...new Set([...notes.values()].flatMap(({ tags }) => tags))].toSorted();
}
