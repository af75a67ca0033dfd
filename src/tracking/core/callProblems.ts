/** The problems of single calls. */
import type { CallProblem } from './problems.ts';

/** `externally_interrupted` in AgentJet. */
export const afterStop: CallProblem = {
  code: 'externally-interrupted',
  severity: 'warning',
  clause:
    'the episode was already requested to stop, because its task needed no more episodes. Training drops the call.',
};

/** `already_mad` in AgentJet. */
export const afterMadness: CallProblem = {
  code: 'after-degenerate-reply',
  severity: 'warning',
  clause: 'an earlier reply was degenerate. Training drops the calls after it (`agent_madness_termination`).',
};

export function degenerate(madness: string, reward: number): CallProblem {
  return {
    code: 'degenerate-reply',
    severity: 'warning',
    clause: `the reply is degenerate: ${madness}. In training the whole episode gets the reward ${reward} (\`agent_madness_reward\`).`,
  };
}

/** @param failure the error message of the template */
export function templateFailed(failure: string): CallProblem {
  const reason = (failure.split('\n')[0] ?? '').replace(/\.$/, '');
  const clause = `the chat template fails (${reason}). In training AgentJet gets no tokens for such a request.`;
  return { code: 'template-failed', severity: 'error', clause };
}

export const toolWithoutParameters: CallProblem = {
  code: 'tool-without-parameters',
  severity: 'error',
  clause: 'a tool has no `function.parameters`. In training AgentJet rejects such a request.',
};

export const repeatsHeader: CallProblem = {
  code: 'reply-repeats-header',
  severity: 'error',
  clause: 'the generated text starts with the header of a reply. In training AgentJet rejects the call.',
};

export const endsEarly: CallProblem = {
  code: 'end-token-inside-reply',
  severity: 'error',
  clause: 'the reply has an end token before its end. In training AgentJet rejects the sample.',
};

export const droppedLogprobs: CallProblem = {
  code: 'logprobs-dropped',
  severity: 'warning',
  clause:
    'the tokens that the endpoint reported are not those of the reply’s text, so their log probabilities are not used.',
};

export const foreignTemplate: CallProblem = {
  code: 'foreign-template',
  severity: 'error',
  clause:
    'the chat template does not frame the reply like ChatML. In training AgentJet rejects or corrupts the sample.',
};

export const endTrained: CallProblem = {
  code: 'cut-reply-end-trained',
  severity: 'warning',
  clause:
    'the reply was truncated by length. After its timeline is merged, AgentJet counts the end token of the template in the loss.',
};
