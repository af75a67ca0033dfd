import { statSync } from 'node:fs';
import { CodedError, hasCode, messageOf } from '../../../base/core/errors.ts';
import { writeFileAtomicSync } from '../../../base/node/atomicFile.ts';
import { readRegularSync } from '../../../base/node/regularFile.ts';
import {
  notesDocument,
  notesSuffix,
  type EpisodeNote,
  type Notes,
  type NotesStore,
} from '../../core/notes.ts';

/** The file with the notes on a trace. It is read again when it has changed. */
export class NotesFile implements NotesStore {
  readonly #file: string;
  #stamp = '';
  #notes: Notes = new Map();

  constructor(trace: string) {
    this.#file = trace + notesSuffix;
  }

  read(): Notes {
    const stats = statSync(this.#file, { throwIfNoEntry: false });
    if (stats === undefined) return new Map();
    const stamp = `${stats.size} ${stats.mtimeMs} ${stats.ino}`;
    if (stamp !== this.#stamp) this.#notes = this.#parse();
    this.#stamp = stamp;
    return this.#notes;
  }

  write(episode: number, { note, tags }: EpisodeNote): void {
    const notes = new Map(this.read());
    if (note === '' && tags.length === 0) notes.delete(episode);
    else notes.set(episode, { note, tags });
    const entries = [...notes].toSorted(([one], [other]) => one - other);
    const text = `${JSON.stringify({ episodes: Object.fromEntries(entries) }, undefined, 2)}\n`;
    try {
      writeFileAtomicSync(this.#file, text);
    } catch (cause) {
      throw new CodedError({
        code: 'trace/cannot-write-notes',
        message: `The notes cannot be written: ${messageOf(cause)}.`,
        location: { file: this.#file },
        hint: 'Check that the folder of the trace can be written, or copy the trace to another folder.',
        cause,
      });
    }
  }

  #parse(): Notes {
    try {
      const { episodes } = notesDocument.parse(JSON.parse(readRegularSync(this.#file).toString()));
      return new Map(Object.entries(episodes).map(([episode, note]) => [Number(episode), note]));
    } catch (cause) {
      if (hasCode(cause, 'ENOENT')) return new Map();
      throw new CodedError({
        code: 'trace/bad-notes',
        message: 'The file with the notes on this trace cannot be read.',
        location: { file: this.#file },
        hint: 'Repair the file, or move it away.',
        cause,
      });
    }
  }
}
