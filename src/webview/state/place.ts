/** What of a run is looked at. */
export interface Place {
  /** Null: the run itself. */
  readonly episode: number | null;
  /** Of the episode; at most one of the two is set. */
  readonly call: number | null;
  readonly timeline: number | null;
}

export const runPlace: Place = { episode: null, call: null, timeline: null };

export const episodePlace = (episode: number): Place => ({ ...runPlace, episode });
export const callPlace = (episode: number, call: number): Place => ({ episode, call, timeline: null });
export const timelinePlace = (episode: number, timeline: number): Place => ({
  episode,
  call: null,
  timeline,
});

/** E.g. `episode=3&timeline=0`; the run itself is the empty text. */
export function formatPlace({ episode, call, timeline }: Place): string {
  if (episode === null) return '';
  if (call !== null) return `episode=${episode}&call=${call}`;
  if (timeline !== null) return `episode=${episode}&timeline=${timeline}`;
  return `episode=${episode}`;
}

/** What makes no sense is left out: a link that leads nowhere leads to the run. */
export function parsePlace(parameters: URLSearchParams): Place {
  const [episode, call, timeline] = ['episode', 'call', 'timeline'].map((name) =>
    position(parameters.get(name)),
  );
  if (episode === undefined) return runPlace;
  if (call !== undefined) return callPlace(episode, call);
  return timeline === undefined ? episodePlace(episode) : timelinePlace(episode, timeline);
}

function position(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** How far below the run a place is: the run, an episode, a part of an episode. */
export function depth({ episode, call, timeline }: Place): number {
  if (episode === null) return 0;
  return call === null && timeline === null ? 1 : 2;
}

/** One step up; the run is above itself. */
export function parentOf(place: Place): Place {
  return place.episode !== null && depth(place) === 2 ? episodePlace(place.episode) : runPlace;
}
