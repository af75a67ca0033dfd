import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../../src/configs/core/dialect.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { LineMap } from '../../../src/configs/core/text.ts';
import { fuzz } from '../fuzz.ts';
import { complete } from './caret.ts';
import { cpuTime } from '../cpuTime.ts';

const base = [
  'ajet:',
  '  project_name: "x ${oc.env:A,b}" # note',
  '  rollout: {num_repeat: 4, val_kwargs: {top_p: 1.0}}',
  '  task_reader:',
  '    type: jsonl_dataset_file',
  '    feedback_tracing:',
  '      filters:',
  '        - type: deduplication',
  "          params: {db_path: 'a#b', limits: [1, {x: 2}]}",
  'trinity: &t',
  '  buffer:',
  '    trainer_input:',
  '      auxiliary_buffers: {a: {path: x}}',
  'explorer: *t',
  'text: |',
  '  ajet:',
].join('\n');

/** The text with some of its characters replaced, and an offset in it. */
const damaged = fc
  .array(
    fc.record({
      at: fc.nat(base.length),
      length: fc.nat(12),
      put: fc.constantFrom(
        '',
        '{',
        '}',
        '[',
        ']',
        '"',
        "'",
        ': ',
        '\n',
        '\r\n',
        '\t',
        '- ',
        '${',
        '#',
        '\u2028',
        '\ud83d',
        '&a ',
        '*a',
      ),
    }),
    { maxLength: 5 },
  )
  .map((cuts) =>
    cuts.reduce((text, { at, length, put }) => text.slice(0, at) + put + text.slice(at + length), base),
  )
  .chain((text) => fc.record({ text: fc.constant(text), offset: fc.nat(text.length) }));

describe('texts that are broken anyhow', () => {
  it('are completed without an error, and within the text', () => {
    fc.assert(
      fc.property(damaged, ({ text, offset }) => {
        const document = parseConfig(text);
        for (const dialect of dialects) {
          for (const { edit } of complete(document, offset, dialect.keys())) {
            expect(edit.span.start).toBeLessThanOrEqual(offset);
            expect(edit.span.end).toBeGreaterThanOrEqual(offset);
            expect(text.slice(edit.span.start, edit.span.end)).not.toMatch(/[\r\n]/);
          }
        }
      }),
      fuzz(20_261, 4000),
    );
  });

  it('are completed where an open brace runs into the keys below', () => {
    const text = 'ajet:\n  rollout: {num_repeat:\n  task_reader:\n    type: x\n    jsonl';
    const offers = complete(parseConfig(text), text.length, dialects[0].keys());
    const written = offers.map(({ edit }) => text.slice(edit.span.start, edit.span.end));
    expect(new Set(written)).toEqual(new Set(['jsonl']));
    expect(offers.map(({ label }) => label)).toContain('jsonl_dataset_file');
  });

  it('cost little however long a line is', () => {
    const started = cpuTime();
    for (const filling of ['{', '[', '"', '- ', 'a: {', '${', ' ', '#', "'a", ',', '\\', ' #x']) {
      for (const key of ['', 'rollout: ']) {
        const text = `ajet:\n  ${key}${filling.repeat(40_000)}`;
        complete({ text, lines: new LineMap(text) }, text.length, dialects[0].keys());
      }
    }
    // Less than a second on a machine that does nothing else; quadratic costs would be minutes.
    expect(cpuTime() - started).toBeLessThan(10_000);
  });
});
