import { describe, expect, it } from 'vitest';
import type { LocatorTarget } from '../../../src/configs/core/code/classes.ts';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { hoverIn } from '../../../src/configs/core/hover.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { readContext } from '../../../src/configs/core/readContext.ts';
import { atCaret } from './caret.ts';
import { memoryFiles, posix } from './memoryFiles.ts';

interface Around {
  readonly files?: Readonly<Record<string, string>>;
  readonly target?: LocatorTarget;
}

async function hoverAt(
  marked: string,
  { files = {}, target = { status: 'elsewhere' } }: Around = {},
): Promise<{ covered: string; markdown: string } | undefined> {
  const { text, offset } = atCaret(marked);
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('the text is of no dialect');
  const context = await readContext(parseConfig(text), dialect, {
    file: '/project/conf/exp.yaml',
    cwd: '/project',
    files: memoryFiles(files),
    paths: posix,
    environment: (name) => (name === 'WHO' ? 'me' : undefined),
    classes: { find: () => Promise.resolve(target), all: () => Promise.resolve([]) },
  });
  const shown = hoverIn(context, offset);
  if (shown === undefined) return undefined;
  const { start, end } = shown.range;
  return { covered: text.slice(start.offset, end.offset), markdown: shown.markdown };
}

const around = 'hydra:\n  searchpath:\n    - file://conf\ndefaults:\n';

describe('what a key is for', () => {
  it('is told on its name and on its value', async () => {
    for (const text of [
      'ajet:\n  rollout:\n    num_re|peat: 12\n',
      'ajet:\n  rollout:\n    num_repeat: 1|2\n',
    ]) {
      const shown = await hoverAt(text);
      expect(shown?.covered).toBe(text.includes('re|peat') ? 'num_repeat' : '12');
      expect(shown?.markdown).toContain('`ajet.rollout.num_repeat`** · integer · default `4`');
      expect(shown?.markdown).toContain('Range: at least 1');
    }
  });

  it('goes with what it becomes, its values and when it applies', async () => {
    const path = (await hoverAt('ajet:\n  model:\n    p|ath: x\n'))?.markdown;
    expect(path).toContain('Trinity: `model.model_path`');
    expect(path).toContain('verl: `actor_rollout_ref.model.path`');
    const method = (await hoverAt('ajet:\n  interchange_server:\n    interchange_method: i|pc\n'))?.markdown;
    expect(method).toContain('Allowed: `ipc`, `tcp`');
    expect(method).toContain('Applies when: `ajet.enable_experimental_interchange_server == true`');
    expect((await hoverAt('ajet:\n  trainer_common:\n    log|ger: x\n'))?.markdown).toContain('and others');
  });

  it('is told in braces and in list items', async () => {
    expect((await hoverAt('ajet: {rollout: {top_|p: 1}}'))?.covered).toBe('top_p');
    expect(
      (await hoverAt('ajet:\n  rollout:\n    compute_madness_checklist:\n      - non|sense\n'))?.markdown,
    ).toContain('Items: `nonsense`');
  });

  it('is silent elsewhere', async () => {
    expect(await hoverAt('ajet: # comm|ent\n')).toBeUndefined();
    expect(await hoverAt('|\najet: {}\n')).toBeUndefined();
  });
});

describe('the effective value', () => {
  it('is told with where it comes from', async () => {
    const own = await hoverAt('ajet:\n  data:\n    train_batch|_size: 8\n');
    expect(own?.covered).toBe('train_batch_size');
    expect(own?.markdown).toContain('Effective value: `8`, this file, line 3');
    const files = { '/project/conf/base.yaml': 'ajet:\n  data:\n    train_batch_size: 16\n' };
    const later = `ajet:\n  data:\n    train_batch_size: |8\n${around}  - _self_\n  - base\n`;
    expect((await hoverAt(later, { files }))?.markdown).toContain(
      'Effective value: `16`, `/project/conf/base.yaml:3`',
    );
  });

  it('is what an interpolation gives', async () => {
    const text = 'ajet:\n  project_name: a\n  experi|ment_name: ${.project_name}_1\n';
    expect((await hoverAt(text))?.markdown).toContain('Effective value: `a_1`');
  });

  it('is told of items, and of keys that the table does not know', async () => {
    expect((await hoverAt('ajet: {}\nmine:\n  ke|y: 3\n'))?.markdown).toBe(
      'Effective value: `3`, this file, line 3',
    );
  });

  it('is left out of sections', async () => {
    expect((await hoverAt('ajet:\n  da|ta:\n    train_batch_size: 8\n'))?.markdown).not.toContain(
      'Effective',
    );
  });
});

describe('what a key becomes', () => {
  it('is told with the arithmetic', async () => {
    const text = [
      'ajet:',
      '  data:',
      '    train_batch|_size: 8',
      '  rollout:',
      '    num_repeat: 4',
      '    multi_turn:',
      '      expected_steps: 2',
    ].join('\n');
    const markdown = (await hoverAt(text))?.markdown;
    expect(markdown).toContain('Trinity: `buffer.batch_size`');
    expect(markdown).toMatch(/Trinity: `buffer\.train_batch_size` = `\(?8 \* 4 \* 2\)? = 64`/);
    expect(markdown).toContain('verl: `data.train_batch_size`');
  });

  it('is told of what is overwritten', async () => {
    const verl = await hoverAt('ajet:\n  data:\n    train_batch_size: 8\ndata:\n  train_batch|_size: 99\n');
    expect(verl?.markdown).toContain('Overwritten: `ajet.data.train_batch_size` makes it `8`.');
    const trinity = await hoverAt(
      'ajet:\n  data:\n    train_batch_size: 8\ntrinity:\n  buffer:\n    batch|_size: 99\n',
    );
    expect(trinity?.markdown).toContain('Overwritten: `ajet.data.train_batch_size` makes it `8`.');
    expect((await hoverAt('ajet:\n  data:\n    train_batch|_size: 8\n'))?.markdown).not.toContain(
      'Overwritten',
    );
  });

  it('is not told in Trinity', async () => {
    const markdown = (await hoverAt('explorer: {}\nbuffer:\n  batch|_size: 99\n'))?.markdown;
    expect(markdown).toContain('**`buffer.batch_size`** · integer');
    expect(markdown).toContain('Unit: tasks');
    expect(markdown).not.toContain('Trinity:');
  });
});

describe('an interpolation', () => {
  it('shows its path, its value and where that is set', async () => {
    const shown = await hoverAt('ajet:\n  project_name: mine\n  experiment_name: x_${ajet.proj|ect_name}\n');
    expect(shown?.covered).toBe('${ajet.project_name}');
    expect(shown?.markdown).toContain('`ajet.project_name`');
    expect(shown?.markdown).toContain('Value: `mine`, this file, line 2');
  });

  it('shows defaults, relative paths and what is not there', async () => {
    const relative = await hoverAt('ajet:\n  data:\n    max_prompt_length: ${.train|_batch_size}\n');
    expect(relative?.markdown).toContain('`ajet.data.train_batch_size`');
    expect(relative?.markdown).toContain('Value: `32`, default of AgentJet');
    expect((await hoverAt('ajet:\n  project_name: ${ajet.no|pe}\n'))?.markdown).toContain(
      'No value has this path.',
    );
  });

  it('explains resolvers, and shows what they give', async () => {
    const shown = await hoverAt('ajet:\n  project_name: ${oc.e|nv:WHO}\n');
    expect(shown?.markdown).toContain('environment variable');
    expect(shown?.markdown).toContain('The whole value: `me`');
  });
});

describe('what a value names', () => {
  it('is the class of a locator', async () => {
    const site = {
      name: 'MyWorkflow',
      kind: 'class',
      language: 'python',
      file: '/project/a/b.py',
      line: 12,
      column: 7,
      bases: [],
    } as const;
    const text = 'ajet:\n  rollout:\n    user_workflow: a.b->My|Workflow\n';
    expect((await hoverAt(text, { target: { status: 'found', site } }))?.markdown).toMatch(
      /^class `MyWorkflow` · `\/project\/a\/b\.py:12`/,
    );
    expect(
      (await hoverAt(text, { target: { status: 'no-file', file: '/project/a/b.py' } }))?.markdown,
    ).toContain('does not exist');
    expect((await hoverAt(text))?.markdown).toContain('Not in this workspace');
  });

  it('is the file of an entry of `defaults`', async () => {
    const files = { '/project/conf/base.yaml': 'ajet: {}\n' };
    const at = (entry: string): string => `ajet: {}\n${around}  - ${entry}\n`;
    expect((await hoverAt(at('ba|se'), { files }))?.markdown).toContain('`/project/conf/base.yaml`');
    expect((await hoverAt(at('ajet_|default'), { files }))?.markdown).toContain('built-in defaults');
    expect((await hoverAt(at('_se|lf_'), { files }))?.markdown).toContain('This file. It overwrites');
  });
});

describe('a hover', () => {
  it('is not there in comments, between keys, and in texts without a value', async () => {
    expect(await hoverAt('ajet: {} # comm|ent\n')).toBeUndefined();
    expect(await hoverAt('ajet: {}\n|\n\n')).toBeUndefined();
  });

  it('keeps to the values that an alias does not bring in', async () => {
    const text = 'ajet: {}\nbase: &b\n  x: 1\nmine:\n  <<: *b\n  |y: 2\n';
    expect((await hoverAt(text))?.covered).toBe('y');
    expect((await hoverAt('ajet: {}\na: &a 5\n|b: *a\n'))?.covered).toBe('b');
  });
});

it.each([
  ['`', '`` ` ``'],
  ['a``b', '```a``b```'],
  ['``![](https://evil.example)', '``` ``![](https://evil.example) ```'],
])('keeps %j in its code span', async (value, span) => {
  const shown = await hoverAt(`ajet:\n  model:\n    pa|th: '${value}'\n`);
  expect(shown?.markdown).toContain(`Effective value: ${span}, this file`);
});
