import * as l10n from '@vscode/l10n';
import { h, type ComponentChildren, type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import MarkdownIt, { type MarkdownToken } from 'markdown-it';
import { Link } from './Link.tsx';
import { PlainText } from './PlainText.tsx';
import { rasterOf } from './rasters.ts';
import { Thumbnail } from './Thumbnail.tsx';
import { CopyButton } from '../../../base/webview/ui/CopyButton.tsx';

/** A node of Markdown: a token with the tokens up to the one that closes it. */
interface MarkdownNode {
  readonly token: MarkdownToken;
  readonly children: readonly MarkdownNode[];
}

/** Line breaks are kept, as models intend them. HTML stays text. */
const parser = new MarkdownIt({ html: false, breaks: true, linkify: false });
// Accepts every address. Link.tsx decides which of them become links.
parser.validateLink = () => true;

function parseMarkdown(text: string): readonly MarkdownNode[] {
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

/** Renders Markdown as nodes of the page. No part of the text is parsed as HTML. */
export function Markdown({ text }: { readonly text: string }) {
  const nodes = useMemo(() => parseMarkdown(text), [text]);
  return <div class="markdown">{drawn(nodes)}</div>;
}

function drawn(nodes: readonly MarkdownNode[]): VNode[] {
  return nodes.map((node, index) => <Node key={index} node={node} />);
}

/** Elements without special handling, by token type. Headings belong to the message, not to the page. */
const elements: Readonly<Record<string, string>> = {
  blockquote_open: 'blockquote',
  bullet_list_open: 'ul',
  list_item_open: 'li',
  thead_open: 'thead',
  tbody_open: 'tbody',
  tr_open: 'tr',
  em_open: 'em',
  strong_open: 'strong',
  s_open: 's',
};

function Node({ node }: { readonly node: MarkdownNode }): VNode {
  const { token, children } = node;
  const element = elements[token.type];
  if (element !== undefined) return h(element, null, drawn(children));
  switch (token.type) {
    case 'paragraph_open':
      return token.hidden ? <>{drawn(children)}</> : <p>{drawn(children)}</p>;
    case 'heading_open':
      return <p class={`md-heading md-${token.tag}`}>{drawn(children)}</p>;
    case 'ordered_list_open':
      return <ol start={Number(token.attrGet('start') ?? 1)}>{drawn(children)}</ol>;
    case 'table_open':
      return (
        <div class="md-table">
          <table>{drawn(children)}</table>
        </div>
      );
    case 'th_open':
    case 'td_open':
      return <Cell node={node} />;
    case 'inline':
      return <>{drawn(children)}</>;
    default:
      return <Leaf node={node} />;
  }
}

function Cell({ node: { token, children } }: { readonly node: MarkdownNode }) {
  const [, align] = /text-align:(\w+)/.exec(token.attrGet('style') ?? '') ?? [];
  const className = align === undefined ? undefined : `md-${align}`;
  return token.type === 'th_open' ? (
    <th class={className}>{drawn(children)}</th>
  ) : (
    <td class={className}>{drawn(children)}</td>
  );
}

function Leaf({ node: { token, children } }: { readonly node: MarkdownNode }): VNode {
  switch (token.type) {
    case 'text':
      return <PlainText text={token.content} />;
    case 'softbreak':
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr />;
    case 'code_inline':
      return (
        <code>
          <PlainText text={token.content} />
        </code>
      );
    case 'code_block':
      return <CodeBlock code={token.content} language="" />;
    case 'fence':
      return <CodeBlock code={token.content} language={token.info.trim().split(/\s/)[0] ?? ''} />;
    case 'link_open':
      return <Link address={token.attrGet('href') ?? ''}>{drawn(children)}</Link>;
    case 'image':
      return <Picture address={token.attrGet('src') ?? ''} name={token.content} />;
    default:
      return <PlainText text={token.content} />;
  }
}

/** Shows an image that the text contains. Images elsewhere are not loaded. */
function Picture({ address, name }: { readonly address: string; readonly name: string }) {
  const raster = rasterOf(address);
  if (raster !== undefined) return <Thumbnail raster={raster} name={name} />;
  const shown: ComponentChildren = name === '' ? l10n.t('image') : l10n.t('image: {0}', name);
  return <Link address={address}>{shown}</Link>;
}

interface Props {
  readonly code: string;
  /** Empty: the language is unknown. */
  readonly language: string;
}

function CodeBlock({ code, language }: Props) {
  return (
    <div class="code-block">
      <div class="code-block-bar">
        <span class="muted">{language}</span>
        <CopyButton text={code} what={l10n.t('Copy the code')} />
      </div>
      {/* The focus allows scrolling by keyboard. */}
      <pre
        tabIndex={0}
        aria-label={language === '' ? l10n.t('Code') : l10n.t('Code, {0}', language)}
        role="group"
      >
        <code>
          <PlainText text={code} />
        </code>
      </pre>
    </div>
  );
}
