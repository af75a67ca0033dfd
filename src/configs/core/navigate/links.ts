import type { ConfigContext } from '../context.ts';
import type { Node } from '../node.ts';
import type { TextRange } from '../text.ts';
import { layersNamed } from './layersNamed.ts';

export interface ConfigLink {
  readonly range: TextRange;
  /** Absolute. */
  readonly file: string;
  /** The 1-based line; absent for the start of the file. */
  readonly line?: number;
  readonly column?: number;
}

/** The files of this machine that a text names: by paths, locators, the search path and `defaults`. */
export function linksOf(context: ConfigContext): ConfigLink[] {
  const { document, references } = context;
  const links: ConfigLink[] = [];
  const link = (node: Node['span'], target: Omit<ConfigLink, 'range'>): void => {
    links.push({ range: document.lines.range(node), ...target });
  };
  for (const { span, file } of layersNamed(context)) link(span, { file });
  for (const { span, text } of textsIn(document.root)) {
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

/** Each text once, where it is written. */
function textsIn(root: Node | undefined): { span: Node['span']; text: string }[] {
  const found: { span: Node['span']; text: string }[] = [];
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (node.kind === 'mapping') for (const { value } of node.entries) visit(value);
    else if (node.kind === 'sequence') node.items.forEach(visit);
    else if (node.kind === 'scalar' && typeof node.value === 'string')
      found.push({ span: node.span, text: node.value });
  };
  if (root !== undefined) visit(root);
  return found;
}
