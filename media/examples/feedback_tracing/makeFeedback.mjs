/**
 * Writes data/studio.sqlite: what AgentScope Studio would have traced while a math agent was in use. The file exists;
 * run this (`npm run feedback`) after a change of the conversations.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** The users' questions and the deployed agent's replies. Its prompt asks it to end with the result after `####`. */
const conversations = [
  [
    'Anna has 12 marbles and finds 9 more. What is 12 + 9?',
    'Together they are 12 + 9 = 21 marbles. \\boxed{21}\n#### 21',
  ],
  [
    'A pencil costs $2 and a ruler costs $3. Tom buys 4 pencils and 2 rulers. What is 4 * 2 + 2 * 3?',
    'Pencils: 4 * 2 = 8. Rulers: 2 * 3 = 6. Together 8 + 6 = 14. \\boxed{14}\n#### 14',
  ],
  [
    'There are 6 rows of trees in an orchard with 15 trees in each row. What is 6 * 15?',
    'There are 6 * 15 = 90 trees. \\boxed{90}\n#### 90',
  ],
  [
    'Lea reads 20 pages every day. Her book has 240 pages. What is 240 / 20?',
    'She needs 240 / 20 = 12 days. \\boxed{12}\n#### 12',
  ],
  // The question above in nearly the same words.
  [
    'Lea reads 20 pages each day. Her book has 240 pages. What is 240 / 20?',
    'It takes her 240 / 20 = 12 days. \\boxed{12}\n#### 12',
  ],
  // Right, and in a box, but without `####`: the whole text becomes the reference.
  [
    'A train drives at 80 miles per hour for 3 hours. What is 80 * 3?',
    'It travels 80 * 3 = 240 miles, so the answer is \\boxed{240}.',
  ],
  // Wrong.
  [
    'Five friends share 65 cherries equally. What is 65 / 5?',
    'Each of them gets 65 / 5 = 15 cherries. \\boxed{15}\n#### 15',
  ],
  // No result.
  [
    'How many stars are there in the sky?',
    'That is hard to say. Could you tell me which part of the sky you mean?',
  ],
  [
    'Max picked 30 pears and gave 11 of them to his aunt. What is 30 - 11?',
    'He has 30 - 11 = 19 pears left. \\boxed{19}\n#### 19',
  ],
  [
    'A baker made 4 dozen buns. She sold 29 of them. What is 4 * 12 - 29?',
    'Made: 4 * 12 = 48. Left: 48 - 29 = 19. \\boxed{19}\n#### 19',
  ],
  [
    'Rosa earns $14 per hour. She works for 8 hours. What is 14 * 8?',
    'She earns 14 * 8 = 112 dollars. \\boxed{112}\n#### 112',
  ],
  [
    'A garden is 9 meters long and 5 meters wide. How long is the fence around it? What is 2 * (9 + 5)?',
    'The perimeter is 2 * (9 + 5) = 28 meters. \\boxed{28}\n#### 28',
  ],
];

const file = new URL('data/studio.sqlite', import.meta.url);
mkdirSync(new URL('.', file), { recursive: true });
rmSync(file, { force: true });
const database = new DatabaseSync(file);
database.exec(
  'CREATE TABLE span_table (id INTEGER PRIMARY KEY, name TEXT NOT NULL, attributes TEXT NOT NULL)',
);
const insert = database.prepare('INSERT INTO span_table (name, attributes) VALUES (?, ?)');
for (const [question, reply] of conversations) {
  // A reply has other spans inside it, which the reader leaves alone.
  insert.run('OpenAIChatModel.__call__', JSON.stringify({ input: {}, output: {} }));
  insert.run('ReActAgent.reply', JSON.stringify(spanOf(question, reply)));
}
database.close();
console.log(`${conversations.length} conversations are in ${file.pathname}`);

/** Messages are traced as Python prints them. */
function spanOf(question, reply) {
  const asked = `Msg(name='user', content=${pythonText(question)}, role='user', metadata=None)`;
  const blocks = `[{'type': 'text', 'text': ${pythonText(reply)}}]`;
  return {
    input: { args: [], kwargs: { msg: asked } },
    output: `Msg(name='solver', content=${blocks}, role='assistant', metadata=None)`,
  };
}

/** In single quotes. A text with both kinds of quotes would end training: the reader's patterns do not know them. */
function pythonText(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
