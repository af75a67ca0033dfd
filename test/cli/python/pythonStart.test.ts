/** Interpreters that will not do, and what is taken of the environment that one is started in. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { failure, runJson } from '../harness/cli.ts';
import { living } from '../harness/processes.ts';
import { smallConfig, smallProject, type Project } from '../harness/project.ts';

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const imports = 'from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask\n';

function workflow(body: string): string {
  return `${imports}

class Small(Workflow):
    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        ${body.trim().replaceAll('\n', '\n        ')}
`;
}

function project(files: Readonly<Record<string, string>>): Promise<Project> {
  const config = smallConfig.replace('workflow.ts->Small', 'agent.py->Small');
  return smallProject({
    'small.yaml': config,
    'agent.py': workflow('return WorkflowOutput(reward=1)'),
    ...files,
  });
}

const conf = ['--conf', 'small.yaml', '--tasks', '1'];

/** A program of that name in the project, which a shell runs. */
async function program(made: Project, script: string): Promise<string> {
  const file = made.path('python');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

describe('an interpreter', () => {
  it.each([
    ['that is too old', `PYTHONPATH="$PYTHONPATH:$(dirname "$0")/old" exec PYTHON "$@"`],
    ['that ends at once', 'echo "no encodings" >&2; exit 1'],
  ])('%s is told', async (_, script) => {
    const made = await project({
      'old/sitecustomize.py': `import sys\nsys.version_info = (3, 8, 20, 'final', 0)\n`,
    });
    const own = await program(made, script.replace('PYTHON "', `${python} "`));
    const told = await failure(made, [...conf, '--python', own]);
    expect(told.replaceAll(python, '<python>')).toMatchSnapshot();
  });

  it('that may not be run is told', async () => {
    const made = await project({ 'not-a-program': '' });
    expect(await failure(made, [...conf, '--python', './not-a-program'])).toMatchSnapshot();
  });

  it('whose environment has lost its Python is told, and no other takes its place', async () => {
    const made = await project({ '.venv/pyvenv.cfg': 'home = /no/such/folder\n' });
    await mkdir(made.path('.venv/bin'));
    await symlink('/no/such/folder/python3', made.path('.venv/bin/python'));
    expect(await failure(made, conf)).toMatchSnapshot();
  });
});

describe('a start that hangs', () => {
  it('is ended when its time is over, and leaves Python’s stack', async () => {
    const made = await project({
      'slow/sitecustomize.py': `import os, pathlib, time
def wait_for_the_moon():
    pathlib.Path('begun').write_text(str(os.getpid()))
    time.sleep(1000)
wait_for_the_moon()
`,
    });
    const program = path.join(import.meta.dirname, '../programs/startsWorker.ts');
    const run = spawn(process.execPath, [program, python, path.join(inject('dist'), 'python')], {
      cwd: made.folder,
      env: { ...process.env, PYTHONPATH: made.path('slow') },
    });
    onTestFinished(() => void run.kill('SIGKILL'));
    const [stdout, stderr] = await Promise.all([text(run.stdout), text(run.stderr)]);
    const { code, message } = JSON.parse(stdout) as { code: string; message: string };
    expect([code, message.replace(python, '<python>')]).toEqual([
      'python/hangs',
      '<python> was stopped: it was not ready after 60 s, before any code of the run.',
    ]);
    expect(stderr).toMatch(/sitecustomize\.py", line \d+ in wait_for_the_moon/);
    expect(living([Number(await made.read('begun'))])).toEqual([]);
  });
});

describe('what Python code finds', () => {
  it('is the environment, the folder and the search path that ajet has', async () => {
    const made = await project({
      '.env': 'FROM_FILE=file\nIN_BOTH=file\n',
      'lib/helper_of_mine.py': 'value = 0.5\n',
      'agent.py': `import os, subprocess, sys
import helper_of_mine
${workflow(`
assert os.environ['FROM_FILE'] == 'file'
assert os.environ['IN_BOTH'] == 'process'
assert os.environ['PYTHONPATH'].split(os.pathsep)[1:] == ['lib'], os.environ['PYTHONPATH']
assert sys.path[0] == os.getcwd() == os.path.dirname(os.path.abspath(__file__))
assert not [folder for folder in sys.path if os.path.isdir(os.path.join(folder, 'agentjet_worker'))]
assert subprocess.run([sys.executable, '-c', 'import ajet, helper_of_mine']).returncode == 0
return WorkflowOutput(reward=helper_of_mine.value)`)}`,
    });
    const env = { IN_BOTH: 'process', PYTHONPATH: 'lib' };
    const { episodes } = await runJson(made, [...conf, '--python', python], { env });
    expect(episodes).toMatchObject([{ reward: 0.5, error: null }]);
  });

  it('stays out of what the run leaves behind, secrets above all', async () => {
    const secrets = ['sk-of-the-process-7f3a', 'sk-of-the-file-91bc', 'sk-of-the-config-55de'];
    const [OPENAI_API_KEY, inFile, MY_TOKEN] = secrets;
    const made = await project({
      '.env': `DASHSCOPE_API_KEY=${inFile}\n`,
      'answers.json': '["Two."]',
      'agent.py': workflow(`
client = tuner.as_raw_openai_sdk_client()
await client.chat.completions.create(messages=[{'role': 'user', 'content': 'Hello'}])
return WorkflowOutput(reward=1)`),
    });
    await made.edit('small.yaml', '  rollout:\n', '  token: ${oc.env:MY_TOKEN}\n  rollout:\n');
    const args = [...conf, '--python', python, '--model', 'script', '--script', 'answers.json'];
    const { episodes } = await runJson(made, args, { env: { OPENAI_API_KEY, MY_TOKEN } });
    expect(episodes).toMatchObject([{ reward: 1, llmCalls: 1 }]);
    const left = await everythingIn(made.path('saved_experiments'));
    expect(left.size).toBeGreaterThan(1);
    for (const secret of secrets) {
      expect([...left].filter(([, bytes]) => bytes.includes(secret)).map(([file]) => file)).toEqual([]);
    }
  });
});

async function everythingIn(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    return [path.relative(folder, file), await readFile(file)] as const;
  });
  return new Map(await Promise.all(read));
}
