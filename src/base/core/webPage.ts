/** The HTML around a bundle of src/webview: nothing but its own script and style may load. */

/** What a page speaks: a language as the editor names it, and its texts by those in English. */
export interface PageTexts {
  /** E.g. `zh-cn`. */
  readonly language: string;
  readonly bundle: Readonly<Record<string, string>>;
}

export interface WebPageOptions {
  readonly title: string;
  /** Fresh for each page; letters, digits, `+`, `/`, `=`, `-` and `_`. */
  readonly nonce: string;
  /** Where the style sheet may come from, as a source of a Content Security Policy: `webview.cspSource` or `'self'`. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** A browser's page has a theme of its own, and may ask its own server. */
  readonly host: 'editor' | 'browser';
  /** What the page is told when it opens: JSON. Default of `texts`: English. */
  readonly boot: { readonly texts?: PageTexts | undefined };
}

/** The id of the element that holds what the page is told, as JSON. */
export const bootElementId = 'agentjet-boot';

export function webPage(options: WebPageOptions): string {
  const { title, nonce, scriptUri, styleUri, host, boot } = options;
  return `<!doctype html>
<html lang="${attribute(languageTag(boot.texts))}" data-host="${host}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy(options))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${attribute(title)}</title>
${host === 'browser' ? browserHead : ''}<link rel="stylesheet" href="${attribute(styleUri)}">
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
function languageTag(texts: PageTexts | undefined): string {
  return new Intl.Locale(texts?.language ?? 'en').toString();
}

/** An editor has a theme of its own; a browser has none, and asks for `/favicon.ico` unless it is told of an icon. */
const browserHead = `<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
`;

function policy({ nonce, cspSource, host }: WebPageOptions): string {
  const directives = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
    // Pictures that messages hold; which kinds of them are shown is the page's to say.
    'img-src data:',
  ];
  if (host === 'browser') directives.push("connect-src 'self'");
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
