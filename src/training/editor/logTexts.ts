import * as l10n from '@vscode/l10n';
import type { RunEvent, RunRecord } from '../core/protocol/runs.ts';
import { TracebackFolder } from '../core/logs/foldTracebacks.ts';
import { stageIn } from '../core/runs/markers.ts';
import { phaseText, stateText } from '../core/runs/words.ts';

/** The source for the output of the launcher. It also receives the notes of the host. */
export const mainSource = 'launcher';
export type LoggedRun = Pick<RunRecord, 'backbone' | 'launcher' | 'stages'>;

/**
 * The prefix that Ray adds to a line of an actor or task: `(WorkerDict pid=17, ip=10.0.0.2)`, `(WorkflowRunner(id=3)
 * pid=18)`.
 */
const actorPrefix = /^\(([A-Za-z_][\w.]{0,63})\b[^\n]{0,200}?\bpid=\d+(?:, ip=[^\s)]+)?\) /;
/** The number of actors with their own log. Lines of further ones are in the launcher's log only. */
const mostActors = 12;

/** Converts the events of a run to the texts of its output channels. */
export class LogTexts {
  readonly #folders = new Map<string, TracebackFolder>();
  readonly #sources = new Set<string>();
  /** The names of the actors whose output the launcher prints. Undefined if each actor has a log file. */
  readonly #actors: Set<string> | undefined;
  /** The sources of an incomplete line of the launcher. */
  #openLine: readonly string[] | undefined;
  readonly #stages: LoggedRun['stages'];
  /** The prefix for the names of actors: the stage that the launcher started last. Each stage starts new actors. */
  #stage = '';

  constructor({ backbone, launcher, stages }: LoggedRun) {
    this.#stages = stages;
    // Only Trinity writes a log file for each actor. On a Ray cluster, these files are on other machines.
    if (backbone === 'verl' || launcher === 'ray') this.#actors = new Set();
  }

  /** Returns the text to append for each source, once per call. A run can print 100,000 lines in a second. */
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
          // An incomplete line is not part of a traceback.
          else piecesOf(texts, shown).push(...this.#folder(shown).end().map(whole), line);
        }
      }
    }
    return joined(texts);
  }

  /** Returns the sources of a line. The launcher's log has all lines. Lines of an actor are also in the actor's channel. */
  #shownIn(source: string, line: string, isWhole: boolean): readonly string[] {
    if (source !== mainSource || this.#actors === undefined) return [source];
    const begun = stageIn(line)?.number;
    if (begun !== undefined) this.#stage = `${this.#stages?.[begun - 1]?.name ?? begun}/`;
    const shown = this.#openLine ?? this.#withActor(line, this.#actors);
    this.#openLine = isWhole ? undefined : shown;
    return shown;
  }

  /** Returns the sources of a new line of the launcher. All processes of an actor are one source. */
  #withActor(line: string, actors: Set<string>): readonly string[] {
    const actor = actorPrefix.exec(line)?.[1];
    if (actor === undefined || (!actors.has(actor) && actors.size >= mostActors)) return [mainSource];
    actors.add(actor);
    const own = this.#stage + actor;
    return this.#sources.has(own.toLowerCase()) ? [mainSource] : [mainSource, own];
  }

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

function noteOf(event: Exclude<RunEvent, { type: 'log' }>): string | undefined {
  switch (event.type) {
    case 'state':
      return [stateText(event.state), ...(event.reason === undefined ? [] : [event.reason])].join(': ');
    case 'checkpoint':
      return event.stage === undefined
        ? l10n.t('Checkpoint of step {0}.', event.step)
        : l10n.t('Checkpoint of step {0} of stage {1}.', event.step, event.stage);
    case 'alarm':
    case 'notice':
      return event.text;
    case 'phase':
      return phaseText(event.phase);
    case 'metrics':
      return undefined;
  }
}
