import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { diagnose } from '../../../src/configs/core/check.ts';
import { fixesFor } from '../../../src/configs/core/rules/suppress.ts';
import { applyEdits } from '../../../src/configs/core/text.ts';
import { findingsOf, fixed, lines, told } from './checking.ts';

const slip = 'num_repeats: 4';

describe('comments that silence', () => {
  it.each([
    ['at the end of the line', lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore unknown-key`)],
    ['alone above it', lines('ajet:', '  rollout:', '    # agentjet-ignore unknown-key', `    ${slip}`)],
    [
      'with blank lines and other comments between',
      lines('ajet:', '  rollout:', '# agentjet-ignore unknown-key', '', '    # why', `    ${slip}`),
    ],
    [
      'among others',
      lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore locator, unknown-key: on purpose`),
    ],
    ['in the whole file', lines('ajet:', '  rollout:', `    ${slip}`, '# agentjet-ignore-file unknown-key')],
    ['with a carriage return', `ajet:\r\n  rollout:\r\n    ${slip} # agentjet-ignore unknown-key\r\n`],
  ])('work %s', async (_where, text) => {
    expect(await told(text, {}, 'unknown-key')).toEqual([]);
  });

  it('silence their own line and rule only', async () => {
    const text = lines(
      'ajet:',
      '  rollout:',
      `    ${slip} # agentjet-ignore wrong-type`,
      '    temperatur: 1',
      '    top_p: 2 # agentjet-ignore out-of-range',
    );
    expect(await told(text)).toEqual([
      '3 warning unknown-key: num_repeats',
      '3 hint unused-ignore: wrong-type',
      '4 warning unknown-key: temperatur',
    ]);
  });

  it('are only texts inside of texts', async () => {
    const text = lines(
      'ajet:',
      `  project_name: "# agentjet-ignore-file unknown-key"`,
      '  rollout:',
      `    ${slip}`,
      'mine:',
      '  text: |',
      '    # agentjet-ignore-file unknown-key',
      '  other: a# agentjet-ignore-file unknown-key',
    );
    expect(await told(text)).toEqual(['4 warning unknown-key: num_repeats']);
  });

  it('are told when they name no rule, with the nearest', async () => {
    const text = lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore unknow-key`);
    expect(await told(text)).toEqual([
      '3 warning unknown-key: num_repeats',
      '3 information unknown-rule: unknow-key',
    ]);
    expect(await fixed(text, 'Change to `unknown-key`')).toBe(
      lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore unknown-key`),
    );
  });

  it('silence by the old id of a rule, which is reported with its new id', async () => {
    const text = lines('astuner: # agentjet-ignore old-dialect', '  project_name: maths');
    expect(
      await told(text, {}, 'legacy-astuner-config', 'renamed-rule', 'unknown-rule', 'unused-ignore'),
    ).toEqual(['1 information renamed-rule: old-dialect']);
    expect(await fixed(text, 'Change to `legacy-astuner-config`')).toBe(
      lines('astuner: # agentjet-ignore legacy-astuner-config', '  project_name: maths'),
    );
  });

  it('are told when they silence nothing, and go without a trace', async () => {
    const clean = lines('ajet:', '  rollout:', '    num_repeat: 4');
    const atEnd = lines('ajet:', '  rollout:', '    num_repeat: 4 # agentjet-ignore unknown-key');
    expect(await told(atEnd)).toEqual(['3 hint unused-ignore: unknown-key']);
    expect(await fixed(atEnd, 'Remove it')).toBe(clean);
    const above = lines('ajet:', '  rollout:', '    # agentjet-ignore unknown-key', '    num_repeat: 4');
    expect(await fixed(above, 'Remove it')).toBe(clean);
    const first = lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore locator, unknown-key`);
    expect(await fixed(first, 'Remove it')).toBe(
      lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore unknown-key`),
    );
  });
});

describe('settings', () => {
  const text = lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore unknown-key`, '    top_p: 2');

  it('make rules count for more, for less or for nothing', async () => {
    const findings = await findingsOf(text, {}, { rules: { 'out-of-range': 'hint' } });
    expect(findings).toMatchObject([
      { rule: 'out-of-range', severity: 'hint', fixes: [{ title: 'Change to 1' }] },
    ]);
    expect(await findingsOf(text, {}, { rules: { 'out-of-range': 'off' } })).toEqual([]);
  });

  it('do not make a comment superfluous', async () => {
    const clean = lines('ajet:', '  rollout:', '    num_repeat: 4 # agentjet-ignore unknown-key');
    expect(await findingsOf(clean, {}, { rules: { 'unknown-key': 'off' } })).toEqual([]);
  });
});

describe('the fix that silences', () => {
  const afterFix = (text: string, rule: string, title: string): string => {
    const document = parseConfig(text);
    const found = diagnose(document).find((one) => one.rule === rule);
    if (found === undefined) throw new Error(`no ${rule}`);
    const named = fixesFor(document, found).find((one) => one.title === title);
    return applyEdits(text, named?.edits ?? []);
  };

  it('can do so in the whole file', () => {
    const afterIgnoringAll = (text: string): string =>
      afterFix(text, 'unknown-key', 'Ignore `unknown-key` in this file');
    const text = lines('ajet:', '  rollout:', `    ${slip}`);
    expect(afterIgnoringAll(text)).toBe(`# agentjet-ignore-file unknown-key\n${text}`);
    expect(afterIgnoringAll(`# agentjet-ignore-file locator\n${text}`)).toBe(
      `# agentjet-ignore-file locator, unknown-key\n${text}`,
    );
  });

  const afterIgnoring = (text: string, rule: string): string => {
    return afterFix(text, rule, `Ignore \`${rule}\` on this line`);
  };

  it.each([
    [
      'a plain line',
      lines('ajet:', '  rollout:', `    ${slip}`),
      lines('ajet:', '  rollout:', `    ${slip}  # agentjet-ignore unknown-key`),
    ],
    [
      'a line with a comment',
      lines('ajet:', '  rollout:', `    ${slip} # why`),
      lines('ajet:', '  rollout:', '    # agentjet-ignore unknown-key', `    ${slip} # why`),
    ],
    [
      'a line with such a comment',
      lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore locator`),
      lines('ajet:', '  rollout:', `    ${slip} # agentjet-ignore locator, unknown-key`),
    ],
    [
      'a text of several lines',
      lines('ajet:', '  rollout:', '    num_repeats: |', '      a', '      b'),
      lines(
        'ajet:',
        '  rollout:',
        '    # agentjet-ignore unknown-key',
        '    num_repeats: |',
        '      a',
        '      b',
      ),
    ],
    [
      'quotes of several lines',
      lines('ajet:', '  rollout:', '    num_repeats: "a', '      b"'),
      lines('ajet:', '  rollout:', '    # agentjet-ignore unknown-key', '    num_repeats: "a', '      b"'),
    ],
  ])('writes a comment at %s', async (_what, before, after) => {
    expect(afterIgnoring(before, 'unknown-key')).toBe(after);
    expect(await told(after, {}, 'unknown-key')).toEqual([]);
  });
});
