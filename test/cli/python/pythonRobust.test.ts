/** Python code that misbehaves: what is told of it, and that nothing of it stays. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { failure, runJson } from '../harness/cli.ts';
import { living } from '../harness/processes.ts';
import { rows, smallConfig, smallProject, type Project } from '../harness/project.ts';

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

function project(agent: string, tasks = 1): Promise<Project> {
  return smallProject({
    'small.yaml': smallConfig.replace('workflow.ts->Small', 'agent.py->Small'),
    'agent.py': agent,
    'tasks.jsonl': rows(tasks),
  });
}

describe('trainable_targets', () => {
  it.each([
    ['a text', "str = 'wolf'"],
    ['a list of something else', 'list = [1]'],
  ])('that is %s is told with its place', async (_, annotated) => {
    const made = await project(`from ajet import Workflow


class Small(Workflow):
    trainable_targets: ${annotated}
`);
    expect(await failure(made, ['--conf', 'small.yaml', '--python', python])).toMatchSnapshot();
  });

  it('may be any collection of texts', async () => {
    const made = await project(`from ajet import Workflow, WorkflowOutput


class Small(Workflow):
    trainable_targets: tuple = ('wolf', 'seer')

    async def execute(self, workflow_task, tuner):
        return WorkflowOutput(reward=len(self.trainable_targets))
`);
    const { episodes } = await runJson(made, ['--conf', 'small.yaml', '--tasks', '1', '--python', python]);
    expect(episodes).toMatchObject([{ reward: 2, error: null }]);
  });
});

describe('what code starts', () => {
  it('does not outlive the run, whatever becomes of who started it', async () => {
    const made = await project(
      `import os, subprocess, sys, threading, time
from ajet import Workflow, WorkflowOutput


def child():
    pid = os.fork()
    if pid == 0:
        time.sleep(1000)
        os._exit(0)
    return pid


class Small(Workflow):
    async def execute(self, workflow_task, tuner):
        tell = lambda pid: print('process', pid, flush=True)
        tell(os.getpid())
        match workflow_task.task_id:
            case 't1':
                tell(child())
            case 't2':
                tell(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']).pid)
            case 't3':
                tell(subprocess.Popen(['sleep', '1000'], start_new_session=True).pid)
            case 't4':
                threading.Thread(target=time.sleep, args=(1000,)).start()
            case 't5':
                raise SystemExit(3)
            case 't6':
                tell(child())
                os.kill(os.getpid(), 9)
            case 't7':
                tell(child())
                os._exit(0)
        return WorkflowOutput(reward=1)
`,
      8,
    );
    const args = ['--conf', 'small.yaml', '--tasks', '8', '--parallel', '1', '--python', python];
    const { episodes, stderr } = await runJson(made, args);
    expect(episodes.map(({ error, reward }) => error?.code ?? reward)).toEqual([
      ...[1, 1, 1, 1],
      ...['episode/exit', 'python/died', 'python/died'],
      1,
    ]);
    const pids = [...stderr.matchAll(/^process (\d+)$/gm)].map(([, pid]) => Number(pid));
    // Each episode told its own, and five what they started.
    expect(pids).toHaveLength(13);
    expect(new Set(pids).size).toBe(8);
    await expect.poll(() => living(pids)).toEqual([]);
  });
});
