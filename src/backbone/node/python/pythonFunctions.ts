import {
  FunctionJudge,
  FunctionWorkflow,
  outputOf,
  type WorkflowClass,
  isSuccess,
  rowOf,
} from '../../core/function-form/functionWorkflow.ts';
import { adapterHeader, type AdapterRoute } from '../../core/model-tuner/routing.ts';
import type { JudgeClass } from '../../core/task-judge/judge.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import {
  functionOutput,
  functionVerdict,
  type WorkerMethod,
  experienceRequest,
  loadedTrinity,
  returnedExperiences,
} from '../../core/protocol/worker.ts';
import {
  type AjetTuner,
  type AuxiliaryModels,
  type ChatModel,
  type Verdict,
  type WorkflowOutput,
  type WorkflowTask,
  Workflow,
} from '../../../sdk/core/index.ts';
import { attachProblems } from '../../core/task-runner/episode.ts';
import { conversationTokens, promptTokens, replyTokens } from '../../../tracking/core/experience.ts';
import { finding } from '../../../tracking/core/finding.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';

export interface FunctionPorts {
  readonly name: string;
  readonly file: string | null;
  call(
    method: WorkerMethod,
    task: WorkflowTask,
    params: Readonly<Record<string, unknown>>,
    tuner?: AjetTuner,
  ): Promise<unknown>;
  /** Called for a function that is not async. */
  warn(problem: CodedError): void;
}

/** Returns a workflow that calls a Python function, as for AgentScope's tuner. */
export function pythonWorkflowFunction(ports: FunctionPorts): WorkflowClass {
  const note = notAwaited('workflow', ports);
  const made = class extends FunctionWorkflow {
    override name = ports.name;

    override async execute(task: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
      const name = modelName(tuner.config);
      const params = {
        row: rowOf(task.task),
        model: accessOf(tuner.asChatModel(), { debugModel: null }, name),
        auxiliaryModels: auxiliary(tuner.auxiliaryModels),
      };
      const returned = functionOutput.parse(await ports.call('execute-function', task, params, tuner));
      note(returned.awaited);
      return outputOf(returned);
    }
  };
  return Object.defineProperty(made, 'name', { value: ports.name });
}

export function pythonJudgeFunction(ports: FunctionPorts): JudgeClass {
  const note = notAwaited('judge', ports);
  const made = class extends FunctionJudge {
    override async computeReward(task: WorkflowTask, output: WorkflowOutput): Promise<Verdict> {
      const params = {
        row: rowOf(task.task),
        response: 'response' in output ? output.response : (output.metadata ?? {}),
        auxiliaryModels: auxiliary(this.auxiliaryModels),
      };
      const { reward, metrics, awaited } = functionVerdict.parse(
        await ports.call('judge-function', task, params),
      );
      note(awaited);
      return { reward, metrics, isSuccess: isSuccess(reward) } as Verdict; // checked as that of a class is
    }
  };
  return Object.defineProperty(made, 'name', { value: ports.name });
}

/** Returns how Python's chat models connect to the gateway. */
function accessOf(model: ChatModel, route: AdapterRoute, name: string): Readonly<Record<string, unknown>> {
  const { baseURL, apiKey } = model.asOpenAIClient();
  const sentRoute = route.by === undefined ? route.debugModel : route;
  return { name, baseUrl: baseURL, apiKey, headers: { [adapterHeader]: JSON.stringify(sentRoute) } };
}

function auxiliary(models: AuxiliaryModels): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(models).map(([name, model]) => [
      name,
      accessOf(model, { debugModel: name, by: 'name' }, name),
    ]),
  );
}

/** Returns the name of the model. In training it is the path. */
function modelName(config: Readonly<Record<string, unknown>>): string {
  const section = isRecord(config['ajet']) ? config['ajet']['model'] : undefined;
  const path = isRecord(section) ? section['path'] : undefined;
  return typeof path === 'string' ? path : 'ajet';
}

/** Warns once about a function that is not async. Training awaits its result and would fail. */
function notAwaited(what: string, ports: FunctionPorts): (awaited: boolean) => void {
  const { name, file } = ports;
  let wasReported = false;
  return (awaited) => {
    if (awaited || wasReported) return;
    wasReported = true;
    ports.warn(
      new CodedError({
        code: `${what}/not-async`,
        message: `The ${what} ${name} is not async. Here it runs in a separate thread. Training fails, because it awaits the result.`,
        location: file === null ? undefined : { file },
        hint: `Write \`async def ${name}\`.`,
      }),
    );
  };
}

/** By its name in the registry or a dotted path. An episode is one run of a task. `taskset` is a path in the config. */
export function pythonTrinityWorkflow(ports: FunctionPorts, taskset: string): WorkflowClass {
  const { name } = ports;
  const made = class extends Workflow {
    override name = name;

    override async execute(task: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
      const { baseUrl, apiKey } = tuner.asOaiBaseUrlApiKey();
      const params = {
        workflow: name,
        taskset,
        run: Number(/#R(\d+)$/.exec(task.taskTag)?.[1] ?? 0),
        config: tuner.config,
        access: { baseUrl, apiKey, adapterHeader },
      };
      const returned = returnedExperiences.parse(await ports.call('execute-trinity', task, params, tuner));
      const { problems, reward, ...output } = returned;
      const notes = problems.map(({ code, message }) => finding(code, message));
      return attachProblems({ ...output, reward: reward as number | null }, notes);
    }
  };
  return Object.defineProperty(made, 'name', { value: name });
}

/** Returns the location of a workflow, and the warnings about its plugins. */
export function readLoaded(value: unknown) {
  const { file, line, problems } = loadedTrinity.parse(value);
  return {
    location: file === null ? undefined : { file, ...(line !== null && { line }) },
    warnings: problems.map(
      ({ code = 'trinity/plugin-failed', message, hint, ...at }) =>
        new CodedError({
          code,
          message,
          hint: hint ?? undefined,
          ...(at.file !== undefined && { location: { file: at.file, line: at.line } }),
        }),
    ),
  };
}

/** Returns the tokens of a prompt, of an answer with its prompt, or of a conversation. */
export async function answerExperience(
  params: Readonly<Record<string, unknown>>,
  openText: () => Promise<ModelText>,
): Promise<unknown> {
  const { of: asked, messages, tools, reply } = experienceRequest.parse(params);
  const text = await openText();
  const conversation = { messages, tools };
  if (asked === 'prompt') return promptTokens(text, conversation);
  if (reply !== null) return replyTokens(text, conversation, reply);
  return conversationTokens(text, conversation);
}
