import { webPage, type WebPageOptions } from '../../../base/core/webPage.ts';

/** The bundle of the page of a training run, in dist/webview. */
export const trainingRunBundle = { script: 'trainingRun.js', style: 'trainingRun.css' } as const;

/** The page of a training run; it says `ready` as soon as it listens. */
export function trainingRunPage(options: Omit<WebPageOptions, 'title'>): string {
  return webPage({ ...options, title: 'AgentJet run' });
}
