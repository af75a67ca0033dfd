export { CountdownAnswerAsJudge } from './countdown.ts';
export { EnvServiceJudge } from './envService.ts';
export { JudgeInputError, type InputSource } from './inputs.ts';
export { MathAnswerAndLlmAsJudge, MathAnswerAsJudge } from './math.ts';
