import type { ConfigContext } from '../context.ts';
import type { Node } from '../node.ts';
import type { Span } from '../text.ts';
import { nodeAtOffset } from './nodeAtOffset.ts';

/** The files that entries of `defaults` in this text brought in, each with the text that names it. */
export function layersNamed({ composition, document, file }: ConfigContext): { span: Span; file: string }[] {
  return composition.layers.flatMap((layer) => {
    const { written } = layer;
    if (layer.file === undefined || layer.file === file) return [];
    if (written?.file !== file || written.line === undefined) return [];
    const offset = document.lines.line(written.line - 1).start + (written.column ?? 1) - 1;
    const place = nodeAtOffset(document, offset);
    return place === undefined ? [] : [{ span: spanOfName(place.node, layer.name), file: layer.file }];
  });
}

/** Returns the span of one choice; in `- group: [a, b]` each choice names a separate file. */
function spanOfName(node: Node, name: string): Span {
  if (node.kind !== 'sequence') return node.span;
  const last = name.split('/').at(-1);
  return node.items.find((item) => item.kind === 'scalar' && item.value === last)?.span ?? node.span;
}
