import * as l10n from '@vscode/l10n';
import type { RunEvent, RunRecord } from '../core/protocol/runs.ts';
import { TracebackFolder } from '../core/logs/foldTracebacks.ts';
import { RayActors } from '../core/logs/rayActors.ts';
import { stageIn } from '../core/runs/markers.ts';
import { trainingState } from './hostText.ts';

/** The source that a run's process itself prints to; it gets what is not of a source as well. */
export const mainSource = 'launcher';

export type LoggedRun = Pick<RunRecord, 'backbone' | 'launcher' | 'stages'>;

/** What the channels of a run show of its events, as they come. */
export class LogTexts {
  readonly #folders = new Map<string, TracebackFolder>();
  readonly #sources = new Set<string>();
  /** Of what the launcher prints; undefined: each actor has a log of its own. */
  readonly #actors: RayActors | undefined;
  /** Where a line of the launcher's that goes on is shown. */
  #goesOn: readonly string[] | undefined;
  readonly #stages: LoggedRun['stages'];
  /** That the launcher told of last, before the name of an actor: each stage has actors of its own. */
  #stage = '';

  constructor({ backbone, launcher, stages }: LoggedRun) {
    this.#stages = stages;
    // Logs of actors are Trinity's alone, and those of a cluster are on its own disks.
    if (backbone === 'verl' || launcher === 'ray') this.#actors = new RayActors();
  }

  /** By source, the text to add; each once per call: a run may print a hundred thousand lines in a second. */
  add(events: readonly RunEvent[]): ReadonlyMap<string, string> {
    const texts = new Map<string, string[]>();
    for (const event of events) {
      if (event.type !== 'log') {
        const note = noteOf(event);
        if (note !== undefined) this.#line(texts, mainSource, `[AgentJet] ${note}`);
        continue;
      }
      const { source, lines, part } = event;
      this.#sources.add(source.toLowerCase());
      for (const [at, line] of lines.entries()) {
        const isWhole = part !== true || at < lines.length - 1;
        for (const shown of this.#shownIn(source, line, isWhole)) {
          if (isWhole) this.#line(texts, shown, line);
          // The line goes on: it is no line of a traceback.
          else piecesOf(texts, shown).push(...this.#folder(shown).end().map(whole), line);
        }
      }
    }
    return joined(texts);
  }

  /** The launcher's log has all lines in their order; those of an actor are in a channel of their own as well. */
  #shownIn(source: string, line: string, isWhole: boolean): readonly string[] {
    if (source !== mainSource || this.#actors === undefined) return [source];
    const begun = stageIn(line)?.number;
    if (begun !== undefined) this.#stage = `${this.#stages?.[begun - 1]?.name ?? begun}/`;
    const shown = this.#goesOn ?? this.#withActor(this.#actors.actorOf(line));
    this.#goesOn = isWhole ? undefined : shown;
    return shown;
  }

  #withActor(actor: string | undefined): readonly string[] {
    if (actor === undefined) return [mainSource];
    const own = this.#stage + actor;
    return this.#sources.has(own.toLowerCase()) ? [mainSource] : [mainSource, own];
  }

  /** What is left to be shown at the end. */
  end(): ReadonlyMap<string, string> {
    const texts = [...this.#folders].map(([source, folder]) => [source, folder.end().map(whole)] as const);
    return joined(new Map(texts.filter(([, lines]) => lines.length > 0)));
  }

  #line(texts: Map<string, string[]>, source: string, line: string): void {
    piecesOf(texts, source).push(...this.#folder(source).add(line).map(whole));
  }

  #folder(source: string): TracebackFolder {
    const folder = this.#folders.get(source) ?? new TracebackFolder();
    this.#folders.set(source, folder);
    return folder;
  }
}

const whole = (line: string): string => `${line}\n`;

function piecesOf(texts: Map<string, string[]>, source: string): string[] {
  const pieces = texts.get(source) ?? [];
  texts.set(source, pieces);
  return pieces;
}

function joined(texts: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string> {
  return new Map([...texts].map(([source, pieces]) => [source, pieces.join('')]));
}

/** What becomes of the run, between the lines that it prints; undefined: nothing to read. */
function noteOf(event: Exclude<RunEvent, { type: 'log' }>): string | undefined {
  switch (event.type) {
    case 'state':
      return [trainingState(event.state), ...(event.reason === undefined ? [] : [event.reason])].join(': ');
    case 'checkpoint':
      return event.stage === undefined
        ? l10n.t('Checkpoint of step {0}.', event.step)
        : l10n.t('Checkpoint of step {0} of stage {1}.', event.step, event.stage);
    case 'alarm':
    case 'notice':
      return event.text;
    case 'phase':
      return event.phase;
    case 'metrics':
      return undefined;
  }
}
