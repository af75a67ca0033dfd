/** The HTML page around a webview bundle. It can load only its own script and style sheet. */

/** The language of a page in the notation of the editor, and its translations by English text. */
export interface PageTexts {
  /** E.g. `zh-cn`. */
  readonly language: string;
  readonly bundle: Readonly<Record<string, string>>;
}

export interface WebPageOptions {
  readonly title: string;
  /** A new value for each page, of letters, digits, `+`, `/`, `=`, `-` and `_`. */
  readonly nonce: string;
  /** The source of the style sheet in the Content Security Policy: `webview.cspSource` or `'self'`. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** A page in a browser has its own theme and can send requests to its server. */
  readonly host: 'editor' | 'browser';
  /** The initial state of the page, sent as JSON. `texts` defaults to English. */
  readonly boot: { readonly texts?: PageTexts | undefined };
}

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

/** Returns the language as a BCP 47 tag, such as `zh-CN`. */
function languageTag(texts: PageTexts | undefined): string {
  return new Intl.Locale(texts?.language ?? 'en').toString();
}

/** The theme and an empty icon. Without an icon, a browser requests `/favicon.ico`. */
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
    // Images in messages. The page decides which kinds it shows.
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

/** Returns JSON that cannot close its script element. */
function scriptData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
