/** Workflows, like judges, may ask the large model beside the one being tuned. */
import { describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { runJson } from '../harness/cli.ts';
import { smallConfig, smallProject, smallWorkflow } from '../harness/project.ts';

const inTypeScript =
  smallWorkflow(`const content = await this.helperLlm.ask([{ role: 'user', content: 'Grade it.' }]);
    return { reward: Number(content), isSuccess: true };`);

const inPython = `from ajet import Workflow, WorkflowOutput
from ajet.task_rollout.dashscope_llm_bridge import create_external_llm_fn

class Small(Workflow):
    async def execute(self, workflow_task, tuner):
        ask = create_external_llm_fn(alien_llm_model='any', alien_llm_response_length=8)
        answer = ask(messages=[{'role': 'user', 'content': 'Grade it.'}])
        return WorkflowOutput(reward=float(answer['content']), is_success=True)
`;

describe('the helper LLM answers a workflow', () => {
  it.each([
    ['TypeScript', { 'workflow.ts': inTypeScript }],
    [
      'Python',
      { 'agent.py': inPython, 'small.yaml': smallConfig.replace('workflow.ts->Small', 'agent.py->Small') },
    ],
  ])('in %s', async (_, files) => {
    const project = await smallProject({ ...files, 'helper.json': '["0.5"]' });
    const args = [
      '--conf',
      'small.yaml',
      '--tasks',
      '1',
      '--helper',
      'script',
      '--helper-script',
      'helper.json',
    ];
    const { episodes } = await runJson(project, [...args, '--python', await ensurePython()]);
    // Its calls are of no episode: nothing is tracked.
    expect(episodes).toMatchObject([{ reward: 0.5, llmCalls: 0, timelines: 0, error: null }]);
  });
});
