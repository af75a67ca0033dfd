import {
  BaseJudge,
  JudgeInputError,
  type JudgeVerdict,
  type WorkflowOutput,
  type WorkflowTask,
} from 'agentjet';
import { gradeQuestion, type Grade } from './grading.ts';

const stop = '<stop />';

/**
 * Reward from 0 to 4: 0 for the wrong decision between asking and stopping, else 1 for the right one, up to 2 for what
 * is asked, and up to 1 for its form.
 */
export class Learn2AskJudge extends BaseJudge {
  override async computeReward(
    { task }: WorkflowTask,
    workflowOutput: WorkflowOutput,
  ): Promise<JudgeVerdict> {
    const response = textOf('output', workflowOutput.metadata, 'response');
    const truth = textOf('task', task.metadata, 'decision_truth') || 'continue';
    const facts = textOf('task', task.metadata, 'info_truth');

    const decision = response.includes(stop) ? 'stop' : 'continue';
    if (decision !== truth) return { reward: 0, isSuccess: false };
    const { content, format } =
      decision === 'stop'
        ? gradeStop(response)
        : await gradeQuestion(this.helperLlm, task.init_messages, response, facts);
    const reward = 1 + 2 * content + format;
    // The right decision is what counts as success: it alone makes 1, from which on validation counts success as well.
    return { reward, isSuccess: reward >= 1 };
  }
}

/** There is nothing to ask; only the form can be wrong: a word beside the tag. */
function gradeStop(response: string): Grade {
  return { content: 1, format: response === stop ? 1 : 0 };
}

function textOf(
  source: 'output' | 'task',
  metadata: Readonly<Record<string, unknown>> | undefined,
  name: string,
): string {
  const value = metadata?.[name];
  if (typeof value === 'string') return value;
  const owner = { output: "the workflow's output", task: 'the task' }[source];
  throw new JudgeInputError(
    source,
    `The judge needs metadata.${name} of ${owner} to be a text.`,
    source === 'output' ? `Return {metadata: {${name}}} from execute.` : `Give every row a text ${name}.`,
  );
}
