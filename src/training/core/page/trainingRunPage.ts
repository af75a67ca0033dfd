import { webPage, type WebPageOptions } from '../../../base/core/webPage.ts';

export const trainingRunBundle = { script: 'trainingRun.js', style: 'trainingRun.css' } as const;

/** Returns the HTML of the page of a training run. The page sends `ready` once it listens. */
export function trainingRunPage(options: Omit<WebPageOptions, 'title'>): string {
  return webPage({ ...options, title: 'AgentJet run' });
}
