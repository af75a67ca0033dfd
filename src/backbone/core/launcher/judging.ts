import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { CodedError, Location } from '../../../base/core/errors.ts';
import { deepFreeze } from '../../../base/core/deepFreeze.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { Locator } from '../../../configs/core/locator.ts';
import type { UserFunction } from '../function-form/calledByName.ts';
import { asJudgeClass } from '../function-form/functionJudge.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import { openAutoGrader } from '../task-judge/auto-grader/autoGrader.ts';
import { classOfBuiltIn } from '../task-judge/builtIn.ts';
import type { JudgeClass, Judging, UserMethod } from '../task-judge/judge.ts';
import type { RunPlan } from './runPlan.ts';
import type { SourceOf } from './taskSource.ts';
import { formed, judgeOf, namedAt, type JudgeSource, type Locate, type Place } from './userClasses.ts';

export interface JudgingParts {
  readonly plan: RunPlan;
  readonly config: Config;
  readonly locate: Locate;
  readonly decides: Judging['decides'];
  readonly workflow: Place;
  readonly helper: HelperLlm;
  readonly cancellation: CancellationToken;
  readonly sourceOf: SourceOf;
  /** Absolute, of experiments: where what a judge made earlier may be. */
  readonly folders: readonly string[];
}

export interface JudgingPorts {
  loadJudge(locator: Locator): Promise<JudgeClass | UserFunction>;
  placeOfMethod(locator: Locator, method: UserMethod): Promise<Location>;
  warn(problem: CodedError): void;
  readonly episodes: Pick<Judging, 'userFrame'>;
}

/** The run's judge, found and loaded when an episode first needs it. */
export function judgingOf(parts: JudgingParts, ports: JudgingPorts): Judging {
  const { plan, config, locate, workflow, helper, cancellation } = parts;
  const source = once(() => judgeOf(plan, config, locate));
  const place = async (judge: JudgeSource): Promise<Location> =>
    judge.kind === 'file' ? ports.placeOfMethod(judge.locator, 'computeReward') : judge.namedAt;
  const loadJudge = once(async () => {
    const judge = await source();
    if (judge.kind === 'built-in') return classOfBuiltIn(judge.judge);
    if (judge.kind === 'auto-grader') {
      return openAutoGrader({ ...parts, warn: (problem) => ports.warn(problem) });
    }
    const loaded = await namedAt(judge.namedAt, ports.loadJudge(judge.locator));
    return formed(
      () => asJudgeClass(loaded),
      () => place(judge),
    );
  });
  return {
    // One for all episodes, of which none is to change what the others see.
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
    userFrame: (error) => ports.episodes.userFrame(error),
  };
}

/** Asks at most once: every episode gets the same answer, or the same error. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
