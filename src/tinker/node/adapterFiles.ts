import { neverCancelled, type CancellationToken } from '../../base/core/cancellation.ts';
import { openDownload, type Download } from './download.ts';
import { openCheckpoints, openTinker, type TinkerOptions } from './openTinker.ts';

/** The files of saved weights as a server sends them: a tar.gz with all, or each by its name. */
export type AdapterFiles =
  | { readonly kind: 'archive'; readonly archive: Download }
  | { readonly kind: 'files'; readonly open: (name: string) => Promise<Download | undefined> };

/** Seconds that the server keeps an export, so that none stays after a crash. */
const exportLifetime = 3600;

/**
 * Opens the files of the adapter that weights for sampling are, for the time of `use`. The service of Thinking Machines
 * sends only exports: it loads the weights into a model for that, which is unloaded afterwards.
 *
 * @param path the `tinker://` path
 */
export async function withAdapterFiles<T>(
  options: TinkerOptions,
  path: string,
  use: (files: AdapterFiles) => Promise<T>,
): Promise<T> {
  const { cancellation = neverCancelled } = options;
  const { checkpoints, baseUrl } = await openCheckpoints(options);
  const open = (url: string): Promise<Download> => openDownload(url, baseUrl, cancellation);
  const archive = await checkpoints.archiveUrl(path, cancellation);
  if (archive !== undefined) return use({ kind: 'archive', archive: await open(archive) });
  return withExport(options, path, cancellation, async (exported) => {
    const urls = await checkpoints.fileUrls(exported, cancellation);
    try {
      return await use({
        kind: 'files',
        open: async (name) => {
          const url = Object.hasOwn(urls, name) ? urls[name] : undefined;
          return url === undefined ? undefined : open(url);
        },
      });
    } finally {
      await checkpoints.delete(exported, neverCancelled).catch(() => undefined); // it expires by itself
    }
  });
}

async function withExport<T>(
  options: TinkerOptions,
  path: string,
  cancellation: CancellationToken,
  use: (exported: string) => Promise<T>,
): Promise<T> {
  const session = await openTinker({ ...options, tags: ['agentjet-download'] });
  let outcome: 'success' | 'errored' | 'interrupted' = 'errored';
  try {
    const model = await session.openModel(path, cancellation);
    const result = await use(await model.export('agentjet', exportLifetime, cancellation));
    outcome = 'success';
    return result;
  } finally {
    await session.close(cancellation.isCancelled ? 'interrupted' : outcome);
  }
}
