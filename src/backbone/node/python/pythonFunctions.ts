import { FunctionJudge } from '../../core/function-form/functionJudge.ts';
import { FunctionWorkflow, outputOf, type WorkflowClass } from '../../core/function-form/functionWorkflow.ts';
import { isSuccess, rowOf } from '../../core/function-form/taskRow.ts';
import { adapterHeader, type AdapterRoute } from '../../core/model-tuner/routing.ts';
import type { JudgeClass } from '../../core/task-judge/judge.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { functionOutput, functionVerdict, type WorkerMethod } from '../../core/protocol/worker.ts';
import type {
  AjetTuner,
  AuxiliaryModels,
  ChatModel,
  Verdict,
  WorkflowOutput,
  WorkflowTask,
} from '../../../sdk/core/index.ts';

/** What carries out the functions of one locator. */
export interface FunctionPorts {
  readonly name: string;
  readonly file: string | null;
  call(
    method: WorkerMethod,
    task: WorkflowTask,
    params: Readonly<Record<string, unknown>>,
    tuner?: AjetTuner,
  ): Promise<unknown>;
  /** Hears of a function that is not async. */
  warn(problem: CodedError): void;
}

/** A workflow that is a function in Python, as AgentScope's tuner has them. */
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
  Object.defineProperty(made, 'name', { value: ports.name });
  return made;
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
  Object.defineProperty(made, 'name', { value: ports.name });
  return made;
}

/** How Python's chat models reach the gateway. */
function accessOf(model: ChatModel, route: AdapterRoute, name: string): Readonly<Record<string, unknown>> {
  const { baseURL, apiKey } = model.asOpenAIClient();
  const told = route.by === undefined ? route.debugModel : route;
  return { name, baseUrl: baseURL, apiKey, headers: { [adapterHeader]: JSON.stringify(told) } };
}

function auxiliary(models: AuxiliaryModels): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(models).map(([name, model]) => [
      name,
      accessOf(model, { debugModel: name, by: 'name' }, name),
    ]),
  );
}

/** In training it is the path of the model. */
function modelName(config: Readonly<Record<string, unknown>>): string {
  const section = isRecord(config['ajet']) ? config['ajet']['model'] : undefined;
  const path = isRecord(section) ? section['path'] : undefined;
  return typeof path === 'string' ? path : 'ajet';
}

/** Training awaits whatever a function returns, and fails with what cannot be awaited. Told once. */
function notAwaited(what: string, ports: FunctionPorts): (awaited: boolean) => void {
  const { name, file } = ports;
  let isTold = false;
  return (awaited) => {
    if (awaited || isTold) return;
    isTold = true;
    ports.warn(
      new CodedError({
        code: `${what}/not-async`,
        message: `The ${what} ${name} is not async. It runs here, in a thread of its own; training awaits what it returns, and would fail.`,
        location: file === null ? undefined : { file },
        hint: `Write \`async def ${name}\`.`,
      }),
    );
  };
}
