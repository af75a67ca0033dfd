import MarkdownIt, { type MarkdownToken } from 'markdown-it';

/** A part of a text in Markdown: a token with what stands between it and the one that closes it. */
export interface MarkdownNode {
  readonly token: MarkdownToken;
  readonly children: readonly MarkdownNode[];
}

/** A line that ends in the text ends on the page too, which is how models mean it. HTML stays text. */
const parser = new MarkdownIt({ html: false, breaks: true, linkify: false });
// Whatever an address is, it is a link's; which of them lead anywhere is decided at one door, see Link.tsx.
parser.validateLink = () => true;

export function parseMarkdown(text: string): readonly MarkdownNode[] {
  return nested(parser.parse(text, {}));
}

function nested(tokens: readonly MarkdownToken[]): readonly MarkdownNode[] {
  const root: MarkdownNode[] = [];
  const open: MarkdownNode[][] = [];
  let list = root;
  for (const token of tokens) {
    if (token.nesting === -1) {
      list = open.pop() ?? root;
      continue;
    }
    const children: MarkdownNode[] = [];
    list.push({ token, children: token.children === null ? children : nested(token.children) });
    if (token.nesting === 0) continue;
    open.push(list);
    list = children;
  }
  return root;
}
