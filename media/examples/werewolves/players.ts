import type { Question } from './questions.ts';

export type Role = 'werewolf' | 'villager' | 'seer' | 'witch' | 'hunter';

/** The nine seats, before they are shuffled. */
export const roles: readonly Role[] = [
  'werewolf',
  'werewolf',
  'werewolf',
  'villager',
  'villager',
  'villager',
  'seer',
  'witch',
  'hunter',
];

/** Who sits at the table: a model, or in a test a script. */
export interface Player {
  readonly name: string;
  readonly role: Role;
  /** Takes note of what was said; nobody else does. */
  hear(text: string): void;
  /** Says something in its own words. */
  speak(): Promise<string>;
  /** Answers one question of the moderator. Rejects when no usable answer came. */
  decide<Answer>(question: Question<Answer>): Promise<Answer>;
}

/** Says it to these players and to nobody else: each has messages of its own, and this is the only way into them. */
export function tell(hearers: readonly Player[], text: string, speaker?: Player): void {
  for (const hearer of hearers) {
    if (hearer !== speaker) hearer.hear(`${speaker?.name ?? 'Moderator'}: ${text}`);
  }
}

export function namesOf(players: readonly Player[]): string[] {
  return players.map(({ name }) => name);
}

export function ofRole(players: readonly Player[], role: Role): Player[] {
  return players.filter((player) => player.role === role);
}

export type Side = 'werewolves' | 'village';

/** Who has won among those alive: the wolves once they are at least half of them, the village once no wolf is left. */
export function winnerAmong(alive: readonly Player[]): Side | undefined {
  const wolves = ofRole(alive, 'werewolf').length;
  if (wolves * 2 >= alive.length) return 'werewolves';
  return wolves === 0 ? 'village' : undefined;
}

/** Who has most votes; in a tie, who of these was named first. Undefined where nobody voted. */
export function majority(votes: readonly string[]): string | undefined {
  const counts = countVotes(votes);
  const most = Math.max(...counts.values());
  return [...counts.keys()].find((name) => counts.get(name) === most);
}

/** `Player2: 3, Player7: 1` */
export function showVotes(votes: readonly string[]): string {
  return [...countVotes(votes)].map(([name, count]) => `${name}: ${count}`).join(', ');
}

function countVotes(votes: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of votes) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
