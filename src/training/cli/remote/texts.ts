import stringWidth from 'string-width';
import { finalStates, type RunEvent, type RunRecord } from '../../core/protocol/runs.ts';
import { phaseText, stateText } from '../../core/runs/words.ts';
import { escapeControlCharacters } from '../../../base/core/visibleText.ts';

/** Returns a table with aligned columns. Wide characters count as two. No cell can begin another row. */
export function columns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(escapeControlCharacters));
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => stringWidth(row[at] ?? ''))));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => `${cell}${' '.repeat((widths[at] ?? 0) - stringWidth(cell))}`)
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

export function stateOf({ state, reason, phase }: RunRecord): string {
  const more = reason ?? (state === 'running' && phase !== null ? phaseText(phase) : null);
  return more === null ? stateText(state) : `${stateText(state)}: ${more}`;
}

/** Returns the step as `12/200`, or for training in stages as `rl 12/200`: each stage counts from 1. */
export function stepOf({ step, totalSteps, stages, stage }: RunRecord): string {
  const name = stage === undefined ? '' : (stages?.[stage - 1]?.name ?? String(stage));
  if (step === null) return name;
  return `${name} ${totalSteps === null ? step : `${step}/${totalSteps}`}`.trimStart();
}

export function eventText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'state':
      return `State: ${stateText(event.state)}${event.reason === undefined ? '' : `. ${event.reason}`}`;
    case 'phase':
      return `Phase: ${phaseText(event.phase)}`;
    case 'checkpoint':
      return `Wrote the checkpoint of step ${event.step}${event.stage === undefined ? '' : ` of stage ${event.stage}`}.`;
    case 'alarm':
      return `Alarm: ${event.text}`;
    case 'notice':
      return event.text;
    case 'log':
    case 'metrics':
      return undefined;
  }
}

export function logText(text: string): string {
  return text.split('\t').map(escapeControlCharacters).join('\t');
}

export class Tenths {
  #reported = 0;

  isNext(done: number, total: number): boolean {
    const tenth = total === 0 ? 10 : Math.floor((10 * done) / total);
    if (tenth <= this.#reported) return false;
    this.#reported = tenth;
    return true;
  }
}
