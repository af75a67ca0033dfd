/** The viewer's page, the same in the editor and in a browser but for its policy and for who answers it. */

/** What the page is told when it opens. */
export interface ViewerBoot {
  /** The trace, as who answers calls it: in the editor by its absolute path, over HTTP by the name of its file. */
  readonly trace: string;
  /** `vscode`: the editor's messages; `http`: `/rpc` and `/events` of the server that the page came from. */
  readonly transport: 'vscode' | 'http';
  /** What the page speaks: a language as the editor names it, and its texts by those in English. Default: English. */
  readonly texts?: ViewerTexts | undefined;
}

export interface ViewerTexts {
  /** E.g. `zh-cn`. */
  readonly language: string;
  readonly bundle: Readonly<Record<string, string>>;
}

/** What an editor sends a page beside replies: where to go, as parameters of the viewer's address. */
export interface GoMessage {
  readonly go: string;
}

export interface ViewerPageOptions {
  /** Fresh for each page; letters, digits, `+`, `/`, `=`, `-` and `_`. */
  readonly nonce: string;
  /** Where the style sheet may come from, as a source of a Content Security Policy: `webview.cspSource` or `'self'`. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  readonly boot: ViewerBoot;
}

/** The id of the element that holds the {@link ViewerBoot} as JSON. */
export const bootElementId = 'agentjet-boot';

/** The name under which the address's fragment holds the server's token. */
export const tokenParameter = 'token';

/**
 * The address that opens the viewer of a server: the token is in the fragment, which browsers never send.
 *
 * @param origin e.g. `http://127.0.0.1:4711`
 */
export function viewerAddress(origin: string, token: string): string {
  return `${origin}/#${tokenParameter}=${encodeURIComponent(token)}`;
}

export function viewerPage(options: ViewerPageOptions): string {
  const { nonce, scriptUri, styleUri, boot } = options;
  return `<!doctype html>
<html lang="${attribute(languageTag(boot.texts))}" data-host="${boot.transport === 'vscode' ? 'editor' : 'browser'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy(options))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>AgentJet trace</title>
${boot.transport === 'http' ? browserHead : ''}<link rel="stylesheet" href="${attribute(styleUri)}">
</head>
<body>
<div id="agentjet-viewer"></div>
<script type="application/json" id="${bootElementId}">${scriptData(boot)}</script>
<script nonce="${attribute(nonce)}" src="${attribute(scriptUri)}"></script>
</body>
</html>
`;
}

/** As HTML names it, e.g. `zh-CN`. */
function languageTag(texts: ViewerTexts | undefined): string {
  return new Intl.Locale(texts?.language ?? 'en').toString();
}

/** An editor has a theme of its own; a browser has none, and asks for `/favicon.ico` unless it is told of an icon. */
const browserHead = `<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
`;

function policy({ nonce, cspSource, boot }: ViewerPageOptions): string {
  const directives = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
    // Pictures that messages hold; which kinds of them are shown is the page's to say.
    'img-src data:',
  ];
  if (boot.transport === 'http') directives.push("connect-src 'self'");
  return directives.join('; ');
}

function attribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** JSON that cannot end the element it stands in. */
function scriptData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
