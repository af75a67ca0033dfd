import { hashText } from '../../../../base/core/random.ts';

const dimensions = 1024;
const lengths = [2, 3, 4] as const;

/**
 * Stands in for a model of embeddings where there is none: the counts of a text's runs of two to four characters, hashed
 * into 1,024 places. It knows spelling and nothing of meaning. The same text has the same numbers everywhere.
 */
export function localEmbedding(text: string): readonly number[] {
  const counts = new Array<number>(dimensions).fill(0);
  const characters = Array.from(` ${text.toLowerCase().normalize('NFKC').replace(/\s+/g, ' ').trim()} `);
  for (const length of lengths) {
    for (let at = 0; at + length <= characters.length; at++) {
      const place = hashText(characters.slice(at, at + length).join('')) % dimensions;
      counts[place] = (counts[place] ?? 0) + 1;
    }
  }
  return counts;
}
