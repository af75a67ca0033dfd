/**
 * The group that an episode belongs to, by its number: the position of its task in the run.
 *
 * @param repeat episodes per task
 */
export function groupOf(episode: number, repeat: number): number {
  return Math.floor(episode / Math.max(1, repeat));
}
