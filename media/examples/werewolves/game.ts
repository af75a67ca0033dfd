import {
  majority,
  namesOf,
  ofRole,
  showVotes,
  tell,
  winnerAmong,
  type Player,
  type Side,
} from './players.ts';
import { say } from './prompts.ts';
import {
  checkQuestion,
  discussQuestion,
  poisonQuestion,
  resurrectQuestion,
  shootQuestion,
  voteQuestion,
} from './questions.ts';

const mostRounds = 7;
/** How often each wolf may speak in a night. */
const discussionRounds = 2;

/** The wolves did not manage to choose a victim. */
export class BadGuyException extends Error {
  override name = 'BadGuyException';
}

/** What changes as the game goes on. */
interface Table {
  readonly players: readonly Player[];
  alive: readonly Player[];
  hasHealing: boolean;
  hasPoison: boolean;
  round: number;
}

export interface GameResult {
  /** The village wins only when no wolf is left. */
  readonly winner: Side;
  readonly rounds: number;
  readonly survivors: readonly string[];
}

/** Plays one game to its end. Rejects with a {@link BadGuyException}, or as a player's answer does. */
export async function playGame(players: readonly Player[]): Promise<GameResult> {
  const table: Table = { players, alive: players, hasHealing: true, hasPoison: true, round: 0 };
  tell(players, say.begin(namesOf(players)));
  for (const player of players) tell([player], say.role(player.name, player.role));

  let isOver = false;
  while (!isOver && table.round < mostRounds) {
    table.round++;
    isOver = (await playNight(table)) || (await playDay(table));
  }
  const winner = ofRole(table.alive, 'werewolf').length === 0 ? 'village' : 'werewolves';
  tell(players, say.end(winner));
  return { winner, rounds: table.round, survivors: namesOf(table.alive) };
}

/** True when it ended the game. */
async function playNight(table: Table): Promise<boolean> {
  const awake = table.alive;
  tell(awake, say.night);
  const victim = await wolvesChoose(table).catch((error: unknown) => {
    throw new BadGuyException('The werewolves chose no victim.', { cause: error });
  });
  tell(awake, say.witchTurn);
  const { killed, poisoned } = await witchDecides(table, victim);
  tell(awake, say.seerTurn);
  await seerLooks(table);
  // The poisoned hunter does not shoot.
  const hunter = ofRole(awake, 'hunter').find(({ name }) => name === killed && name !== poisoned);
  const shot = hunter && (await hunterShoots(table, hunter));

  const dead = [killed, poisoned, shot].filter((name) => name !== undefined);
  bury(table, dead);
  tell(awake, dead.length === 0 ? say.peaceful : say.died([...new Set(dead)]));
  if (killed !== undefined && table.round === 1) await lastWords(awake, killed);
  return winnerAmong(table.alive) !== undefined;
}

async function wolvesChoose({ alive }: Table): Promise<string> {
  const wolves = ofRole(alive, 'werewolf');
  const names = namesOf(alive);
  tell(wolves, say.wolvesDiscuss(namesOf(wolves), names));
  for (let turn = 1; turn <= discussionRounds * wolves.length; turn++) {
    const wolf = wolves[turn % wolves.length];
    if (wolf === undefined) break;
    const { statement, agreed } = await wolf.decide(discussQuestion);
    tell(wolves, statement, wolf);
    // Only the first wolf's word ends the discussion, when all have spoken.
    if (agreed && turn % wolves.length === 0) break;
  }
  tell(wolves, say.wolvesVote);
  const { elected, result } = await holdVote(wolves, names);
  tell(wolves, say.wolvesResult(result, elected));
  return elected;
}

/** Everyone votes before anyone hears how the others did. */
async function holdVote(
  voters: readonly Player[],
  names: readonly string[],
): Promise<{ elected: string; result: string }> {
  const ballots: { readonly voter: Player; readonly vote: string; readonly statement: string }[] = [];
  for (const voter of voters) ballots.push({ voter, ...(await voter.decide(voteQuestion(names))) });
  for (const { voter, vote, statement } of ballots) tell(voters, `I vote for ${vote}. ${statement}`, voter);
  const votes = ballots.map(({ vote }) => vote);
  const elected = majority(votes);
  if (elected === undefined) throw new Error('Nobody voted.');
  return { elected, result: showVotes(votes) };
}

async function witchDecides(
  table: Table,
  victim: string,
): Promise<{ killed: string | undefined; poisoned: string | undefined }> {
  const [witch] = ofRole(table.alive, 'witch');
  let killed: string | undefined = victim;
  let poisoned: string | undefined;
  if (witch === undefined) return { killed, poisoned };
  if (table.hasHealing && victim !== witch.name) {
    tell([witch], say.resurrect(victim));
    if (await witch.decide(resurrectQuestion)) {
      killed = undefined;
      table.hasHealing = false;
    }
  }
  // One potion a night.
  if (table.hasPoison && killed !== undefined) {
    tell([witch], say.poison);
    const { strikes, name } = await witch.decide(poisonQuestion(namesOf(table.alive)));
    poisoned = name;
    table.hasPoison = !strikes;
  }
  return { killed, poisoned };
}

async function seerLooks({ alive }: Table): Promise<void> {
  const [seer] = ofRole(alive, 'seer');
  if (seer === undefined) return;
  tell([seer], say.check);
  const name = await seer.decide(checkQuestion(namesOf(alive)));
  const checked = alive.find((player) => player.name === name);
  if (checked !== undefined) tell([seer], say.checked(name, checked.role));
}

async function hunterShoots({ alive }: Table, hunter: Player): Promise<string | undefined> {
  tell([hunter], say.shoot);
  return (await hunter.decide(shootQuestion(namesOf(alive)))).name;
}

/** True when it ended the game. */
async function playDay(table: Table): Promise<boolean> {
  const awake = table.alive;
  const names = namesOf(awake);
  tell(awake, say.discuss(names));
  for (const player of awake) tell(awake, await player.speak(), player);
  tell(awake, say.vote(names));
  const { elected, result } = await holdVote(awake, names);
  tell(awake, say.voteResult(result, elected));
  await lastWords(awake, elected);

  const hunter = ofRole(awake, 'hunter').find(({ name }) => name === elected);
  const shot = hunter && (await hunterShoots(table, hunter));
  if (shot !== undefined) tell(awake, say.shot(shot));
  bury(table, [elected, shot]);
  return winnerAmong(table.alive) !== undefined;
}

async function lastWords(hearers: readonly Player[], name: string): Promise<void> {
  const speaker = hearers.find((player) => player.name === name);
  if (speaker === undefined) return;
  tell(hearers, say.lastWords(name));
  tell(hearers, await speaker.speak(), speaker);
}

function bury(table: Table, dead: readonly (string | undefined)[]): void {
  table.alive = table.alive.filter(({ name }) => !dead.includes(name));
}
