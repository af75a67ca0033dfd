import { describe, expect, it } from 'vitest';
import { complemented, completionsAt, labelsAt } from './caret.ts';

const lines = (...rows: string[]): string => rows.join('\n');

describe('keys', () => {
  it('offers what a section does not have yet', () => {
    const labels = labelsAt(
      lines('ajet:', '  rollout:', '    num_repeat: 4', '    |', '    temperature: 1.0'),
    );
    expect(labels).toContain('top_p');
    expect(labels).toContain('user_workflow');
    expect(labels).not.toContain('num_repeat');
    expect(labels).not.toContain('temperature');
    expect(labels).not.toContain('project_name');
  });

  it('completes a key that was begun', () => {
    const before = lines('ajet:', '  rollout:', '    num_r|', '  data: {}', '');
    expect(complemented(before, 'num_repeat')).toBe(
      lines('ajet:', '  rollout:', '    num_repeat: ', '  data: {}', ''),
    );
  });

  it('replaces the whole word around the caret', () => {
    expect(complemented('ajet:\n  roll|xx\n', 'rollout')).toBe('ajet:\n  rollout:\n    \n');
  });

  it('leaves the value of a key that has one', () => {
    expect(complemented('ajet:\n  data:\n    max_pr|: 3000\n', 'max_prompt_length')).toBe(
      'ajet:\n  data:\n    max_prompt_length: 3000\n',
    );
  });

  it('opens sections and lists on the next line', () => {
    expect(complemented('ajet:\n  |', 'task_reader')).toBe('ajet:\n  task_reader:\n    ');
    expect(complemented('ajet:\n  rollout:\n    |', 'compute_madness_checklist')).toBe(
      'ajet:\n  rollout:\n    compute_madness_checklist:\n      - ',
    );
  });

  it('keeps Windows line ends', () => {
    expect(complemented('ajet:\r\n  |\r\n', 'model')).toBe('ajet:\r\n  model:\r\n    \r\n');
  });

  it('follows the indentation of an empty line', () => {
    const text = (caret: string): string =>
      lines('ajet:', '  rollout:', '    multi_turn:', '      max_steps: 3', caret);
    expect(labelsAt(text('      |'))).toEqual(['max_sample_per_task', 'expected_steps']);
    expect(labelsAt(text('    |'))).toContain('val_kwargs');
    expect(labelsAt(text('  |'))).toContain('task_judge');
    expect(labelsAt(text('|'))).toContain('trinity');
  });

  it('offers nothing at an indentation that fits no section', () => {
    expect(labelsAt(lines('ajet:', '  rollout:', '    num_repeat: 4', '   |'))).toEqual([]);
    expect(labelsAt(lines('ajet:', '  rollout:', '    num_repeat: 4', '      |'))).toEqual([]);
  });

  it('works inside list items', () => {
    const list = lines('ajet:', '  task_reader:', '    feedback_tracing:', '      filters:');
    expect(labelsAt(`${list}\n        - |`)).toEqual(['type', 'enabled', 'params']);
    expect(labelsAt(`${list}\n        - type: deduplication\n          |`)).toEqual(['enabled', 'params']);
    expect(labelsAt(`${list}\n        - type: deduplication\n        - enabled: true\n          |`)).toEqual([
      'type',
      'params',
    ]);
    expect(labelsAt(`${list}\n      - enabled: true\n        |`)).toEqual(['type', 'params']);
    expect(labelsAt(`${list}\n        - enabled: true\n          params:\n            |`)).toContain(
      'db_path',
    );
  });

  it('does not mind broken text above and below', () => {
    const text = lines(
      'ajet:',
      '  data: [1, {',
      '  rollout:',
      '    num_repeat: "4',
      '    |',
      '  : : }',
      'defaults: [',
    );
    const labels = labelsAt(text);
    expect(labels).toContain('temperature');
    expect(labels).not.toContain('num_repeat');
  });

  it('knows quoted keys as present', () => {
    expect(labelsAt('ajet:\n  model:\n    "path": x\n    |')).toEqual([]);
  });

  it('says type and default, and puts keys without effect last', () => {
    const completions = completionsAt('ajet:\n  rollout:\n    |');
    const bySort = [...completions].sort((a, b) => (a.sortText < b.sortText ? -1 : 1));
    expect(bySort.findIndex((one) => one.label === 'max_num_seqs')).toBeGreaterThan(
      bySort.findIndex((one) => one.label === 'val_kwargs'),
    );
    const repeat = completions.find((one) => one.label === 'num_repeat');
    expect(repeat).toMatchObject({ detail: 'integer = 4', kind: 'key' });
    expect(repeat?.documentation).toContain('ajet.rollout.num_repeat');
  });

  it('is silent in comments, in texts of several lines and where the table knows nothing', () => {
    expect(labelsAt('ajet:\n  # ro|')).toEqual([]);
    expect(labelsAt('ajet:\n  project_name: x # |')).toEqual([]);
    expect(labelsAt('ajet:\n  project_name: >-\n    |')).toEqual([]);
    expect(labelsAt('trinity:\n  |')).toEqual([]);
  });
});

describe('values', () => {
  it('offers the allowed values', () => {
    expect(labelsAt('ajet:\n  task_reader:\n    type: |')).toContain('jsonl_dataset_file');
    expect(complemented('ajet:\n  backbone: tri|', 'trinity')).toBe('ajet:\n  backbone: trinity');
    expect(complemented('ajet:\n  backbone: de|bug # x', 'verl')).toBe('ajet:\n  backbone: verl # x');
  });

  it('offers booleans, the default and null', () => {
    expect(labelsAt('ajet:\n  trainer_common:\n    val_before_train: |')).toEqual(['true', 'false']);
    expect(labelsAt('ajet:\n  rollout:\n    num_repeat: |')).toEqual(['4']);
    expect(labelsAt('ajet:\n  task_judge:\n    judge_protocol: |')).toContain('null');
  });

  it('adds the blank behind the colon', () => {
    expect(complemented('ajet:\n  backbone:|', 'debug')).toBe('ajet:\n  backbone: debug');
  });

  it('keeps quotes', () => {
    expect(complemented('ajet:\n  backbone: "ve|"', 'verl')).toBe('ajet:\n  backbone: "verl"');
    expect(complemented("ajet:\n  backbone: '|'", 'verl')).toBe("ajet:\n  backbone: 'verl'");
  });

  it('offers the items that a list does not have yet', () => {
    const list = lines(
      'ajet:',
      '  rollout:',
      '    compute_madness_checklist:',
      '      - "nonsense"',
      '      - |',
    );
    expect(labelsAt(list)).toEqual(['non_ascii', 'wrong_toolcall', 'format_type_1']);
    expect(complemented(list, 'non_ascii').endsWith('      - non_ascii')).toBe(true);
    expect(labelsAt('defaults:\n- ajet_default\n- |')).toEqual(['verl_default', 'trinity_default', '_self_']);
  });

  it('offers nothing for values that only the user knows', () => {
    expect(labelsAt('ajet:\n  task_reader:\n    feedback_tracing:\n      base_url: |')).toEqual([]);
  });
});
