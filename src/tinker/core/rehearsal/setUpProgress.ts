/** The set-up of a rehearsal as its script reports it: events as JSON, and the output of pip. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod/mini';
import { sizeText } from '../../../base/core/format.ts';
import { parseJson } from '../../../base/core/parseJson.ts';

/** The size of a set-up in bytes. Measured with Python 3.12 on Linux. */
export const setUpSize = { download: 225e6, disk: 1e9 };

export type SetUpProgress =
  /** Another process sets up the same environment. */
  | { readonly step: 'waiting' }
  | { readonly step: 'environment' | 'install' | 'model' }
  | {
      readonly step: 'download';
      /** The package whose download begins. */
      readonly name: string;
      /** Its place among all packages, from 1. */
      readonly number: number;
      readonly packages: number;
      /** Its size in bytes. 0 if an earlier set-up has downloaded it. */
      readonly size: number;
      /** The bytes of the packages before it. */
      readonly downloaded: number;
    };

/** Describes a step for users, in one line. */
export function progressText(progress: SetUpProgress): string {
  switch (progress.step) {
    case 'waiting':
      return l10n.t('Waiting for another process that sets up the same environment');
    case 'environment':
      return l10n.t(
        'Creating a Python environment: {0} to download, {1} on disk',
        sizeText(setUpSize.download, 0),
        sizeText(setUpSize.disk, 0),
      );
    case 'download':
      return l10n.t(
        'Downloading package {0} of {1}: {2} ({3}), {4} so far',
        progress.number,
        progress.packages,
        progress.name,
        sizeText(progress.size),
        sizeText(progress.downloaded),
      );
    case 'install':
      return l10n.t('Installing the packages');
    case 'model':
      return l10n.t('Creating the model');
  }
}

const setUpEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal(['waiting', 'environment', 'install', 'model']) }),
  z.object({ event: z.literal('download'), packages: z.int() }),
  z.object({ event: z.literal('pip'), line: z.string() }),
  z.object({ event: z.literal('ready'), python: z.string() }),
  z.object({ event: z.literal('failed'), lines: z.array(z.string()) }),
]);

/** Reads the output of a set-up, line by line. */
export class SetUpReader {
  /** The Python of the environment, once it is ready. */
  python: string | undefined;
  /** The last lines of the step that failed. */
  failed: readonly string[] | undefined;
  readonly #onProgress: (progress: SetUpProgress) => void;
  #packages = 0;
  #number = 0;
  #downloaded = 0;

  constructor(onProgress: (progress: SetUpProgress) => void) {
    this.#onProgress = onProgress;
  }

  push(line: string): void {
    const { data } = setUpEvent.safeParse(parseJson(line));
    if (data?.event === 'pip') this.#pip(data.line);
    else if (data?.event === 'download') this.#packages = data.packages;
    else if (data?.event === 'ready') this.python = data.python;
    else if (data?.event === 'failed') this.failed = data.lines;
    else if (data !== undefined) this.#onProgress({ step: data.event });
  }

  #pip(line: string): void {
    // Packages of other systems have a line, too.
    if (line.startsWith('Ignoring ')) this.#number += 1;
    const [, name, size = '0', unit = 'B'] =
      /^\s*(?:Downloading|File was already downloaded) (?:\S*[/\\])?([\w.]+)-\S+\.whl(?: \(([\d.]+) (B|kB|MB|GB)\))?$/.exec(
        line,
      ) ?? [];
    if (name === undefined) return;
    this.#number += 1;
    const bytes = Math.round(Number(size) * 1_000 ** ['B', 'kB', 'MB', 'GB'].indexOf(unit));
    this.#onProgress({
      step: 'download',
      name,
      number: this.#number,
      packages: this.#packages,
      size: bytes,
      downloaded: this.#downloaded,
    });
    this.#downloaded += bytes;
  }
}

export type SetUpFailure = 'disk-full' | 'no-network' | 'no-package' | 'failed';

const causes: readonly (readonly [SetUpFailure, RegExp])[] = [
  ['disk-full', /no space left on device|not enough space|errno 28\b|disk quota exceeded/i],
  [
    'no-network',
    /NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|CERTIFICATE_VERIFY_FAILED|connection (?:broken|reset|aborted|refused)|max retries exceeded|timed out/i,
  ],
  ['no-package', /no matching distribution found/i],
];

/**
 * Returns the cause of a failed set-up and the lines that name it. Without a connection, pip also reports that a package is
 * missing.
 */
export function setUpFailure(lines: readonly string[]): readonly [SetUpFailure, said: string] {
  for (const [failure, pattern] of causes) {
    const line = lines.findLast((one) => pattern.test(one));
    if (line !== undefined) return [failure, line.replace(/^.* after connection broken by /, '')];
  }
  return ['failed', lines.slice(-5).join('\n')];
}
