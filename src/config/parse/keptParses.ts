import { parseConfig } from '../parse.ts';
import type { ConfigDocument } from './document.ts';
import { reparse } from './reparse.ts';

/** The defaults of a project are a handful of files. */
const mostFiles = 200;

/**
 * Parses files as `ComposeRequest.parsed` asks: one whose text is as it was before is not read again, one that was edited
 * only where it was.
 */
export function keptParses(): (file: string, text: string) => ConfigDocument {
  const known = new Map<string, ConfigDocument>();
  return (file, text) => {
    const before = known.get(file);
    if (before?.text === text) return before;
    const document = before === undefined ? parseConfig(text) : reparse(before, text);
    if (known.size >= mostFiles) known.clear();
    known.set(file, document);
    return document;
  };
}
