/** The problems of single calls. */
import type { CallProblem } from './problems.ts';

/** `externally_interrupted` in AgentJet. */
export const afterStop: CallProblem = {
  code: 'externally-interrupted',
  severity: 'warning',
  clause:
    'the episode had been told to stop, because its task needed no more episodes: training leaves it out.',
};

/** `already_mad` in AgentJet. */
export const afterMadness: CallProblem = {
  code: 'after-degenerate-reply',
  severity: 'warning',
  clause:
    'an earlier reply was degenerate, and training keeps nothing that begins after one (`agent_madness_termination`).',
};

export function degenerate(madness: string, reward: number): CallProblem {
  return {
    code: 'degenerate-reply',
    severity: 'warning',
    clause: `the reply is degenerate: ${madness}; training gives the whole episode the reward ${reward} (\`agent_madness_reward\`).`,
  };
}

/** @param failure the error message of the template */
export function templateFailed(failure: string): CallProblem {
  const reason = (failure.split('\n')[0] ?? '').replace(/\.$/, '');
  const clause = `the chat template fails (${reason}); AgentJet makes no tokens of such a request in training.`;
  return { code: 'template-failed', severity: 'error', clause };
}

export const toolWithoutParameters: CallProblem = {
  code: 'tool-without-parameters',
  severity: 'error',
  clause: 'a tool has no `function.parameters`; AgentJet refuses such a request in training.',
};

export const repeatsHeader: CallProblem = {
  code: 'reply-repeats-header',
  severity: 'error',
  clause: 'what the model made begins with the header of a reply; AgentJet refuses the call in training.',
};

export const endsEarly: CallProblem = {
  code: 'end-token-inside-reply',
  severity: 'error',
  clause: 'the reply has an end token before its end; AgentJet refuses the sample in training.',
};

export const foreignTemplate: CallProblem = {
  code: 'foreign-template',
  severity: 'error',
  clause:
    'the chat template frames the reply otherwise than ChatML does; AgentJet refuses or garbles the sample in training.',
};

export const endTrained: CallProblem = {
  code: 'cut-reply-end-trained',
  severity: 'warning',
  clause:
    "the reply was cut by length, yet once its timeline is merged AgentJet counts the template's end token in the loss.",
};
