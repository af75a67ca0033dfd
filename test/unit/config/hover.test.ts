import { describe, expect, it } from 'vitest';
import { hoverAt } from './caret.ts';

describe('hover', () => {
  it('explains a key on its name and on its value', () => {
    for (const text of [
      'ajet:\n  rollout:\n    num_re|peat: 12\n',
      'ajet:\n  rollout:\n    num_repeat: 1|2\n',
    ]) {
      const shown = hoverAt(text);
      expect(shown?.covered).toBe(text.includes('re|peat') ? 'num_repeat' : '12');
      expect(shown?.markdown).toContain('`ajet.rollout.num_repeat`** · integer = 4');
      expect(shown?.markdown).toContain('Range: at least 1');
    }
  });

  it('tells what a key becomes, its values and when it applies', () => {
    const path = hoverAt('ajet:\n  model:\n    p|ath: x\n')?.markdown;
    expect(path).toContain('Trinity: `model.model_path`');
    expect(path).toContain('verl: `actor_rollout_ref.model.path`');
    const method = hoverAt('ajet:\n  interchange_server:\n    interchange_method: i|pc\n')?.markdown;
    expect(method).toContain('Allowed: `ipc`, `tcp`');
    expect(method).toContain('Applies when: `ajet.enable_experimental_interchange_server == true`');
    expect(hoverAt('ajet:\n  trainer_common:\n    log|ger: x\n')?.markdown).toContain('and others');
  });

  it('works in braces and in list items', () => {
    expect(hoverAt('ajet: {rollout: {top_|p: 1}}')?.covered).toBe('top_p');
    expect(
      hoverAt('ajet:\n  rollout:\n    compute_madness_checklist:\n      - non|sense\n')?.markdown,
    ).toContain('Items: `nonsense`');
  });

  it('is silent elsewhere', () => {
    expect(hoverAt('ajet:\n  rollout:\n    my_ke|y: 1\n')).toBeUndefined();
    expect(hoverAt('ajet: # comm|ent\n')).toBeUndefined();
    expect(hoverAt('|')).toBeUndefined();
  });
});
