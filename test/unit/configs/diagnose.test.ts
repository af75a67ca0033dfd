import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/configs/core/check.ts';
import type { Finding } from '../../../src/configs/core/finding.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { applyEdits } from '../../../src/configs/core/text.ts';

const lines = (...rows: string[]): string => rows.join('\n');

function findingsIn(text: string): Finding[] {
  return diagnose(parseConfig(text));
}

/** What a text gets wrong, as `line rule: the text that is underlined`. */
function told(text: string): string[] {
  return findingsIn(text).map(({ range, rule }) => {
    return `${range.start.line + 1} ${rule}: ${text.slice(range.start.offset, range.end.offset)}`;
  });
}

/** The text after the fix with this title. */
function fixed(text: string, title: string): string {
  const fix = findingsIn(text)
    .flatMap((finding) => finding.fixes)
    .find((offered) => offered.title === title);
  if (fix === undefined) throw new Error(`${title} is not offered`);
  return applyEdits(text, fix.edits);
}

function titles(text: string): string[] {
  return findingsIn(text).flatMap((finding) => finding.fixes.map((fix) => fix.title));
}

describe('unknown keys', () => {
  it('are told at the key, with what may have been meant', () => {
    const text = 'ajet:\n  rollout:\n    num_repeats: 4\n';
    expect(told(text)).toEqual(['3 unknown-key: num_repeats']);
    expect(fixed(text, 'Rename to `num_repeat`')).toBe('ajet:\n  rollout:\n    num_repeat: 4\n');
  });

  it('are moved to the section they belong to', () => {
    const text = lines(
      'ajet:',
      '  rollout:',
      '    name: vllm',
      '    train_batch_size: 8 # tasks',
      '  data:',
      '    max_prompt_length: 10',
      '',
    );
    expect(fixed(text, 'Move to `ajet.data.train_batch_size`')).toBe(
      lines(
        'ajet:',
        '  rollout:',
        '    name: vllm',
        '  data:',
        '    max_prompt_length: 10',
        '    train_batch_size: 8',
        '',
      ),
    );
  });

  it('are moved into a section that is not there yet', () => {
    const text = lines('ajet:', '  rollout:', '    name: vllm', '    adv_estimator: grpo', '');
    expect(fixed(text, 'Move to `ajet.trainer_common.algorithm.adv_estimator`')).toBe(
      lines(
        'ajet:',
        '  rollout:',
        '    name: vllm',
        '  trainer_common:',
        '    algorithm:',
        '      adv_estimator: grpo',
        '',
      ),
    );
  });

  it('are moved behind what a section has of its own, not what an alias brings in', () => {
    const text = lines(
      'ajet:',
      '  data: &data',
      '    max_prompt_length: 5',
      '  rollout:',
      '    <<: *data',
      '    top_p: 1',
      '  debug: {debug_max_parallel: 1}',
      '  user_workflow: w.ts->W',
      '',
    );
    expect(fixed(text, 'Move to `ajet.rollout.user_workflow`')).toBe(
      lines(
        'ajet:',
        '  data: &data',
        '    max_prompt_length: 5',
        '  rollout:',
        '    <<: *data',
        '    top_p: 1',
        '    user_workflow: w.ts->W',
        '  debug: {debug_max_parallel: 1}',
        '',
      ),
    );
  });

  it('find a longer name that ends alike', () => {
    expect(titles('ajet:\n  task_reader:\n    dataset_file: {}\n')).toContain(
      'Rename to `jsonl_dataset_file`',
    );
  });

  it('are no concern of ours in open sections', () => {
    const text = lines(
      'ajet:',
      '  judge: {mine: 1}',
      '  trainer_common:',
      '    optim: {weight_decay: 0.1}',
      'trinity: {explorer: {env_vars: {x: 1}}}',
      'mine: {y: 2}',
    );
    expect(told(text)).toEqual([]);
  });

  it('are told in sections that are passed on only when they look like a slip', () => {
    const text = 'ajet:\n  rollout:\n    multi_turn: {max_step: 3, max_user_turns: 2}\n';
    expect(told(text)).toEqual(['3 unknown-key: max_step']);
  });

  it('are told in list items', () => {
    const text = 'ajet:\n  task_reader:\n    feedback_tracing:\n      filters:\n        - typ: x\n';
    expect(told(text)).toEqual(['5 unknown-key: typ']);
  });
});

describe('values', () => {
  it.each([
    ['num_repeat: "4"', 'Change to 4', 'num_repeat: 4'],
    ['num_repeat: 4.0', 'Change to 4', 'num_repeat: 4'],
    ['temperature: "0.5"', 'Change to 0.5', 'temperature: 0.5'],
    ["force_disable_toolcalls: 'yes'", 'Change to yes', 'force_disable_toolcalls: yes'],
    ['compute_madness_checklist: nonsense', 'Make it a list', 'compute_madness_checklist: [nonsense]'],
    ['kl: 1', '', ''],
  ])('%s is of the wrong type', (row, title, after) => {
    const text = `ajet:\n  rollout:\n    ${row}\n`;
    if (title === '') {
      expect(told(text)).not.toContainEqual(expect.stringContaining('wrong-type'));
      return;
    }
    expect(told(text)).toEqual([`3 wrong-type: ${row.slice(row.indexOf(' ') + 1)}`]);
    expect(fixed(text, title)).toBe(`ajet:\n  rollout:\n    ${after}\n`);
  });

  it('takes a number where a text belongs for a warning', () => {
    const text = 'ajet:\n  project_name: 2024\n';
    expect(findingsIn(text)).toMatchObject([{ rule: 'wrong-type', severity: 'warning' }]);
    expect(fixed(text, 'Put in quotes')).toBe('ajet:\n  project_name: "2024"\n');
  });

  it('tells empty sections, which lose their defaults', () => {
    const text = 'ajet:\n  debug:\n  data: {max_prompt_length: 5}\n';
    expect(told(text)).toEqual(['2 wrong-type: debug']);
    expect(fixed(text, 'Remove it to use the default')).toBe('ajet:\n  data: {max_prompt_length: 5}\n');
  });

  it('allows null where upstream does', () => {
    expect(told('ajet:\n  experiment_name: null\n  task_judge: {judge_protocol: ~}\n')).toEqual([]);
  });

  it('offers the allowed values, nearest first', () => {
    const text = 'ajet:\n  task_reader:\n    type: "dataset_file"\n';
    expect(told(text)).toEqual(['3 unknown-value: "dataset_file"']);
    expect(titles(text)[0]).toBe('Change to `jsonl_dataset_file`');
    expect(fixed(text, 'Change to `jsonl_dataset_file`')).toBe(
      'ajet:\n  task_reader:\n    type: "jsonl_dataset_file"\n',
    );
  });

  it('checks the items of lists', () => {
    const text = 'ajet:\n  rollout:\n    compute_madness_checklist: [nonsense, wrong_toolcal, 3]\n';
    expect(told(text)).toEqual(['3 unknown-value: wrong_toolcal', '3 wrong-type: 3']);
  });

  it('leaves values alone that the table does not close', () => {
    expect(told('ajet:\n  trainer_common: {logger: clearml}\n')).toEqual([]);
  });

  it.each([
    ['num_repeat: 0', 'Change to 1'],
    ['top_p: 1.5', 'Change to 1'],
    ['gamma: 0.9', 'Change to 1'],
    ['max_response_length_in_one_turn: 16', 'Change to 17'],
  ])('%s is out of range', (row, title) => {
    const text = `ajet:\n  rollout:\n    ${row}\n`;
    expect(told(text)).toEqual([`3 out-of-range: ${row.slice(row.indexOf(' ') + 1)}`]);
    expect(titles(text)).toEqual([title]);
  });

  it('judges no placeholder and no interpolation', () => {
    expect(told('ajet:\n  rollout: {num_repeat: {{N}}, top_p: "${x.y}"}\n  backbone: ${oc.env:B}\n')).toEqual(
      [],
    );
  });

  it('checks locators', () => {
    expect(told('ajet:\n  rollout: {user_workflow: workflow.ts}\n')).toEqual(['2 locator: workflow.ts']);
    expect(told('ajet:\n  rollout: {user_workflow: workflow.ts->W}\n')).toEqual([]);
  });
});

describe('keys that have to be there', () => {
  const steering = lines(
    'hydra:',
    '  searchpath: [file://ajet/default_config]',
    'defaults: [ajet_default, _self_]',
    '',
  );
  const whole = lines('ajet:', '  model: {path: Qwen/Qwen2.5-7B}', '  rollout: {user_workflow: w.ts->W}', '');

  it('are asked for where they apply', () => {
    const text = `${whole}${lines('  task_reader:', '    type: jsonl_dataset_file', '')}${steering}`;
    expect(told(text)).toEqual(['4 missing-key: task_reader', '4 missing-key: task_reader']);
    expect(fixed(text, 'Add `ajet.task_reader.jsonl_dataset_file.training.file_path`')).toContain(
      lines(
        '    type: jsonl_dataset_file',
        '    jsonl_dataset_file:',
        '      training:',
        '        file_path: /path/to/',
      ),
    );
    expect(told(`${whole}  task_reader: {type: random_dummy}\n${steering}`)).toEqual([]);
  });

  it('are asked for in every item of a list', () => {
    const reader = lines(
      '  task_reader:',
      '    type: tracing',
      '    feedback_tracing:',
      '      base_url: x',
      '      train_output_path: y',
      '      filters:',
      '        - type: deduplication',
      '          params: {db_path: a, model: b, api_key: null, base_url: c}',
      '        - enabled: true',
      '',
    );
    expect(told(whole + reader + steering)).toEqual([
      '11 missing-key: params',
      expect.stringContaining('12 missing-key'),
    ]);
  });

  it('include the sections that steer the composition', () => {
    const text = `${whole}  task_reader: {type: random_dummy}\ndefaults: [ajet_default, _self_]\n`;
    expect(fixed(text, 'Add `hydra.searchpath`')).toContain(
      'hydra:\n  searchpath:\n    - "file://ajet/default_config"\n',
    );
  });

  it('are not asked of files that others are based on, or that are based on files not seen here', () => {
    expect(told('ajet: {}\n')).toEqual([]);
    expect(told('ajet: {}\nhydra: {searchpath: [x]}\ndefaults: [my_base, _self_]\n')).toEqual([]);
  });
});

describe('everything else', () => {
  it('tells deprecated keys and keys without effect', () => {
    const text =
      'ajet:\n  rollout: {max_num_seqs: 4}\n  context_tracker:\n    alien_llm_model: x\n    ignore: 1\n';
    expect(findingsIn(text)).toMatchObject([
      { rule: 'unused-key', severity: 'hint' },
      { rule: 'deprecated-key', severity: 'information' },
      { rule: 'unknown-key' },
    ]);
    expect(fixed(text, 'Remove `alien_llm_model`')).toBe(
      'ajet:\n  rollout: {max_num_seqs: 4}\n  context_tracker:\n    ignore: 1\n',
    );
  });

  it('tells what is written, and what that is in YAML', () => {
    const [found] = findingsIn('ajet:\n  rollout:\n    num_repeat: yes\n');
    expect(found?.message).toBe('`num_repeat` must be an integer, but is `yes`, which YAML reads as `True`.');
    const [plain] = findingsIn('ajet:\n  rollout:\n    num_repeat: true\n');
    expect(plain?.message).toBe('`num_repeat` must be an integer, but is `true`.');
  });

  it('tells duplicates and syntax errors with their lines', () => {
    expect(told('ajet:\n  backbone: debug\n  backbone: verl\n')).toEqual(['3 duplicate-key: backbone']);
    const tab = 'ajet:\n\tbackbone: debug\n';
    expect(findingsIn(tab)[0]).toMatchObject({
      rule: 'yaml-syntax',
      severity: 'error',
      range: { start: { line: 1 } },
    });
    expect(fixed(tab, 'Indent with spaces')).toBe('ajet:\n  backbone: debug\n');
  });

  it('gives offsets, lines and characters', () => {
    const [finding] = findingsIn('ajet:\r\n  backbone: x\r\n');
    expect(finding?.range).toEqual({
      start: { line: 1, character: 12, offset: 19 },
      end: { line: 1, character: 13, offset: 20 },
    });
  });

  it('tells what an alias brings in once', () => {
    const text = 'x: &a {num_repeats: 1}\najet:\n  rollout: *a\n';
    expect(told(text)).toEqual(['1 unknown-key: num_repeats']);
  });

  it('finds nothing wrong with nothing', () => {
    expect(told('')).toEqual([]);
  });
});

describe('a null in a text that is broken', () => {
  const text = lines('ajet:', '  rollout:', '    num_repeat:', '  data:', '    train_batch_size: 4', 'wor');

  it('is not reported, because its value may not have been read', () => {
    expect(findingsIn(text).map(({ rule }) => rule)).not.toContain('wrong-type');
  });

  it('is reported once the text is whole', () => {
    expect(findingsIn(`${text}d: 1\n`).map(({ rule }) => rule)).toContain('wrong-type');
  });
});
