/** The types of the SDK, as the editor of a workflow's author checks them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, inject, it } from 'vitest';
import { exampleProject, type Project } from '../harness/project.ts';

const tsc = path.resolve(import.meta.dirname, '../../../node_modules/typescript7/bin/tsc');

async function check(project: Project): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: project.folder });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

async function typedProject(): Promise<Project> {
  const project = await exampleProject();
  await mkdir(project.path('.agentjet/types'), { recursive: true });
  await copyFile(
    path.join(inject('dist'), 'types/agentjet.d.ts'),
    project.path('.agentjet/types/agentjet.d.ts'),
  );
  return project;
}

it('an example passes without the types of a browser or of Node', async () => {
  const project = await typedProject();
  await project.edit('tsconfig.json', '["ES2023", "DOM"]', '["ES2023"]');
  expect(await check(project)).toEqual({ code: 0, output: '' });
});

it('misuse is told where it is', async () => {
  const project = await typedProject();
  await project.write({
    'misuse.ts': `import { BaseJudge, Workflow, type AjetTuner, type JudgeFunction, type WorkflowFunction, type WorkflowOutput, type WorkflowTask } from 'agentjet';
export class Wrong extends Workflow {
  async execute(workflowTask: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    tuner.asOpenAIClient({ agentNam: 'typo' });
    workflowTask.task.main_query = 'read only';
    await tuner.asOpenAIClient().chat.completions.create({ model: 'm', messages: [{ role: 'nobody', content: '' }] });
    return { reward: [1, 0] };
  }
}
export class NoExecute extends Workflow {}
export class NoVerdict extends BaseJudge {
  override computeReward(): string {
    return 'good';
  }
}
export const noReward: JudgeFunction = ({ task, response }) => ({ metrics: { length: [task, response].length } });
export const noModel: WorkflowFunction = async ({ task, model }) => {
  const { content } = await model([{ role: 'user', content: String(task['question']) }]);
  return { response: content, reward: content[0]?.text };
};
export const right: WorkflowFunction = async ({ model }) => ({ response: (await model([])).message.content });
`,
  });
  const { code, output } = await check(project);
  expect(code).not.toBe(0);
  const lines = output.match(/^misuse\.ts\(\d+/gm)?.map((place) => Number(place.slice('misuse.ts('.length)));
  expect(lines).toEqual([4, 5, 6, 7, 10, 12, 16, 19]);
});
