/** `node test/tools/vectors/ranks.mjs` writes the ranks of the embedded tokenizer: what RankTable reads. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ranks from 'gpt-tokenizer/bpeRanks/cl100k_base';

/** Their count (32 bits, little-endian), the length of each (8 bits), the bytes of each, by rank. */
export function encodeRanks() {
  const entries = Array.from(ranks, (entry) => Buffer.from(entry));
  const count = Buffer.alloc(4);
  count.writeUInt32LE(entries.length);
  if (entries.some(({ length }) => length === 0 || length > 255))
    throw new RangeError('A length needs 8 bits.');
  return Buffer.concat([count, Buffer.from(entries.map(({ length }) => length)), ...entries]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = path.join(import.meta.dirname, '../../../src/node/tokenizer/cl100k_base.ranks');
  await writeFile(file, encodeRanks());
}
