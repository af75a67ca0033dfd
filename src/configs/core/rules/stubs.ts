import type { CodeSite } from '../code/classes.ts';

export interface ClassRole {
  /** For messages. */
  readonly what: 'workflow' | 'judge';
  readonly base: string;
  /** Bases that make a class something else. */
  readonly others: readonly string[];
  /** True if a class without that base fails. */
  readonly needsBase: boolean;
}

const workflow: ClassRole = { what: 'workflow', base: 'Workflow', others: ['BaseJudge'], needsBase: true };
/** A judge is made with the config and asked for `compute_reward`, whatever it extends. */
const judge: ClassRole = { what: 'judge', base: 'BaseJudge', others: ['Workflow'], needsBase: false };

export function roleOf(locatorKey: string): ClassRole {
  return /judge[^.]*$/.test(locatorKey) ? judge : workflow;
}

interface StubRequest {
  readonly role: ClassRole;
  readonly name: string;
  readonly file: string;
  /** Classes that the file has already; undefined where there is no file. */
  readonly sites: readonly CodeSite[] | undefined;
  /** The Python package that workflows import: the name of the config's section. */
  readonly package: string;
}

/** A class to start from, as text to add to the file; undefined for a file that is no program. */
export function stubOf(request: StubRequest): string | undefined {
  const { file, sites } = request;
  const text = file.endsWith('.py') ? pythonStub(request) : typescriptStub(request);
  if (text === undefined || sites === undefined) return text;
  return `\n\n${text}`;
}

const tuners: Readonly<Record<string, string>> = { ajet: 'AjetTuner', astuner: 'ModelTuner' };

function pythonStub({ role, name, package: module }: StubRequest): string {
  if (role.what === 'judge') {
    return `from ${module} import WorkflowOutput, WorkflowTask
from ${module}.task_judge.base_judge import BaseJudge


class ${name}(BaseJudge):
    """Scores an episode whose workflow returned no reward."""

    def compute_reward(
        self, workflow_task: WorkflowTask, workflow_output: WorkflowOutput
    ) -> tuple[float, bool]:
        given = workflow_output.metadata.get("final_answer", "")
        expected = workflow_task.task.metadata.get("answer", "")
        is_success = given == expected
        return (1.0 if is_success else 0.0), is_success
`;
  }
  const tuner = tuners[module] ?? 'AjetTuner';
  return `from ${module} import ${tuner}, Workflow, WorkflowOutput, WorkflowTask


class ${name}(Workflow):
    """One episode: calls the model. The judge computes the reward."""

    async def execute(self, workflow_task: WorkflowTask, tuner: ${tuner}) -> WorkflowOutput:
        client = tuner.as_raw_openai_sdk_client()
        completion = await client.chat.completions.create(
            model="agent",
            messages=[{"role": "user", "content": workflow_task.task.main_query}],
        )
        answer = completion.choices[0].message.content or ""
        return WorkflowOutput(reward=None, metadata={"final_answer": answer})
`;
}

/** Returns a TypeScript stub. In an existing file it uses one namespace import, which cannot clash with other names. */
function typescriptStub({ role, name, file, sites }: StubRequest): string | undefined {
  const typed = /\.(?:[mc]?ts|tsx)$/.test(file);
  if (!typed && !/\.[mc]?jsx?$/.test(file)) return undefined;
  const imported = sites?.some(({ bases }) => bases.some((base) => base.startsWith('agentjet.'))) === true;
  const from = sites === undefined ? '' : 'agentjet.';
  const head =
    sites === undefined ? importOf(role, typed) : imported ? '' : "import * as agentjet from 'agentjet';\n\n";
  const type = (text: string): string => (typed ? `: ${text}` : '');
  const override = typed ? 'override ' : '';
  if (role.what === 'judge') {
    return `${head}/** Scores an episode whose workflow returned no reward. */
export class ${name} extends ${from}BaseJudge {
  ${override}computeReward(workflowTask${type(`${from}WorkflowTask`)}, workflowOutput${type(`${from}WorkflowOutput`)})${type(`${from}JudgeVerdict`)} {
    const isSuccess = workflowOutput.metadata?.['final_answer'] === workflowTask.task.metadata['answer'];
    return { reward: isSuccess ? 1 : 0, isSuccess };
  }
}
`;
  }
  return `${head}/** One episode: calls the model. The judge computes the reward. */
export class ${name} extends ${from}Workflow {
  ${override}async execute(workflowTask${type(`${from}WorkflowTask`)}, tuner${type(`${from}AjetTuner`)})${type(`Promise<${from}WorkflowOutput>`)} {
    const client = tuner.asOpenAIClient();
    const completion = await client.chat.completions.create({
      model: 'agent',
      messages: [{ role: 'user', content: workflowTask.task.main_query }],
    });
    const answer = completion.choices[0]?.message.content ?? '';
    return { reward: null, metadata: { final_answer: answer } };
  }
}
`;
}

function importOf({ what }: ClassRole, typed: boolean): string {
  const [base, ...types] =
    what === 'judge'
      ? ['BaseJudge', 'JudgeVerdict', 'WorkflowOutput', 'WorkflowTask']
      : ['Workflow', 'AjetTuner', 'WorkflowOutput', 'WorkflowTask'];
  const names = typed ? [base, ...types.map((type) => `type ${type}`)] : [base];
  return `import { ${names.join(', ')} } from 'agentjet';\n\n`;
}
