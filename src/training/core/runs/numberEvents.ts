import type { RunEvent } from '../protocol/runs.ts';
import type { LogEvent, RunEventBody, RunFold } from './fold.ts';
import { lineLimit } from './lines.ts';

/** A log event that the next line may extend. */
interface OpenEvent {
  readonly event: LogEvent;
  /** The length of its lines with their ends, so that empty lines count. */
  readonly length: number;
}

/**
 * Numbers events, each with the events that follow from it. Consecutive lines of one source become one event, up to
 * the first that causes another event or continues in the next. A hundred thousand lines per second become a few
 * hundred events.
 *
 * @param bodies log events with one line each
 */
export function* numberEvents(
  fold: RunFold,
  bodies: readonly RunEventBody[],
  at: number,
): Generator<readonly RunEvent[], void, undefined> {
  let open: OpenEvent | undefined;
  for (const body of bodies) {
    if (open !== undefined && !isJoinable(open, body)) {
      yield [open.event];
      open = undefined;
    }
    const event: RunEvent = { seq: open?.event.seq ?? fold.state.seq + 1, at, ...body };
    const brought = fold.take(event);
    if (event.type === 'log') {
      open = joined(open, event);
      if (brought.length === 0 && event.part !== true) continue;
    }
    const events: RunEvent[] = [open?.event ?? event];
    open = undefined;
    for (const one of brought) {
      const next: RunEvent = { seq: fold.state.seq + 1, at, ...one };
      events.push(next);
      brought.push(...fold.take(next));
    }
    yield events;
  }
  if (open !== undefined) yield [open.event];
}

function isJoinable({ event, length }: OpenEvent, next: RunEventBody): boolean {
  return next.type === 'log' && next.source === event.source && length + lengthOf(next.lines) <= lineLimit;
}

function joined(open: OpenEvent | undefined, event: LogEvent): OpenEvent {
  const length = lengthOf(event.lines);
  if (open === undefined) return { event: { ...event, lines: [...event.lines] }, length };
  const { lines } = open.event;
  lines.push(...event.lines);
  return { event: { ...event, lines }, length: open.length + length };
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
