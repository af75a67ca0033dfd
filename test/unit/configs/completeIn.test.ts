import { describe, expect, it } from 'vitest';
import type { CodeSite } from '../../../src/configs/core/code/classes.ts';
import { completeIn } from '../../../src/configs/core/completion/completeIn.ts';
import type { Completion } from '../../../src/configs/core/completion/completion.ts';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { applyEdits } from '../../../src/configs/core/text.ts';
import { atCaret } from './caret.ts';
import { memoryFiles, posix } from './memoryFiles.ts';

interface Around {
  readonly files?: Readonly<Record<string, string>>;
  readonly sites?: readonly CodeSite[];
}

async function offeredAt(marked: string, { files = {}, sites = [] }: Around = {}): Promise<Completion[]> {
  const { text, offset } = atCaret(marked);
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('the text is of no dialect');
  const configEnvironment = {
    file: '/project/conf/exp.yaml',
    cwd: '/project',
    files: memoryFiles(files),
    paths: posix,
    environment: () => undefined,
    classes: {
      find: () => Promise.resolve({ status: 'elsewhere' } as const),
      all: () => Promise.resolve(sites),
    },
  };
  const offered = await completeIn(parseConfig(text), offset, { dialect, configEnvironment });
  return offered.sort((a, b) => (a.sortText < b.sortText ? -1 : 1));
}

async function labelsAt(marked: string, around?: Around): Promise<string[]> {
  return (await offeredAt(marked, around)).map((one) => one.label);
}

async function chosen(marked: string, label: string, around?: Around): Promise<string> {
  const found = (await offeredAt(marked, around)).find((one) => one.label === label);
  if (found === undefined) throw new Error(`${label} is not offered`);
  return applyEdits(atCaret(marked).text, [found.edit]);
}

describe('within `${…}`', () => {
  const head = 'ajet:\n  project_name: mine\n  data:\n    train_batch_size: 8\n';

  it('offers paths of the effective config with their values', async () => {
    const offered = await offeredAt(`${head}  experiment_name: \${|}\n`);
    expect(offered.find((one) => one.label === 'ajet.data.train_batch_size')).toMatchObject({
      kind: 'reference',
      detail: '8',
      filterText: 'ajet.data.train_batch_size',
    });
    const labels = offered.map((one) => one.label);
    expect(labels).toContain('ajet.rollout.num_repeat');
    expect(labels).toContain('oc.env');
    expect(labels).not.toContain('ajet.experiment_name');
    expect(labels.indexOf('ajet.data')).toBeGreaterThan(labels.indexOf('ajet.data.train_batch_size'));
  });

  it('takes the place of what is written, and closes what is open', async () => {
    expect(await chosen(`${head}  experiment_name: \${ajet.pr|}\n`, 'ajet.project_name')).toContain(
      'experiment_name: ${ajet.project_name}\n',
    );
    expect(await chosen(`${head}  experiment_name: a_\${ajet.pr|\n`, 'ajet.project_name')).toContain(
      'experiment_name: a_${ajet.project_name}\n',
    );
    expect(await chosen(`${head}  experiment_name: "\${|.x}"\n`, 'ajet.project_name')).toContain(
      'experiment_name: "${ajet.project_name}"\n',
    );
  });

  it('offers relative paths behind dots', async () => {
    expect(await labelsAt(`${head}    max_prompt_length: \${.|}\n`)).toContain('.train_batch_size');
    expect(await labelsAt(`${head}    max_prompt_length: \${..|}\n`)).toContain('..project_name');
    expect(await labelsAt(`${head}    max_prompt_length: \${....|}\n`)).toEqual([]);
  });

  it('offers resolvers as snippets, and paths to those that take one', async () => {
    const environment = (await offeredAt(`${head}  experiment_name: \${|}\n`)).find(
      (one) => one.label === 'oc.env',
    );
    expect(environment).toMatchObject({ kind: 'resolver', snippet: true });
    expect(environment?.edit.newText).toBe('oc.env:${1:NAME}');
    expect(environment?.documentation).toContain('environment variable');
    const open = (await offeredAt(`${head}  experiment_name: \${|\n`)).find(
      (one) => one.label === 'oc.select',
    );
    expect(open?.edit.newText).toBe('oc.select:${1:path}\\}');
    expect(await labelsAt(`${head}  experiment_name: \${oc.select:|}\n`)).toContain('ajet.project_name');
    expect(await labelsAt(`${head}  experiment_name: \${oc.env:|}\n`)).toEqual([]);
  });

  it('works beside another, nested, and in text that is broken below', async () => {
    expect(await labelsAt(`${head}  experiment_name: \${ajet.data}\${|}\n`)).toContain('ajet.project_name');
    expect(await labelsAt(`${head}  experiment_name: \${oc.decode:\${|}}\n`)).toContain('ajet.project_name');
    expect(await labelsAt(`${head}  experiment_name: \${|}\n  : : {\n`)).toContain('ajet.project_name');
    expect(await labelsAt(`${head}  experiment_name: \\\${|}\n`)).not.toContain('ajet.project_name');
  });
});

describe('entries of `defaults`', () => {
  const head = 'ajet: {}\nhydra:\n  searchpath:\n    - file://conf\ndefaults:\n  - ajet_default\n';
  const files = {
    '/project/conf/base.yaml': 'ajet: {}',
    '/project/conf/notes.md': '',
    '/project/conf/db/mysql.yaml': '',
  };

  it('are the files of the search path, what is bundled, and the file itself', async () => {
    expect(await labelsAt(`${head}  - |\n`, { files })).toEqual([
      'verl_default',
      'trinity_default',
      '_self_',
      'base',
    ]);
    expect(await chosen(`${head}  - ba|\n`, 'base', { files })).toContain('  - ajet_default\n  - base\n');
  });

  it('are files of a group behind its name', async () => {
    expect(await labelsAt(`${head}  - db: |\n`, { files })).toEqual(['mysql']);
    expect(await labelsAt(`${head}  - override /db@x: |\n`, { files })).toEqual(['mysql']);
  });
});

describe('paths', () => {
  const head = 'ajet:\n  task_reader:\n    jsonl_dataset_file:\n      training:\n';
  const files = {
    '/project/data/train.jsonl': '',
    '/project/data/more/x.jsonl': '',
    '/project/data/.hidden': '',
  };

  it('are of the folder that is written so far, from where training starts', async () => {
    expect(await labelsAt(`${head}        file_path: data/|\n`, { files })).toEqual(
      expect.arrayContaining(['data/train.jsonl', 'data/more/']),
    );
    expect(await chosen(`${head}        file_path: "data/tr|"\n`, 'data/train.jsonl', { files })).toContain(
      'file_path: "data/train.jsonl"',
    );
    expect(await labelsAt(`${head}        file_path: |\n`, { files })).toContain('data/');
    expect(await labelsAt(`${head}        file_path: data/|\n`, { files })).not.toContain('data/.hidden');
    expect(await labelsAt(`${head}        file_path: /project/data/|\n`, { files })).toContain(
      '/project/data/train.jsonl',
    );
  });

  it('are folders only where a folder is meant', async () => {
    const folders = await labelsAt('ajet:\n  trainer_common:\n    checkpoint_base_dir: data/|\n', { files });
    expect(folders).toContain('data/more/');
    expect(folders).not.toContain('data/train.jsonl');
    expect(await labelsAt('ajet: {}\nhydra:\n  searchpath:\n    - file://da|\n', { files })).toContain(
      'file://data/',
    );
  });
});

describe('locators', () => {
  const site = (name: string, file: string, more: Partial<CodeSite> = {}): CodeSite => ({
    name,
    kind: 'class',
    language: file.endsWith('.py') ? 'python' : 'typescript',
    file,
    line: 3,
    column: 7,
    bases: [],
    ...more,
  });
  const sites = [
    site('Helper', '/project/agents/util.py'),
    site('MathJudge', '/project/agents/judge.py', { bases: ['BaseJudge'], role: 'judge' }),
    site('MathAgent', '/project/agents/math.py', { bases: ['ajet.Workflow'], role: 'workflow' }),
    site('Solver', '/project/src/solver.ts', { bases: ['Workflow'] }),
    site('Elsewhere', '/other/x.py', { role: 'workflow' }),
  ];

  it('are the classes of the workspace, those that fit first', async () => {
    const workflows = await labelsAt('ajet:\n  rollout:\n    user_workflow: |\n', { sites });
    expect(workflows.filter((one) => one !== 'null' && !one.startsWith('tutorial.'))).toEqual([
      'agents.math->MathAgent',
      'src/solver.ts->Solver',
      'agents.util->Helper',
      'agents.judge->MathJudge',
    ]);
    const [judge] = (await offeredAt('ajet:\n  task_judge:\n    judge_protocol: |\n', { sites })).filter(
      (one) => one.kind === 'class',
    );
    expect(judge).toMatchObject({ label: 'agents.judge->MathJudge', detail: 'class of BaseJudge' });
  });

  it('are the judges that are built in, behind the workspace’s', async () => {
    const offered = await offeredAt('ajet:\n  task_judge:\n    judge_protocol: |\n', { sites });
    const label = 'tutorial.example_countdown.countdown_answer_as_judge->CountdownAnswerAsJudge';
    const builtIn = offered.find((one) => one.label === label);
    expect(builtIn).toMatchObject({ kind: 'class', detail: 'built-in judge of AgentJet' });
    const own = offered.find((one) => one.label === 'agents.judge->MathJudge');
    expect((own?.sortText ?? '') < (builtIn?.sortText ?? '')).toBe(true);
    expect(new Set(offered.map((one) => one.label)).size).toBe(offered.length);
  });

  it('are files where a path is being written', async () => {
    expect(await labelsAt('ajet:\n  rollout:\n    user_workflow: agents/|\n', { sites })).toContain(
      'agents/math.py->MathAgent',
    );
    expect(
      await chosen('ajet:\n  rollout:\n    user_workflow: "src/|"\n', 'src/solver.ts->Solver', { sites }),
    ).toContain('user_workflow: "src/solver.ts->Solver"');
  });

  it('are names of the registry, or dotted paths, in Trinity', async () => {
    const registered = [...sites, site('Registered', '/project/plug/in.py', { registered: 'my_workflow' })];
    const text = 'explorer: {}\nbuffer:\n  explorer_input:\n    default_workflow_type: |\n';
    const classes = (await offeredAt(text, { sites: registered })).filter((one) => one.kind === 'class');
    expect(classes.map((one) => one.label)).toEqual(
      expect.arrayContaining(['my_workflow', 'agents.math.MathAgent']),
    );
    expect(classes.map((one) => one.label).join()).not.toContain('solver');
  });
});

describe('what the table knows', () => {
  it('is offered as without surroundings', async () => {
    expect(await labelsAt('ajet:\n  rollout:\n    |\n')).toContain('num_repeat');
    expect(await labelsAt('ajet:\n  backbone: |\n')).toContain('verl');
  });
});
