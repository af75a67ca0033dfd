import { expect, test } from 'vitest';
import { summaryText } from '../../../../src/traces/cli/traceSummary.ts';
import { openTraceReader } from '../../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../../src/traces/node/store/openWriter.ts';
import type { DamageView } from '../../../../src/traces/core/protocol/runRpc.ts';
import { temporaryFolder } from '../folder.ts';
import { aRun } from '../samples.ts';

/** What is printed of a run whose file is damaged so. */
function summaryOf(damage?: DamageView): readonly string[] {
  const file = `${temporaryFolder()}/run.ajtrace`;
  const run = aRun();
  openTraceWriter(file, run).runEnded({ status: 'completed', error: null, endedAt: run.startedAt });
  const reader = openTraceReader(file);
  try {
    return summaryText(
      { ...reader.read((views) => views.run()), damage },
      reader.read((views) => views.summary()),
    ).split('\n');
  } finally {
    reader.close();
  }
}

test('what of a damaged file is missing is told', () => {
  const damage = { run: true, tokens: true, lost: 3, incomplete: 2, episodes: [4, 9] };
  expect(summaryOf(damage).slice(-6)).toEqual([
    'the file is damaged; this summary covers its readable part:',
    '  Facts about the run are lost.',
    '  Texts of tokens are lost. These tokens only have their ids.',
    '  3 episodes are lost.',
    '  These episodes may be incomplete: 4, 9.',
    '',
  ]);
  const many = Array.from({ length: 30 }, (_, episode) => episode);
  const part = { run: false, tokens: false, lost: 0, incomplete: 500, episodes: many };
  expect(summaryOf(part).at(-2)).toBe(
    `  500 episodes may be incomplete, the first of them: ${many.slice(0, 20).join(', ')}.`,
  );
});

test('a whole file says nothing of damage', () => {
  expect(summaryOf().join('\n')).not.toMatch(/damaged|lost/);
});
