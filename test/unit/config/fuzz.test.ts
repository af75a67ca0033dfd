import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../../../src/config/complete.ts';
import { diagnose } from '../../../src/config/diagnose.ts';
import { findLocators } from '../../../src/config/findLocators.ts';
import { hover } from '../../../src/config/hover.ts';
import { isAgentJetConfig } from '../../../src/config/isAgentJetConfig.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { applyEdits } from '../../../src/config/text.ts';
import { composeText } from './memoryFiles.ts';
import { fuzz } from '../fuzz.ts';

const good = `# experiment
ajet:
  project_name: "fuzz"
  base: &base {temperature: 1.0, top_p: 1}
  task_reader:
    type: tracing
    feedback_tracing:
      filters:
        - type: llm_evaluate
          params:
            custom_rubrics: |
              One: two
              - three
        - <<: *base
          enabled: true
  rollout:
    <<: *base
    user_workflow: 'workflow.ts->W'
    num_repeat: \${ajet.debug.debug_max_parallel}
    compute_madness_checklist:
    - nonsense
    - "wrong_toolcall"
  debug: {debug_max_parallel: 4}
  model:
    path: \${oc.env:MODEL,\${ajet.project_name}/\${.name}}
hydra:
  searchpath:
    - file://ajet/default_config
defaults:
  - ajet_default
  - _self_
`;

const snippets = [
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ':',
  ': ',
  '- ',
  '\t',
  '\n',
  '\r\n',
  '&a ',
  '*a',
  '*base',
  '<<: ',
  '${',
  '}}',
  '{{',
  '#',
  '|',
  '>',
  '!!int ',
  '? ',
  '%',
  '---\n',
  '\u0000',
  '\ufeff',
  '\ud800',
  'é',
  '  ',
  '__proto__: 1\n',
];

/** Edits that leave a text mostly as it was, and somewhere broken. */
const corruption = fc.record({
  at: fc.nat({ max: good.length }),
  length: fc.nat({ max: 30 }),
  insert: fc.oneof(fc.constantFrom(...snippets), fc.string({ maxLength: 6 }), fc.constant('')),
});

const corrupted = fc
  .array(corruption, { minLength: 1, maxLength: 5 })
  .map((changes) =>
    changes.reduce(
      (text, { at, length, insert }) => text.slice(0, at) + insert + text.slice(at + length),
      good,
    ),
  );

describe('a corrupted config', () => {
  it('never makes the language features throw, and what they give fits the text', () => {
    fc.assert(
      fc.property(corrupted, fc.array(fc.nat({ max: good.length }), { maxLength: 6 }), (text, carets) => {
        const document = parseConfig(text);
        isAgentJetConfig(text);
        findLocators(text);
        for (const { range, fixes } of diagnose(document)) {
          expect(range.start.offset).toBeLessThanOrEqual(range.end.offset);
          expect(range.end.offset).toBeLessThanOrEqual(text.length);
          for (const fix of fixes) parseConfig(applyEdits(text, fix.edits));
        }
        for (const caret of carets) {
          const offset = Math.min(caret, text.length);
          hover(document, offset);
          for (const { edit } of complete(document, offset)) {
            expect(edit.span.start).toBeLessThanOrEqual(offset);
            expect(edit.span.end).toBeGreaterThanOrEqual(offset);
          }
        }
      }),
      fuzz(20260117, 4000),
    );
  });

  it('never makes composing reject', async () => {
    await fc.assert(
      fc.asyncProperty(corrupted, async (text) => {
        const { config } = await composeText(text, {
          files: { '/project/ajet/default_config/ajet_default.yaml': text },
        });
        expect(config.plain()).toBeTypeOf('object');
      }),
      fuzz(20260118, 2000),
    );
  });
});
