/** How hosts and runs are written for people. */
import { finalStates, type RunEvent, type RunRecord } from '../../../protocol/host/runs.ts';
import { visible } from '../visibleText.ts';

/** Columns as wide as what is in them; the first row is the head. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

export function timeSpan(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

export function isFinal({ state }: RunRecord): boolean {
  return finalStates.includes(state);
}

/** What one line tells of a run's state. */
export function stateOf({ state, reason, phase }: RunRecord): string {
  const more = reason ?? (state === 'running' ? phase : null);
  return more === null ? state : `${state}: ${visible(more)}`;
}

/** `12/200`; of a training in stages `rl 12/200`, as the steps of each begin with 1. */
export function stepOf({ step, totalSteps, stages, stage }: RunRecord): string {
  const name = stage === undefined ? '' : visible(stages?.[stage - 1]?.name ?? String(stage));
  if (step === null) return name;
  return `${name} ${totalSteps === null ? step : `${step}/${totalSteps}`}`.trimStart();
}

/** What is told of an event besides the lines of logs; undefined: it is one, or numbers. */
export function eventText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'state':
      return `The run is ${event.state}${event.reason === undefined ? '.' : `: ${event.reason}`}`;
    case 'phase':
      return `Phase: ${event.phase}`;
    case 'checkpoint':
      return `A checkpoint of step ${event.step}${event.stage === undefined ? '' : ` of stage ${event.stage}`} is written.`;
    case 'alarm':
      return `Alarm: ${event.text}`;
    case 'notice':
      return event.text;
    case 'log':
    case 'metrics':
      return undefined;
  }
}

/** A line of a log: nothing of it steers the terminal. */
export function logText(text: string): string {
  return text.split('\t').map(visible).join('\t');
}

/** Tells when another tenth of something is done: what takes long is told of, and not at every step. */
export class Tenths {
  #told = 0;

  isNext(done: number, total: number): boolean {
    const tenth = total === 0 ? 10 : Math.floor((10 * done) / total);
    if (tenth <= this.#told) return false;
    this.#told = tenth;
    return true;
  }
}
