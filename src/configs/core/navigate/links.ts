import type { Location } from '../../../base/core/errors.ts';
import type { ConfigContext } from '../context.ts';
import { scalarsIn } from '../node.ts';
import type { Span, TextRange } from '../text.ts';
import { layersNamed } from './layersNamed.ts';

/** Without a line, it leads to the start of the file. */
export interface ConfigLink extends Location {
  readonly range: TextRange;
}

/** The files of this machine that a text names: by paths, locators, the search path and `defaults`. */
export function linksOf(context: ConfigContext): ConfigLink[] {
  const { document, references } = context;
  const links: ConfigLink[] = [];
  const link = (node: Span, target: Location): void => {
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
