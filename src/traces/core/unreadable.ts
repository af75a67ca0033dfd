import type { ErrorReport } from '../../base/core/errors.ts';
import type { TraceSummary } from './protocol/runRpc.ts';

export function unreadableSummary(
  { trace, size, startedAt }: Pick<TraceSummary, 'trace' | 'size' | 'startedAt'>,
  error: ErrorReport,
): TraceSummary {
  const calls = { calls: 0, timelines: 0, tokens: 0, trainableTokens: 0 };
  return {
    ...{ trace, size, startedAt, state: 'unreadable', error },
    ...{ experiment: '', config: '', workflow: '', model: '', episodes: 0, tokenizer: null, limits: null },
    totals: { started: 0, ended: 0, failed: 0, meanReward: null, successRate: null, ...calls },
  };
}
