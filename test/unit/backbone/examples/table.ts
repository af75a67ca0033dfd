import type { Player, Role } from '../../../../media/examples/werewolves/players.ts';
import type { Question } from '../../../../media/examples/werewolves/questions.ts';

/** What a player of a script sends: by the tool's name the arguments, or what makes them from the names on offer. */
export type Script = Readonly<Record<string, (round: number) => Readonly<Record<string, unknown>>>>;

/** A player that sends what a script says; what it has heard can be looked at. */
export class ScriptedPlayer implements Player {
  readonly heard: string[] = [];
  readonly asked: string[] = [];
  readonly name: string;
  readonly role: Role;
  readonly #script: Script;

  constructor(name: string, role: Role, script: Script) {
    this.name = name;
    this.role = role;
    this.#script = script;
  }

  hear(text: string): void {
    this.heard.push(text);
  }

  speak(): Promise<string> {
    this.asked.push('speak');
    return Promise.resolve(`words of ${this.name}`);
  }

  decide<Answer>(question: Question<Answer>): Promise<Answer> {
    const { name } = question.tool.function;
    this.asked.push(name);
    const round = this.heard.filter((text) => text.startsWith('Moderator: Night falls')).length;
    const given = this.#script[name]?.(round);
    if (given === undefined) return Promise.reject(new Error(`${this.name} has no answer to ${name}.`));
    return Promise.resolve(question.read({ statement: `secret of ${this.name}`, ...given }));
  }
}

/** Player1 to Player3 are the wolves, Player4 to Player6 villagers, Player7 the seer, Player8 the witch, Player9 the hunter. */
const seats: readonly Role[] = [
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

export interface Night {
  readonly victim?: string;
  readonly resurrect?: boolean;
  readonly poison?: string | null;
  readonly votedOut?: string;
  readonly shot?: string | null;
}

/** Nine players for whom each round goes as told; `own` answers win over these. */
export function table(
  rounds: readonly Night[],
  own: Readonly<Record<string, Script>> = {},
): ScriptedPlayer[] {
  const of = (round: number): Night => rounds[round - 1] ?? {};
  return seats.map((role, seat) => {
    const name = `Player${seat + 1}`;
    let votes = 0;
    const script: Script = {
      discuss: () => ({ reach_agreement: true }),
      vote: (round) => {
        const { victim, votedOut } = of(round);
        // A wolf votes twice a round: first at night.
        const atNight = role === 'werewolf' && votes++ % 2 === 0;
        return { vote: (atNight ? victim : votedOut) ?? 'nobody' };
      },
      resurrect: (round) => ({ resurrect: of(round).resurrect ?? false }),
      poison: (round) => {
        const { poison } = of(round);
        return { poison: poison !== undefined, name: poison ?? null };
      },
      check: () => ({ name: 'Player1' }),
      shoot: (round) => {
        const { shot } = of(round);
        return { shoot: shot !== undefined, name: shot ?? null };
      },
    };
    return new ScriptedPlayer(name, role, { ...script, ...own[name] });
  });
}
