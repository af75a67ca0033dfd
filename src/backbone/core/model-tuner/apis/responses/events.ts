import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { serverSentEvent } from '../api.ts';

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;

/** Numbers the events of one stream, from 0. */
export class EventWriter {
  #next = 0;

  write(event: Unnumbered<ResponseStreamEvent>): string {
    return serverSentEvent(event.type, { ...event, sequence_number: this.#next++ });
  }
}
