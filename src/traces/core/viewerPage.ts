/** The viewer's page, the same in the editor and in a browser but for its policy and for who answers it. */
import { webPage, type PageTexts, type WebPageOptions } from '../../base/core/webPage.ts';

/** What the page is told when it opens. */
export interface ViewerBoot {
  /** The trace, as who answers calls it: in the editor by its absolute path, over HTTP by the name of its file. */
  readonly trace: string;
  /** `vscode`: the editor's messages; `http`: `/rpc` and `/events` of the server that the page came from. */
  readonly transport: 'vscode' | 'http';
  /** What the page speaks: a language as the editor names it, and its texts by those in English. Default: English. */
  readonly texts?: ViewerTexts | undefined;
}

export type ViewerTexts = PageTexts;

/** A message of an editor to a page: the route to show, as parameters of the viewer's address. */
export interface GoMessage {
  readonly go: string;
}

export interface ViewerPageOptions extends Omit<WebPageOptions, 'title' | 'host'> {
  readonly boot: ViewerBoot;
}

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
  const host = options.boot.transport === 'vscode' ? 'editor' : 'browser';
  return webPage({ ...options, title: 'AgentJet trace', host });
}
