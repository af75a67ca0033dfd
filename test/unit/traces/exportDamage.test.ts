/** Exports of damaged traces: what can be read is written as it was, and what is missing is said. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { Random } from '../../../src/base/core/random.ts';
import { exportTrace } from '../../../src/traces/node/export/exportFile.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { ExportNote } from '../../../src/traces/core/export/exportTrace.ts';
import { exportFormats, type ExportFormat } from '../../../src/traces/core/export/formats.ts';
import { generateTrace, runOf, smallTrace } from '../../tools/traces/generateTrace.ts';
import { fuzz } from '../fuzz.ts';
import { temporaryFolder } from './folder.ts';

const size = { ...smallTrace, episodes: 8, repeat: 4, calls: 4, tokens: 40 };
const pageSize = 2_048;

function wholeTrace(): string {
  const writer = openTraceWriter(path.join(temporaryFolder(), 'whole.ajtrace'), runOf(size));
  generateTrace(writer, size);
  writer.runEnded({ status: 'completed', error: null, endedAt: 1_790_000_009_000 });
  return writer.file;
}

function fileOf(bytes: Buffer): string {
  const file = path.join(temporaryFolder(), 'damaged.ajtrace');
  writeFileSync(file, bytes);
  return file;
}

async function exported(
  trace: string,
  format: ExportFormat,
): Promise<{ readonly note: ExportNote; readonly text: string }> {
  const out = path.join(temporaryFolder(), 'out');
  const redaction = { texts: false, patterns: [] };
  const note = await exportTrace(trace, out, { format, redaction, cancellation: neverCancelled });
  return { note, text: readFileSync(out, 'utf8') };
}

interface Line {
  readonly episode: number;
  readonly missing?: readonly string[];
}

/** Lines of JSON by episode, without what depends on the others of its group. */
function linesOf(text: string): ReadonlyMap<number, { readonly line: Line; readonly own: string }> {
  const ofGroup = ['advantage', 'trains', 'findings'];
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((json) => {
      const line = JSON.parse(json, (key, value: unknown) =>
        ofGroup.includes(key) ? undefined : value,
      ) as Line;
      return [line.episode, { line, own: JSON.stringify(line) }];
    }),
  );
}

describe('an export of a damaged trace', () => {
  it('has the episodes that can be read as they were, and says what of the others is missing', async () => {
    const trace = wholeTrace();
    const whole = readFileSync(trace);
    const before = linesOf((await exported(trace, 'jsonl')).text);
    const random = new Random('exports of damage');
    const { numRuns } = fuzz(5, 60);
    let written = 0;
    for (let run = 0; run < numRuns; run++) {
      const bytes =
        run % 2 === 0 ? whole.subarray(0, Math.floor(whole.length * random.next())) : Buffer.from(whole);
      if (run % 2 === 1) {
        const at = random.below(whole.length / pageSize) * pageSize;
        for (let byte = at; byte < at + pageSize; byte++) bytes[byte] = random.below(256);
      }
      const outcome = await exported(fileOf(bytes), 'jsonl').catch((error: unknown) => {
        expect(error).toMatchObject({
          name: 'CodedError',
          code: expect.stringMatching(/^trace\//) as string,
        });
        return undefined;
      });
      if (outcome === undefined) continue;
      written += 1;
      const { note, text } = outcome;
      const after = linesOf(text);
      expect(note.episodes).toBe(after.size);
      const cut = [...after.values()].filter(({ line }) => line.missing !== undefined);
      expect(note.incomplete).toBe(cut.length);
      const differing = [...after].filter(([episode, { own }]) => before.get(episode)?.own !== own);
      if (after.size < before.size || differing.length > 0) expect(note.damage).not.toBeNull();
    }
    expect(written / numRuns).toBeGreaterThan(0.6);
  });

  it.each(exportFormats)('as %s says what is missing of an episode', async (format) => {
    const trace = wholeTrace();
    const database = new DatabaseSync(trace);
    database.exec(
      'DELETE FROM callDetails WHERE key >> 20 = 3; DELETE FROM messageContents WHERE key >> 20 = 3',
    );
    database.close();
    const { note, text } = await exported(trace, format);
    expect(note).toMatchObject({ episodes: 8, incomplete: 1 });
    if (format === 'html') expect(text).toContain('The trace is damaged, and this is missing: call 0');
    else {
      const named = text.split('\n').filter((line) => line.includes('missing'));
      expect(named).toHaveLength(1);
      expect(named[0]).toContain('call 0');
    }
    if (format === 'chrome') expect(() => void JSON.parse(text)).not.toThrow();
  });
});
