export function mostRecentFirst(items: readonly string[], recent: readonly string[]): string[] {
  const rank = new Map(recent.map((item, index) => [item, index]));
  return [...items].sort((a, b) => (rank.get(a) ?? recent.length) - (rank.get(b) ?? recent.length));
}
