import type { HostMethod } from '../protocol/hostRpc.ts';

/**
 * What becomes of a request whose answer did not come before the connection went: `again` asks once more on the next one,
 * for it reads only, or does the same however often it is done; `lost` rejects, since nobody knows; `bound` was about that
 * connection alone.
 */
export const retryPolicy: Readonly<Record<HostMethod, 'again' | 'lost' | 'bound'>> = {
  hello: 'bound',
  status: 'again',
  preflight: 'again',
  'sync.lacks': 'again',
  'sync.put': 'bound',
  'sync.pack': 'bound',
  'sync.manifest': 'lost',
  'sync.has': 'again',
  'sync.entries': 'again',
  'sync.get': 'bound',
  'run.start': 'again',
  'run.list': 'again',
  'run.get': 'again',
  'run.cancel': 'again',
  'run.remove': 'lost',
  'run.follow': 'bound',
  'run.unfollow': 'bound',
  'run.watch': 'again',
  'run.gpus': 'again',
  'run.config': 'again',
  'checkpoint.list': 'again',
  'file.list': 'again',
  'file.get': 'bound',
  'file.sum': 'again',
  'transfer.stop': 'bound',
};
