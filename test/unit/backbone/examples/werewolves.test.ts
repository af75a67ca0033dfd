import { describe, expect, it, vi } from 'vitest';
import { BadGuyException, playGame } from '../../../../media/examples/werewolves/game.ts';
import {
  majority,
  roles,
  showVotes,
  winnerAmong,
  type Role,
} from '../../../../media/examples/werewolves/players.ts';
import { poisonQuestion, voteQuestion } from '../../../../media/examples/werewolves/questions.ts';
import { shuffle } from '../../../../media/examples/werewolves/shuffle.ts';
import { ExampleWerewolves } from '../../../../media/examples/werewolves/workflow.ts';
import type { AjetTuner, WorkflowTask } from '../../../../src/sdk/core/index.ts';
import { ScriptedPlayer, table } from './table.ts';

describe('the seats', () => {
  // Of np.random.seed(number); np.random.shuffle(roles), NumPy 2.4.6.
  it.each([
    [0, 'wi we we vi hu se vi we vi'],
    [1, 'hu we se wi we we vi vi vi'],
    [521, 'vi vi we vi we se hu wi we'],
    [737, 'wi we we hu we se vi vi vi'],
    [999, 'wi we vi se hu we vi vi we'],
  ])('are those that NumPy gives for %i', (seed, expected) => {
    const seats = [...roles];
    shuffle(seats, seed);
    expect(seats.map((role) => role.slice(0, 2)).join(' ')).toBe(expected);
  });

  it('are shuffled beyond the generator’s first block of words', () => {
    const numbers = Array.from({ length: 700 }, (_, number) => number);
    shuffle(numbers, 999);
    expect(numbers.slice(0, 8)).toEqual([252, 236, 451, 180, 622, 351, 605, 672]);
  });
});

describe('the winner', () => {
  it.each<[Role[], string | undefined]>([
    [['werewolf', 'villager', 'seer'], undefined],
    [['werewolf', 'villager'], 'werewolves'],
    [['werewolf', 'werewolf', 'villager', 'seer'], 'werewolves'],
    [['werewolf', 'werewolf', 'villager', 'seer', 'hunter'], undefined],
    [['villager'], 'village'],
  ])('among %j is %s', (alive, winner) => {
    expect(winnerAmong(alive.map((role, seat) => new ScriptedPlayer(`Player${seat + 1}`, role, {})))).toBe(
      winner,
    );
  });
});

describe('a vote', () => {
  it('goes to who has most, in a tie to who of them was named first', () => {
    expect(majority(['b', 'a', 'a'])).toBe('a');
    expect(majority(['b', 'a', 'a', 'c', 'b'])).toBe('b');
    expect(majority([])).toBeUndefined();
    expect(showVotes(['b', 'a', 'a'])).toBe('b: 1, a: 2');
  });

  it.each([
    ['Player3', 'Player3'],
    ['player 3, who lies', 'Player3'],
    [3, 'Player3'],
    ['Player9', 'Player2'],
    [null, 'Player2'],
  ])('for %j counts for %s', (vote, counted) => {
    expect(voteQuestion(['Player2', 'Player3']).read({ vote }).vote).toBe(counted);
  });
});

describe('poison', () => {
  it.each([
    [
      { poison: true, name: 'Player2' },
      { strikes: true, name: 'Player2' },
    ],
    [
      { poison: true, name: 'nobody' },
      { strikes: true, name: undefined },
    ],
    [
      { poison: false, name: 'Player2' },
      { strikes: false, name: undefined },
    ],
  ])('of %j is %j', (given, expected) => {
    expect(poisonQuestion(['Player2']).read(given)).toEqual(expected);
  });

  it('needs a yes or no', () => {
    expect(() => poisonQuestion(['Player2']).read({ poison: 'maybe' })).toThrow(
      '"poison" must be true or false',
    );
  });
});

describe('a game', () => {
  it('is the village’s when the last wolf is voted out', async () => {
    const players = table([
      { victim: 'Player4', votedOut: 'Player1' },
      { victim: 'Player5', votedOut: 'Player2' },
      { victim: 'Player6', votedOut: 'Player3' },
    ]);
    expect(await playGame(players)).toEqual({
      winner: 'village',
      rounds: 3,
      survivors: ['Player7', 'Player8', 'Player9'],
    });
  });

  it('ends at night when the wolves are half of the living', async () => {
    const players = table([
      { victim: 'Player4', votedOut: 'Player5' },
      { victim: 'Player6', votedOut: 'Player7' },
    ]);
    // Seven live after the first day, six after the second night: three wolves are enough.
    expect(await playGame(players)).toEqual({
      winner: 'werewolves',
      rounds: 2,
      survivors: ['Player1', 'Player2', 'Player3', 'Player7', 'Player8', 'Player9'],
    });
  });

  it('cannot go on without a victim', async () => {
    const players = table([{ votedOut: 'Player1' }]);
    const [, wolf] = players;
    if (wolf !== undefined) wolf.decide = () => Promise.reject(new Error('says nothing'));
    await expect(playGame(players)).rejects.toThrow(BadGuyException);
  });

  it('spends each potion once, and one in a night', async () => {
    const players = table([
      { victim: 'Player4', resurrect: true, poison: 'Player1', votedOut: 'Player5' },
      { victim: 'Player4', resurrect: true, poison: 'Player1', votedOut: 'Player2' },
      { victim: 'Player6', poison: 'Player3', votedOut: 'Player3' },
    ]);
    const result = await playGame(players);
    // Saved, then killed; the wolf poisoned on the second night, since the first night's potion was the other.
    expect(result).toEqual({ winner: 'village', rounds: 3, survivors: ['Player7', 'Player8', 'Player9'] });
    expect(players[7]?.asked.filter((question) => /resurrect|poison/.test(question))).toEqual([
      'resurrect',
      'poison',
    ]);
  });

  it('does not let the witch save herself, but poison', async () => {
    const players = table([
      { victim: 'Player8', poison: 'Player1', votedOut: 'Player2' },
      { victim: 'Player4', votedOut: 'Player3' },
    ]);
    expect((await playGame(players)).winner).toBe('village');
    expect(players[7]?.asked.filter((question) => /resurrect|poison/.test(question))).toEqual(['poison']);
  });

  it('gives the hunter a shot when the wolves or the vote take him, not when poison does', async () => {
    const killed = table([
      { victim: 'Player9', shot: 'Player1', votedOut: 'Player2' },
      { victim: 'Player4', votedOut: 'Player3' },
    ]);
    expect((await playGame(killed)).survivors).not.toContain('Player1');
    expect(killed[8]?.asked).toContain('shoot');

    const votedOut = table([
      { victim: 'Player4', votedOut: 'Player9', shot: 'Player1' },
      { victim: 'Player5', votedOut: 'Player2' },
      { victim: 'Player6', votedOut: 'Player3' },
    ]);
    expect((await playGame(votedOut)).survivors).not.toContain('Player1');
    expect(votedOut[6]?.heard).toContain('Moderator: The hunter takes Player1 along.');

    const poisoned = table([
      { victim: 'Player9', poison: 'Player9', votedOut: 'Player1' },
      { victim: 'Player4', votedOut: 'Player2' },
      { victim: 'Player5', votedOut: 'Player3' },
    ]);
    await playGame(poisoned);
    expect(poisoned[8]?.asked).not.toContain('shoot');
  });

  it('lets everyone hear only what is theirs', async () => {
    const players = table([{ victim: 'Player4', votedOut: 'Player5' }, { victim: 'Player6' }]);
    await playGame(players);
    for (const { name, role, heard } of players) {
      const tags = new Set(heard.flatMap((text) => /^Moderator: \[(.*?) ONLY\]/.exec(text)?.[1] ?? []));
      const own: Partial<Record<Role, string>> = { werewolf: 'WEREWOLVES', witch: 'WITCH', seer: 'SEER' };
      expect([...tags].sort()).toEqual([name, own[role] ?? []].flat().sort());
    }
    const of = (name: string): string[] => players.find((player) => player.name === name)?.heard ?? [];
    expect(of('Player2').filter((text) => text.startsWith('Player1: secret'))).toHaveLength(2);
    expect(of('Player1').filter((text) => text.startsWith('Player1: '))).toEqual([]);
    expect(of('Player7')).toContain('Moderator: [SEER ONLY] Player1 is a werewolf.');
    expect(of('Player5')).toContain('Player4: words of Player4');
  });

  it('hears the last words of the first night’s victim only', async () => {
    const players = table([
      { victim: 'Player4', votedOut: 'Player1' },
      { victim: 'Player5', votedOut: 'Player2' },
      { victim: 'Player6', votedOut: 'Player3' },
    ]);
    await playGame(players);
    expect(players[3]?.asked.filter((question) => question === 'speak')).toHaveLength(1);
    expect(players[4]?.asked.filter((question) => question === 'speak')).toHaveLength(1);
    expect(players[6]?.heard).toContain(
      'Moderator: Player4, you are eliminated. Your last words to the others?',
    );
    expect(players[6]?.heard).not.toContain(
      'Moderator: Player5, you are eliminated. Your last words to the others?',
    );
  });

  it('has the wolves talk twice at most, and less when the first agrees', async () => {
    const stubborn = { discuss: () => ({ reach_agreement: false }) };
    const names = ['Player1', 'Player2', 'Player3'];
    const rounds = [{ victim: 'Player4', votedOut: 'Player5' }, { victim: 'Player6' }];
    const never = table(rounds, Object.fromEntries(names.map((name) => [name, stubborn])));
    await playGame(never);
    const talks = (player?: ScriptedPlayer): number =>
      player?.asked.filter((question) => question === 'discuss').length ?? 0;
    expect(never.slice(0, 3).map(talks)).toEqual([4, 4, 4]);
    const oneDoubts = table(rounds, { Player2: stubborn });
    await playGame(oneDoubts);
    expect(oneDoubts.slice(0, 3).map(talks)).toEqual([2, 2, 2]);
  });
});

interface Asked {
  readonly target: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tool:
    | {
        readonly name: string;
        readonly parameters: { properties: Record<string, { type?: string; enum?: string[] }> };
      }
    | undefined;
}

/** Gives the arguments of the call; undefined: the model answers in words. */
type Model = (asked: Asked) => Record<string, unknown> | undefined;

/** Names the first of those on offer, and says no to what can be answered so. */
const firstName: Model = ({ tool }) =>
  Object.fromEntries(
    Object.entries(tool?.parameters.properties ?? {}).map(([name, { type, enum: names }]) => [
      name,
      type === 'boolean' ? false : (names?.[0] ?? 'because'),
    ]),
  );

function tunerOf(model: Model): { tuner: AjetTuner; agents: Record<string, unknown>[]; asked: Asked[] } {
  const agents: Record<string, unknown>[] = [];
  const asked: Asked[] = [];
  const asOpenAIClient = (agent: Record<string, unknown>): unknown => {
    agents.push(agent);
    const create = (request: {
      messages: Asked['messages'];
      tools?: { function: Asked['tool'] }[];
    }): unknown => {
      const tool = request.tools?.[0]?.function;
      const one: Asked = { target: String(agent['targetTag']), messages: [...request.messages], tool };
      asked.push(one);
      const given = tool && model(one);
      const call = { id: `call_${asked.length}`, type: 'function' };
      const calls = given && [{ ...call, function: { name: tool.name, arguments: JSON.stringify(given) } }];
      const message = { role: 'assistant', content: calls ? null : 'words', tool_calls: calls };
      return Promise.resolve({ choices: [{ message }] });
    };
    return { chat: { completions: { create } } };
  };
  return { tuner: { asOpenAIClient } as unknown as AjetTuner, agents, asked };
}

const task = { task: { metadata: { random_number: 521 } } } as unknown as WorkflowTask;
const village = ['villager', 'seer', 'witch', 'hunter'];

function play(targets: readonly string[] | null, model: Model = firstName) {
  const workflow = new ExampleWerewolves();
  workflow.trainableTargets = targets;
  const tuned = tunerOf(model);
  return { ...tuned, output: workflow.execute(task, tuned.tuner) };
}

describe('the workflow', () => {
  it('gives each player its role as target, and the debug model for when that is not trained', async () => {
    const { agents, output } = play(['werewolf']);
    await output;
    expect(agents).toMatchObject([
      { agentName: 'Player1', targetTag: 'villager', debugModel: 'gpt-4o' },
      { agentName: 'Player2', targetTag: 'villager' },
      { agentName: 'Player3', targetTag: 'werewolf' },
      { agentName: 'Player4', targetTag: 'villager' },
      { agentName: 'Player5', targetTag: 'werewolf' },
      { agentName: 'Player6', targetTag: 'seer' },
      { agentName: 'Player7', targetTag: 'hunter' },
      { agentName: 'Player8', targetTag: 'witch' },
      { agentName: 'Player9', targetTag: 'werewolf' },
    ]);
  });

  it('rewards the side that is trained for its own win', async () => {
    // Player1, Player2 and Player4, all villagers, are the first of those alive.
    expect(await play(['werewolf']).output).toMatchObject({
      reward: 1,
      isSuccess: true,
      metadata: { winner: 'werewolves' },
    });
    expect(await play(village).output).toMatchObject({ reward: 0, isSuccess: false });
    expect(await play(['seer']).output).toMatchObject({ reward: 0, isSuccess: false });
  });

  it.each([
    ['a wolf', 'werewolf', 'BadGuyException: The werewolves chose no victim.'],
    ['the seer', 'seer', 'Error: Player6 gave no usable answer to "check" in 5 tries: it called no tool'],
  ])('takes 0.1 off when %s gives no answer', async (_, silent, error) => {
    const told = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { output, asked } = play(['werewolf'], (one) =>
      one.target === silent ? undefined : firstName(one),
    );
    expect(await output).toEqual({ reward: -0.1, isSuccess: false, metadata: { error } });
    expect(told).toHaveBeenCalledOnce();
    told.mockRestore();
    // Of a trained role three tries are taken, of another five.
    expect(asked.filter(({ target }) => target === silent)).toHaveLength(silent === 'werewolf' ? 3 : 5);
  });

  it('tells a player what was wrong with its answer, and takes the next', async () => {
    let isFirst = true;
    const { output, asked } = play(['werewolf'], (one) => {
      if (one.tool?.name !== 'discuss' || !isFirst) return firstName(one);
      isFirst = false;
      return { reach_agreement: 'perhaps' };
    });
    expect(await output).toMatchObject({ reward: 1 });
    expect(asked[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'Error: "reach_agreement" must be true or false.',
    });
  });

  it.each([
    [null, 'must name the side'],
    [[], 'must name the side'],
    [['werewolf', 'seer'], 'train one side'],
    [['seer', 'werewolf'], 'train one side'],
  ])('trains one side: not %j', async (targets, message) => {
    await expect(play(targets).output).rejects.toThrow(message);
  });
});
