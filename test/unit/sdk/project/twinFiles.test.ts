import { expect, it } from 'vitest';
import { sharedWithPython } from '../../../../src/sdk/node/project/copy.ts';

it.each([
  [
    'data and scripts are shared, namesakes are not',
    ['README.md', 'workflow.py'],
    ['README.md', 'workflow.ts', 'data/a.jsonl', 'solver.ts'],
    ['data/a.jsonl', 'solver.ts'],
  ],
  ['a namesake may be spelt in either way', ['llm_player.py'], ['llmPlayer.ts', 'player.ts'], ['player.ts']],
  [
    'a namesake lies in the same folder',
    ['workflow.py', '.vscode/tasks.json'],
    ['data/workflow.json', '.vscode/tasks.json', '.vscode/launch.json'],
    ['data/workflow.json', '.vscode/launch.json'],
  ],
  [
    'what serves scripts goes with them',
    ['a.py'],
    ['a.ts', 'package.json', 'tsconfig.json', 'data/t.jsonl'],
    ['data/t.jsonl'],
  ],
  [
    'and stays with them',
    ['a.py'],
    ['a.ts', 'make.mjs', 'package.json', 'tsconfig.json'],
    ['make.mjs', 'package.json', 'tsconfig.json'],
  ],
])('%s', (_, own, other, shared) => {
  expect(sharedWithPython(own, other)).toEqual(shared);
});
