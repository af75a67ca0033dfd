/** What AgentJet's own code makes of documents, cache keys and replies; test/tools/vectors/datagen.py asks it. */
import path from 'node:path';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chunksOf, cacheOf } from '../../../../src/backbone/core/task-reader/generation/documents.ts';
import { questionsIn } from '../../../../src/backbone/core/task-reader/generation/generationReader.ts';
import { cacheText } from '../../../../src/backbone/core/task-reader/generation/settings.ts';
import { composeText } from '../../configs/memoryFiles.ts';
import { Random } from '../../tracking/tokenizer/strings.ts';

interface Cases {
  readonly parts: readonly string[];
  readonly configs: readonly string[];
  readonly replies: readonly string[];
}

interface Vectors {
  readonly chunks: readonly string[];
  readonly parseCaches: readonly string[];
  readonly keys: readonly string[];
  readonly questions: readonly string[];
}

const root = path.join(import.meta.dirname, '../../..');
const load = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const cases = load('tools/vectors/datagen.json') as Cases;
const vectors = load('fixtures/datagen/datagen.json') as Vectors;

function textOf(number: number): string {
  const random = new Random(number);
  return Array.from({ length: random.below(40) }, () => random.choose(cases.parts)).join('');
}

function fingerprint(chunks: readonly string[]): string {
  let state = chunks.length;
  for (const character of Array.from(chunks.join('\0'))) {
    state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  }
  return state.toString(16).padStart(8, '0');
}

describe('generation as AgentJet', () => {
  it('cuts 2,000 texts by sentence, paragraph and character', () => {
    const expected = vectors.chunks.join('').match(/.{8}/g) ?? [];
    expect(expected).toHaveLength(2_000);
    const different = expected.flatMap((print, number) => {
      const random = new Random(number + 1_000_000);
      const size = random.choose([1, 7, 20, 50, 200]);
      const splitBy = random.choose(['sentence', 'paragraph', 'character']);
      const chunks = chunksOf(textOf(number), size, splitBy);
      return fingerprint(chunks) === print ? [] : [{ number, size, splitBy, text: textOf(number), chunks }];
    });
    expect(different.slice(0, 3)).toEqual([]);
  });

  it('names the parse cache of a document', () => {
    const sha = '0123456789abcdef'.repeat(4);
    const names = [
      cacheOf(
        '/d/paper.v2.pdf',
        sha,
        { languages: ['eng'], chunkSize: 5120, splitBy: 'sentence' },
        path.posix,
      ),
      cacheOf(
        '/d/notes',
        sha,
        { languages: ['zho', 'eng'], chunkSize: 100, splitBy: 'paragraph' },
        path.posix,
      ),
      cacheOf('/d/.hidden', sha, { languages: [], chunkSize: 0, splitBy: 'character' }, path.posix),
    ];
    expect(names).toEqual(vectors.parseCaches);
  });

  it.each(cases.configs.map((changes, at) => [changes, vectors.keys[at] ?? ''] as const))(
    'names the cache of the tasks of %s',
    async (changes, expected) => {
      const { config } = await composeText(`ajet:
  task_reader:
    type: data_generation
    data_generation: ${changes}
`);
      const key = createHash('md5').update(cacheText(config)).digest('hex').slice(0, 8);
      expect(`generated_train_tasks_${key}.jsonl`).toBe(expected);
    },
  );

  it.each(cases.replies.map((reply, at) => [reply, vectors.questions[at] ?? ''] as const))(
    'reads the questions in %j',
    (reply, expected) => {
      const read = (): unknown => {
        try {
          return questionsIn(reply, { docId: 'doc' });
        } catch {
          return null; // left out, as there
        }
      };
      expect(read()).toEqual(JSON.parse(expected));
    },
  );
});
