import type { ConfigContext } from '../context.ts';
import { scalarsIn } from '../node.ts';
import type { Span, TextRange } from '../text.ts';
import { layersNamed } from './layersNamed.ts';

export interface ConfigLink {
  readonly range: TextRange;
  readonly file: string;
  /** The 1-based line; absent for the start of the file. */
  readonly line?: number;
  readonly column?: number;
}

/** The files of this machine that a text names: by paths, locators, the search path and `defaults`. */
export function linksOf(context: ConfigContext): ConfigLink[] {
  const { document, references } = context;
  const links: ConfigLink[] = [];
  const link = (node: Span, target: Omit<ConfigLink, 'range'>): void => {
    links.push({ range: document.lines.range(node), ...target });
  };
  for (const { span, file } of layersNamed(context)) link(span, { file });
  for (const { span, value: text } of scalarsIn(document.root)) {
    if (typeof text !== 'string') continue;
    const target = references.locator(text);
    const file = references.file?.(text);
    if (target?.status === 'found') {
      const { file: code, line, column } = target.site;
      link(span, { file: code, line, column });
    } else if (target?.status === 'no-name') link(span, { file: target.file });
    else if (file !== undefined) link(span, { file });
  }
  return links.sort((a, b) => a.range.start.offset - b.range.start.offset);
}
