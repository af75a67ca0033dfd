import { stat } from 'node:fs/promises';
import { openRegular } from '../../base/node/regularFile.ts';

/** Bytes; counting a larger file would take seconds. */
const largest = 50_000_000;

/**
 * Counts the non-blank lines of files. A file is counted again only after it changed. Returns undefined if the file
 * does not exist, is not a regular file, or is too large.
 */
export function rowCounter(): (file: string) => Promise<number | undefined> {
  const known = new Map<string, { readonly version: string; readonly rows: Promise<number | undefined> }>();
  return async (file) => {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true || found.size > largest) return undefined;
    const version = `${found.mtimeMs} ${found.size}`;
    const before = known.get(file);
    if (before?.version === version) return before.rows;
    const rows = countRows(file).catch(() => undefined);
    known.set(file, { version, rows });
    return rows;
  };
}

async function countRows(file: string): Promise<number> {
  let rows = 0;
  let isBlank = true;
  const handle = await openRegular(file, { maxBytes: largest });
  for await (const chunk of handle.createReadStream() as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      if (byte === 0x0a) {
        if (!isBlank) rows += 1;
        isBlank = true;
      } else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) isBlank = false;
    }
  }
  return isBlank ? rows : rows + 1;
}
