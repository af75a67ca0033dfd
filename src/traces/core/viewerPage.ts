/** The viewer's page. In the editor and in a browser it differs only in its policy and its transport. */
import { webPage, type PageTexts, type WebPageOptions } from '../../base/core/webPage.ts';

export interface ViewerBoot {
  /** The name of the trace in requests: its absolute path in the editor, its file name over HTTP. */
  readonly trace: string;
  /** `vscode`: the editor's messages. `http`: `/rpc` and `/events` of the server that sent the page. */
  readonly transport: 'vscode' | 'http';
  /** The language of the page and its texts by the English ones. Default: English. */
  readonly texts?: ViewerTexts | undefined;
}

export type ViewerTexts = PageTexts;

/** A message of an editor to a page: the route to show, as parameters of the viewer's address. */
export interface GoMessage {
  readonly go: string;
}

/** A message of an editor to a page: whether a debugger holds the run. */
export interface HeldMessage {
  readonly held: boolean;
}

export interface ViewerPageOptions extends Omit<WebPageOptions, 'title' | 'host'> {
  readonly boot: ViewerBoot;
}

/** The name of the server's token in the address's fragment. */
export const tokenParameter = 'token';

/** The token is in the fragment, which browsers never send. */
export function viewerAddress(origin: string, token: string): string {
  return `${origin}/#${tokenParameter}=${encodeURIComponent(token)}`;
}

export function viewerPage(options: ViewerPageOptions): string {
  const host = options.boot.transport === 'vscode' ? 'editor' : 'browser';
  return webPage({ ...options, title: 'AgentJet trace', host });
}
