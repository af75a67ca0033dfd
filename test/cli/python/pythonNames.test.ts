/** Which names of `ajet` code in Python can import: ours first, then those of the user's own package. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { failure, runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, type Project } from '../harness/project.ts';

const worker = path.resolve(import.meta.dirname, '../../../src/python');
const table = path.resolve(import.meta.dirname, '../../fixtures/imported_names/names.json');

/** What upstream's tutorials and documents import and the bundled package leaves to the user's own, and why. */
const leftToTheOwn: Readonly<Record<string, string>> = {
  'ajet.data_generator.config *': 'a script of its own that makes data; runs read what a config names',
  'ajet.task_reader.data_generator_reader DataGeneratorTaskReader': 'the same',
  'ajet.task_judge.rm_auto_grader_judge AutoGraderJudge':
    'a script of its own that grades with RM-Gallery; as the judge of a config (rubrics_auto_grader) ours stands in',
};

const imports = `
import json, sys
from importlib import import_module
from agentjet_worker.stand_in import install

install()
told = []
for module, name in json.load(sys.stdin):
    try:
        found = import_module(module)
        told.append(name in (None, "*") or getattr(found, name) is not None)
    except (ImportError, AttributeError):
        told.append(False)
print(json.dumps(told))
`;

describe('the names that upstream’s tutorials import', () => {
  it('are in the bundled package, but for those that are told', async () => {
    const python = await ensurePython('agentscope1');
    const names = JSON.parse(await readFile(table, 'utf8')) as { module: string; name: string | null }[];
    const current = names.filter(({ module }) => /^(ajet|astuner)\b/.test(module));
    const input = JSON.stringify(current.map(({ module, name }) => [module, name]));
    const env = { ...process.env, PYTHONPATH: worker };
    const answer = execFileSync(python, ['-c', imports], { input, env, encoding: 'utf8' });
    const found = JSON.parse(answer) as boolean[];
    const lacking = current.filter((_, at) => found[at] !== true);
    const told = lacking.map(({ module, name }) =>
      `${module.replace('astuner', 'ajet')} ${name ?? ''}`.trim(),
    );
    expect(Object.keys(leftToTheOwn)).toEqual(expect.arrayContaining(told));
    expect(current.length).toBeGreaterThan(10);
  }, 300_000);
});

describe('a name that the bundled package lacks', () => {
  let python: string;
  beforeAll(async () => {
    python = await ensurePython();
  }, 300_000);

  function project(agent: string, clone: Readonly<Record<string, string>>): Promise<Project> {
    return smallProject({
      'small.yaml': smallConfig.replace('workflow.ts->Small', 'agent.py->Small'),
      'agent.py': `from ajet import Workflow, WorkflowOutput
${agent}

class Small(Workflow):
    async def execute(self, workflow_task, tuner):
        return WorkflowOutput(reward=reward)
`,
      ...clone,
    });
  }
  const args = (): string[] => ['--conf', 'small.yaml', '--tasks', '1', '--python', python];

  it('comes from the user’s own, which imports ours in turn', async () => {
    const made = await project('from ajet.schema.task import reward\nfrom ajet import more\nreward += more', {
      'ajet/__init__.py': 'from ajet.own import more\n',
      'ajet/own.py': 'more = 0.5\n',
      'ajet/schema/__init__.py': '',
      'ajet/schema/task.py':
        'from ajet import Workflow\nreward = 0.25 if "execute" in dir(Workflow) else 0\n',
    });
    const { episodes } = await runJson(made, args());
    expect(episodes).toMatchObject([{ reward: 0.75, error: null }]);
  });

  it.each([
    ['where that needs what is not there', { 'ajet/__init__.py': 'import torch\nNothing = 1\n' }],
    ['where that lacks it too', { 'ajet/__init__.py': 'Something = 1\n' }],
  ])('is told by its name %s', async (_, clone) => {
    const made = await project('from ajet import Nothing', clone);
    expect(await failure(made, args())).toMatchSnapshot();
  });
});
