import type { BuiltInJudge } from '../../../configs/core/builtInJudges.ts';
import {
  CountdownAnswerAsJudge,
  EnvServiceJudge,
  MathAnswerAndLlmAsJudge,
  MathAnswerAsJudge,
} from '../../../sdk/core/index.ts';
import type { JudgeClass } from './judge.ts';

/** The classes of `builtInJudges.ts` by name. */
const classes: Readonly<Record<string, JudgeClass>> = {
  MathAnswerAsJudge,
  MathAnswerAndLlmAsJudge,
  CountdownAnswerAsJudge,
  EnvServiceJudge,
};

export function classOfBuiltIn({ name }: BuiltInJudge): JudgeClass {
  const Judge = classes[name];
  if (Judge === undefined) throw new Error(`The table of judges names ${name}, which has no class.`);
  return Judge;
}
