/**
 * The questions that want more than words. Each is a tool of its own: its schema tells the model what to decide, and
 * its arguments are the answer.
 */
export interface Question<Answer> {
  readonly tool: AnswerTool;
  /** Throws an Error that says what the model should have sent. */
  readonly read: (given: Readonly<Record<string, unknown>>) => Answer;
}

export interface AnswerTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

/** What is said aloud beside a decision, to those who hear it. */
interface Said {
  readonly statement: string;
}

export const discussQuestion: Question<Said & { readonly agreed: boolean }> = {
  tool: answerTool('discuss', 'Says something to the other werewolves.', {
    reach_agreement: { type: 'boolean', description: 'Whether the werewolves agree on a victim.' },
  }),
  read: (given) => ({ statement: statementIn(given), agreed: yesOrNo(given, 'reach_agreement') }),
};

export function voteQuestion(names: readonly string[]): Question<Said & { readonly vote: string }> {
  return {
    tool: answerTool('vote', 'Votes for a player.', {
      vote: { type: 'string', enum: names, description: 'Who is to be eliminated.' },
    }),
    read: (given) => ({ statement: statementIn(given), vote: someone(given['vote'], names) }),
  };
}

export const resurrectQuestion: Question<boolean> = {
  tool: answerTool('resurrect', 'Decides on the healing potion.', {
    resurrect: { type: 'boolean', description: 'Whether to save the victim.' },
  }),
  read: (given) => yesOrNo(given, 'resurrect'),
};

export function checkQuestion(names: readonly string[]): Question<string> {
  return {
    tool: answerTool('check', 'Looks at the role of a player.', {
      name: { type: 'string', enum: names, description: 'Whose role to look at.' },
    }),
    read: (given) => someone(given['name'], names),
  };
}

/** The poison is used up by a yes, even one that names nobody. */
export interface Strike {
  readonly strikes: boolean;
  readonly name: string | undefined;
}

export function poisonQuestion(names: readonly string[]): Question<Strike> {
  return strikeQuestion('poison', 'Decides on the poison.', names);
}

export function shootQuestion(names: readonly string[]): Question<Strike> {
  return strikeQuestion('shoot', 'Decides on the shot.', names);
}

function strikeQuestion(verb: string, description: string, names: readonly string[]): Question<Strike> {
  return {
    tool: answerTool(verb, description, {
      [verb]: { type: 'boolean', description: `Whether to ${verb} a player.` },
      name: {
        anyOf: [{ type: 'string', enum: names }, { type: 'null' }],
        description: `Whom to ${verb}; null for nobody.`,
      },
    }),
    read: (given) => {
      const strikes = yesOrNo(given, verb);
      return { strikes, name: strikes ? nameAmong(given['name'], names) : undefined };
    },
  };
}

function answerTool(name: string, description: string, decision: Record<string, object>): AnswerTool {
  const statement = { type: 'string', maxLength: 80, description: 'Your reason, in one sentence.' };
  const properties = { statement, ...decision };
  const required = Object.keys(properties);
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: { type: 'object', properties, required, additionalProperties: false },
    },
  };
}

function statementIn(given: Readonly<Record<string, unknown>>): string {
  const { statement } = given;
  return typeof statement === 'string' ? statement : '';
}

function yesOrNo(given: Readonly<Record<string, unknown>>, property: string): boolean {
  const value = given[property];
  if (typeof value !== 'boolean') throw new Error(`"${property}" must be true or false.`);
  return value;
}

/** Who is meant; where that is nobody at the table, the first who is, since the game has to go on. */
function someone(value: unknown, names: readonly string[]): string {
  const name = nameAmong(value, names) ?? names[0];
  if (name === undefined) throw new Error('There is nobody to choose from.');
  return name;
}

/** Models write "player 3", "Player3 (the seer)" or 3 as well. */
function nameAmong(value: unknown, names: readonly string[]): string | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (names.includes(text)) return text;
  const number = /\d+/.exec(text)?.[0];
  return number === undefined ? undefined : names.find((name) => /\d+/.exec(name)?.[0] === number);
}
