import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const exampleFolder = path.resolve(import.meta.dirname, '../../../media/examples/math_agent');

/** A folder of a user's, which goes with the test. */
export class Project {
  readonly folder: string;

  /** Use {@link emptyProject}, {@link smallProject} or {@link exampleProject}. */
  constructor(folder: string) {
    this.folder = folder;
  }

  path(file: string): string {
    return path.join(this.folder, file);
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(this.path(file)), { recursive: true });
      await writeFile(this.path(file), text);
    }
  }

  read(file: string): Promise<string> {
    return readFile(this.path(file), 'utf8');
  }

  /** The names in a folder; none where there is no such folder. */
  async list(folder: string): Promise<string[]> {
    return (await readdir(this.path('.'))).includes(folder.split('/')[0] ?? '')
      ? readdir(this.path(folder))
      : [];
  }

  async edit(file: string, from: string | RegExp, to: string): Promise<void> {
    const text = await this.read(file);
    const edited = text.replace(from, to);
    if (edited === text) throw new Error(`${file} has no ${String(from)}.`);
    await this.write({ [file]: edited });
  }
}

export async function emptyProject(): Promise<Project> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'agentjet-project-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return new Project(folder);
}

export async function exampleProject(): Promise<Project> {
  const project = await emptyProject();
  await cp(exampleFolder, project.folder, { recursive: true });
  return project;
}

export const smallConfig = `ajet:
  experiment_name: small
  task_reader:
    type: jsonl_dataset_file
    jsonl_dataset_file:
      training:
        file_path: tasks.jsonl
  rollout:
    user_workflow: workflow.ts->Small
    num_repeat: 1
hydra:
  searchpath:
    - file://ajet/default_config
defaults:
  - ajet_default
  - _self_
`;

/** `smallConfig` with two tasks, t1 and t2, and whatever else is given. */
export async function smallProject(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = await emptyProject();
  const workflow = smallWorkflow('return { reward: 1, isSuccess: true };');
  await project.write({
    'small.yaml': smallConfig,
    'tasks.jsonl': rows(2),
    'workflow.ts': workflow,
    ...files,
  });
  return project;
}

export function rows(count: number): string {
  const row = (_: unknown, index: number): string =>
    JSON.stringify({ task_id: `t${index + 1}`, main_query: `What is ${index} + 1?` });
  return `${Array.from({ length: count }, row).join('\n')}\n`;
}

/** The body begins in line 4, column 5. */
export function smallWorkflow(body: string): string {
  return `import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';
export class Small extends Workflow {
  async execute(workflowTask: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    ${body}
  }
}
`;
}
