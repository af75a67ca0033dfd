import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { CodedError, Location } from '../../../base/core/errors.ts';
import { deepFreeze } from '../../../base/core/deepFreeze.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { Locator } from '../../../configs/core/locator.ts';
import type { UserFunction } from '../function-form/bindByName.ts';
import { asJudgeClass } from '../function-form/functionWorkflow.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import { openAutoGrader } from '../task-judge/auto-grader/autoGrader.ts';
import type { JudgeClass, JudgeContext, UserMethod } from '../task-judge/judge.ts';
import type { RunPlan } from './runPlan.ts';
import type { SourceOf } from './taskSource.ts';
import {
  atCodeLocation,
  judgeOf,
  atConfigLocation,
  type JudgeSource,
  type ResolveLocator,
  type ResolvedLocator,
} from './userClasses.ts';
import type { BuiltInJudge } from '../../../configs/core/builtInJudges.ts';
import {
  CountdownAnswerAsJudge,
  EnvServiceJudge,
  MathAnswerAndLlmAsJudge,
  MathAnswerAsJudge,
} from '../../../sdk/core/index.ts';

export interface JudgeContextParts {
  readonly plan: RunPlan;
  readonly config: Config;
  readonly locate: ResolveLocator;
  readonly decides: JudgeContext['decides'];
  readonly workflow: ResolvedLocator;
  readonly helper: HelperLlm;
  readonly cancellation: CancellationToken;
  readonly sourceOf: SourceOf;
  /** Absolute paths of experiment folders that may have files which the judge wrote earlier. */
  readonly folders: readonly string[];
}

export interface JudgeContextPorts {
  loadJudge(locator: Locator): Promise<JudgeClass | UserFunction>;
  /** Returns the location of a method in the user's code. Never rejects. */
  placeOfMethod(locator: Locator, method: UserMethod): Promise<Location>;
  warn(problem: CodedError): void;
  readonly episodes: Pick<JudgeContext, 'userFrame' | 'userStack' | 'callUser'>;
}

/** Returns the judge of a run. It is resolved and loaded when an episode first needs it. */
export function judgeContextOf(parts: JudgeContextParts, ports: JudgeContextPorts): JudgeContext {
  const { plan, config, locate, workflow, helper, cancellation } = parts;
  const source = once(() => judgeOf(plan, config, locate));
  const place = async (judge: JudgeSource): Promise<Location> =>
    judge.kind === 'file' ? ports.placeOfMethod(judge.locator, 'computeReward') : judge.configLocation;
  const loadJudge = once(async () => {
    const judge = await source();
    if (judge.kind === 'built-in') return classOfBuiltIn(judge.judge);
    if (judge.kind === 'auto-grader') {
      return openAutoGrader({ ...parts, warn: (problem) => ports.warn(problem) });
    }
    const loaded = await atConfigLocation(judge.configLocation, ports.loadJudge(judge.locator));
    return atCodeLocation(
      () => asJudgeClass(loaded),
      () => place(judge),
    );
  });
  return {
    // Frozen, since all episodes share it.
    config: deepFreeze(config.plain()),
    decides: parts.decides,
    loadJudge,
    placeOf: async (method) =>
      method === 'execute' ? ports.placeOfMethod(workflow.locator, method) : place(await source()),
    helperLlm: {
      ask: (messages) => {
        const model = config.string('ajet.task_judge.alien_llm_model');
        const maxTokens = config.integer('ajet.task_judge.alien_llm_response_length');
        return helper.ask(messages, cancellation, { model, maxTokens });
      },
    },
    ...ports.episodes,
  };
}

/** Calls `load` at most once: every episode gets the same value, or the same error. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}

const classes: Readonly<Record<string, JudgeClass>> = {
  MathAnswerAsJudge,
  MathAnswerAndLlmAsJudge,
  CountdownAnswerAsJudge,
  EnvServiceJudge,
};

export function classOfBuiltIn({ name }: BuiltInJudge): JudgeClass {
  const Judge = classes[name];
  if (Judge === undefined) throw new Error(`The judge ${name} has no class.`);
  return Judge;
}
