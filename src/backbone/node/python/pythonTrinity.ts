import type { WorkflowClass } from '../../core/function-form/functionWorkflow.ts';
import { adapterHeader } from '../../core/model-tuner/routing.ts';
import { attachProblems } from '../../core/task-runner/episode.ts';
import { CodedError, type Location } from '../../../base/core/errors.ts';
import {
  experienceRequest,
  loadedTrinity,
  returnedExperiences,
  type WorkerMethod,
} from '../../core/protocol/worker.ts';
import { conversationTokens, promptTokens, replyTokens } from '../../../tracking/core/experience.ts';
import { finding } from '../../../tracking/core/finding.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';
import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from '../../../sdk/core/index.ts';

export interface TrinityPorts {
  /** The name in Trinity's registry, or a dotted path. */
  readonly name: string;
  /** Path of the taskset in the config. */
  readonly taskset: string;
  call(
    method: WorkerMethod,
    task: WorkflowTask,
    params: Readonly<Record<string, unknown>>,
    tuner: AjetTuner,
  ): Promise<unknown>;
}

/** Returns a workflow of Trinity-RFT. An episode is one run of a task. */
export function pythonTrinityWorkflow(ports: TrinityPorts): WorkflowClass {
  const { name, taskset } = ports;
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
  Object.defineProperty(made, 'name', { value: name });
  return made;
}

/** The location of a workflow, and warnings about its plugins. */
export interface LoadedTrinity {
  readonly location: Location | undefined;
  readonly warnings: readonly CodedError[];
}

export function readLoaded(value: unknown): LoadedTrinity {
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
