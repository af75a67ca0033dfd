import type { TimelineReader } from './reader.ts';
import type { TimelineViews } from './timelineViews.ts';

/** @param read asks within one consistent state of the file */
export function timelineReader(read: <T>(ask: (views: TimelineViews) => T) => T): TimelineReader {
  return {
    timeline: (episode, timeline) => read((views) => views.timeline(episode, timeline, null)),
    tokens: (episode, timeline, from, limit) =>
      read((views) => views.tokens.window(episode, timeline, from, limit)),
    token: (episode, timeline, token) => read((views) => views.tokens.token(episode, timeline, token)),
    strip: (episode, timeline, stretches) =>
      read((views) => views.tokens.strip(episode, timeline, stretches)),
    find: (episode, timeline, search) => read((views) => views.tokens.find(episode, timeline, search)),
    text: (episode, of, message, window) =>
      read((views) => views.conversations.text(episode, of, message, window)),
    search: (episode, of, sought) => read((views) => views.conversations.search(episode, of, sought)),
  };
}
