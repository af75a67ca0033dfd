import type { Role } from './players.ts';

const advice: Readonly<Record<Role, string>> = {
  werewolf:
    'You know the other wolves. By day pass for a villager, or claim a role; the seer is your greatest danger.',
  villager: 'You have no power but your vote. Protect those who have one, and doubt claims without proof.',
  seer: 'Each night you look at one role. What you know wins the game, but who shows it too early is the next victim.',
  witch: 'You have one potion that saves a victim and one that kills. Use each when it matters.',
  hunter: 'When you are eliminated you may take one player with you. Be sure of whom.',
};

/** Every player gets the same text, with the advice for all roles: the own role is told in private when the game begins. */
export function systemPrompt(name: string): string {
  return [
    `You are ${name} in a game of Werewolf with nine players: three werewolves, three villagers, a seer, a witch and a hunter.`,
    'Win it together with your side. Bluffing is part of the game; inventing what nobody said is not.',
    'At night the wolves choose a victim, the witch may use a potion and the seer looks at a role. By day all who live discuss, then vote to eliminate one player.',
    'The village wins when no wolf is left; the wolves win when they are half of the living.',
    ...Object.entries(advice).map(([role, text]) => `If you are a ${role}: ${text}`),
    'Be brief, do not repeat others, and when a tool is offered answer by calling it.',
  ].join('\n');
}

/** The moderator's words. What is not for everybody says for whom it is. */
export const say = {
  begin: (names: readonly string[]) => `A new game begins. The players are ${list(names)}. Roles follow.`,
  role: (name: string, role: Role) => `[${name} ONLY] ${name}, you are a ${role}.`,
  night: 'Night falls, and all close their eyes.',
  wolvesDiscuss: (wolves: readonly string[], alive: readonly string[]) =>
    `[WEREWOLVES ONLY] ${list(wolves)}, agree on a victim among the living: ${list(alive)}.`,
  wolvesVote: '[WEREWOLVES ONLY] Now vote. Who is the victim?',
  wolvesResult: (votes: string, victim: string) => `[WEREWOLVES ONLY] ${votes}. Your victim is ${victim}.`,
  witchTurn: 'The witch wakes and decides on her potions.',
  resurrect: (victim: string) =>
    `[WITCH ONLY] ${victim} is the victim of this night. Do you use the healing potion, the only one you have?`,
  poison: '[WITCH ONLY] Do you use the poison, the only one you have, and on whom?',
  seerTurn: 'The seer wakes and looks at a role.',
  check: '[SEER ONLY] At whose role do you look?',
  checked: (name: string, role: Role) => `[SEER ONLY] ${name} is a ${role}.`,
  shoot: '[HUNTER ONLY] You are eliminated. Do you shoot, and whom?',
  shot: (name: string) => `The hunter takes ${name} along.`,
  died: (names: readonly string[]) => `Day breaks. This night took ${list(names)}.`,
  peaceful: 'Day breaks. The night was peaceful, and nobody died.',
  lastWords: (name: string) => `${name}, you are eliminated. Your last words to the others?`,
  discuss: (names: readonly string[]) => `${list(names)} are alive. Speak once each, in this order.`,
  vote: (names: readonly string[]) => `Now vote. Who of ${list(names)} is to be eliminated?`,
  voteResult: (votes: string, name: string) => `${votes}. ${name} is voted out.`,
  end: (winner: string) => `The game is over: the ${winner} won.`,
};

function list(names: readonly string[]): string {
  return names.join(', ');
}
