import { secretKinds } from '../../../base/core/secrets/texts.ts';
import type { Filter } from '../protocol/traceFilter.ts';
import type { EpisodeRow } from '../protocol/traceLists.ts';
import type { DamageView, RunView } from '../protocol/runRpc.ts';
import type { TraceReader } from '../views.ts';
import { chromeBegin, chromeEnd, chromeEvents } from './chrome.ts';
import { exportedEpisode, type ExportedEpisode } from './episode.ts';
import type { ExportFormat } from './formats.ts';
import { htmlBegin, htmlEnd, htmlTable } from './html.ts';
import { htmlEpisode } from './htmlEpisode.ts';
import { jsonLine } from './jsonl.ts';
import { otlpLine } from './otlp.ts';
import { Redactor, type Redaction } from './redact.ts';

interface Writer {
  readonly begin?: (run: RunView, redaction: Redaction) => string;
  readonly episode: (episode: ExportedEpisode, run: RunView) => string;
  readonly between?: string;
  readonly end?: (run: RunView) => string;
}

const writers: Readonly<Record<ExportFormat, Writer>> = {
  otlp: { episode: otlpLine },
  jsonl: { episode: jsonLine },
  chrome: { begin: chromeBegin, episode: chromeEvents, between: ',\n', end: chromeEnd },
  html: { begin: htmlBegin, episode: htmlEpisode, end: htmlEnd },
};

/** Number of episodes that are read at a time. */
const window = 100;

export interface ExportChoice {
  readonly format: ExportFormat;
  readonly redaction: Redaction;
  /** Absent: all episodes. */
  readonly filter?: Filter | undefined;
}

/** The number of exported episodes, and the damage of the file. */
export interface ExportNote {
  readonly episodes: number;
  /** Number of episodes with missing parts. */
  readonly incomplete: number;
  readonly damage: DamageView | null;
}

/** Yields the pieces of an export, one episode after another. Returns what was exported. */
export function* exportPieces(
  reader: TraceReader,
  { format, redaction, filter }: ExportChoice,
  onProgress?: (share: number) => void,
): Generator<string, ExportNote> {
  const redactor = new Redactor(redaction);
  const run = redactedRun(readRun(reader), redactor);
  const { begin, episode: text, between = '', end } = writers[format];
  if (begin !== undefined) yield begin(run, redaction);
  if (format === 'html') yield* htmlTable(listedEpisodes(reader, filter), redactor);
  let [episodes, incomplete] = [0, 0];
  for (const { row, total } of listedEpisodes(reader, filter)) {
    const whole = exportedEpisode(reader, row, redactor);
    yield `${episodes === 0 ? '' : between}${text(whole, run)}`;
    episodes += 1;
    if (whole.missing.length > 0) incomplete += 1;
    onProgress?.(episodes / Math.max(1, total));
  }
  // Reading may have found more damage.
  const { damage } = readRun(reader);
  if (end !== undefined) yield end({ ...run, damage });
  return { episodes, incomplete, damage: damage ?? null };
}

function readRun(reader: TraceReader): RunView {
  return reader.read((views) => views.run());
}

function* listedEpisodes(
  reader: TraceReader,
  filter: Filter | undefined,
): Generator<{ readonly row: EpisodeRow; readonly total: number }> {
  for (let from = 0; ; from += window) {
    const { total, rows } = reader.read((views) => views.episodes(from, window, filter && { filter }));
    for (const row of rows) yield { row, total };
    if (rows.length < window) return;
  }
}

/** Secrets of one kind that an export would remove. */
export interface FoundSecrets {
  readonly kind: string;
  /** Number of different secrets. */
  readonly count: number;
  /** The first episodes that have one. */
  readonly episodes: readonly number[];
}

/** The maximum number of different secrets that are counted, and of episodes that are named. */
const most = { secrets: 10_000, episodes: 10 } as const;

/** Finds the secrets that an export would remove. Writes nothing. Yields after each episode. */
export function* findSecrets(
  reader: TraceReader,
  filter: Filter | undefined,
  onProgress?: (share: number) => void,
): Generator<undefined, readonly FoundSecrets[]> {
  const found = new Map<string, { readonly texts: Set<string>; readonly episodes: Set<number> }>();
  let episode = 0;
  const redactor = new Redactor({ texts: false, patterns: [] }, (kind, text) => {
    const { texts, episodes } = found.get(kind) ?? { texts: new Set(), episodes: new Set() };
    found.set(kind, { texts, episodes });
    if (texts.size < most.secrets) texts.add(text);
    if (episodes.size < most.episodes) episodes.add(episode);
  });
  let done = 0;
  for (const { row, total } of listedEpisodes(reader, filter)) {
    episode = row.episode;
    exportedEpisode(reader, row, redactor);
    done += 1;
    onProgress?.(done / Math.max(1, total));
    yield undefined;
  }
  return secretKinds().flatMap((kind) => {
    const one = found.get(kind);
    return one === undefined ? [] : [{ kind, count: one.texts.size, episodes: [...one.episodes] }];
  });
}

/** Names and paths stay, except for secrets in them. */
function redactedRun(run: RunView, redactor: Redactor): RunView {
  const { experiment, model, config, workflow, report } = run;
  const clean = (text: string): string => redactor.text(text);
  const findings = report.findings.map((one) => ({ ...one, message: redactor.message(one.message) }));
  return {
    ...run,
    report: { ...report, findings },
    experiment: clean(experiment),
    model: clean(model),
    config: clean(config),
    workflow: clean(workflow),
  };
}
