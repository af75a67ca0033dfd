import * as l10n from '@vscode/l10n';
import type { RunEvent } from '../../protocol/host/runs.ts';
import { TracebackFolder } from '../../remote/logs/foldTracebacks.ts';
import { trainingState } from './hostText.ts';

/** The source that a run's process itself prints to; it gets what is not of a source as well. */
export const mainSource = 'launcher';

/** What the channels of a run show of its events, as they come. */
export class LogTexts {
  readonly #folders = new Map<string, TracebackFolder>();

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
      const isWhole = part !== true;
      for (const line of isWhole ? lines : lines.slice(0, -1)) this.#line(texts, source, line);
      // The line goes on: it is no line of a traceback.
      if (!isWhole)
        piecesOf(texts, source).push(...this.#folder(source).end().map(whole), lines.at(-1) ?? '');
    }
    return joined(texts);
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
      return l10n.t('Checkpoint of step {0}.', event.step);
    case 'alarm':
    case 'notice':
      return event.text;
    case 'phase':
      return event.phase;
    case 'metrics':
      return undefined;
  }
}
