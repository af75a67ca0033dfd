/** Checks the lengths of prompts, replies and samples against the limits of the config. */
import type { LengthLimits } from './records/tracedRun.ts';
import type { CallProblem } from './problems.ts';
import type { TrainingSample } from './samples.ts';

/** With an approximate tokenizer, lengths from this share of a limit on may be over it. */
const nearShare = 0.9;

/** A length that upstream compares with a limit. */
interface Measured {
  /** e.g. `the prompt`. */
  readonly what: string;
  readonly tokens: number;
  readonly limit: number;
  /** e.g. `ajet.data.max_prompt_length`. */
  readonly limitName: string;
}

interface LengthRule extends Measured {
  readonly code: CallProblem['code'];
  readonly severity: CallProblem['severity'];
  /** True if a length equal to the limit is too long. */
  readonly below: boolean;
  /** The effect of a length over the limit in training. */
  readonly consequence: string;
}

/** Returns true if a prompt leaves too little room for the longest reply. Upstream checks this before the call. */
export function overflows(tokens: number, { modelLength, turnLength }: LengthLimits): boolean {
  return tokens >= modelLength - turnLength;
}

/** Returns the problem of a prompt over the limit. An approximate count is used if there is no exact one. */
export function promptProblem(tokens: number, limits: LengthLimits, exact: boolean): CallProblem | undefined {
  const rule: LengthRule = {
    code: 'context-overflow',
    severity: 'error',
    what: 'the prompt',
    tokens,
    limit: limits.modelLength - limits.turnLength,
    limitName: 'ajet.rollout.max_model_len minus ajet.rollout.max_response_length_in_one_turn',
    below: true,
    consequence:
      'As in training, the model is not called. The workflow gets a fixed reply, and the call is not recorded.',
  };
  if (exact || !overflows(tokens, limits)) return judge(rule, exact);
  const clause = `the prompt has about ${tokens} tokens, but ${rule.limitName} allows fewer than ${rule.limit}. ${rule.consequence} The count is approximate, because the tokenizer of the model is not available, so training may call the model.`;
  return { code: rule.code, severity: rule.severity, clause };
}

/** Upstream rejects a reply over the turn limit, the template's tokens included, and a call over the model length. */
export function replyProblem(
  tokens: { readonly reply: number; readonly whole: number },
  limits: LengthLimits,
  exact: boolean,
): CallProblem | undefined {
  const consequence = 'In training AgentJet rejects the call.';
  const shared = { severity: 'error', below: false, consequence } as const;
  const reply = {
    ...shared,
    code: 'reply-exceeds-turn-limit' as const,
    what: 'the reply with the tokens of the template',
    tokens: tokens.reply,
    limit: limits.turnLength,
    limitName: 'ajet.rollout.max_response_length_in_one_turn',
  };
  const whole = {
    ...shared,
    code: 'timeline-exceeds-model-len' as const,
    what: 'the conversation with its reply',
    tokens: tokens.whole,
    limit: limits.modelLength,
    limitName: 'ajet.rollout.max_model_len',
  };
  return judge(reply, exact) ?? judge(whole, exact);
}

/** @param trains whether the episode has any token in the loss once all its samples are cut */
export function sampleProblems(
  sample: TrainingSample,
  limits: LengthLimits,
  options: { readonly exact: boolean; readonly trains: boolean },
): readonly CallProblem[] {
  const prompt: LengthRule = {
    code: 'prompt-too-long',
    severity: 'warning',
    what: "the timeline's prompt",
    tokens: sample.prefixTokens,
    limit: limits.promptLength,
    limitName: 'ajet.data.max_prompt_length',
    below: false,
    consequence: 'AgentJet counts the rest as response, which leaves less room for replies.',
  };
  const response: LengthRule = {
    code: 'response-cut',
    severity: options.trains ? 'warning' : 'error',
    what: "the timeline's response",
    tokens: sample.inputIds.length - sample.promptTokens + sample.cutTokens,
    limit: limits.responseLength,
    limitName: 'ajet.data.max_response_length',
    below: false,
    consequence: `AgentJet truncates it and removes ${sample.cutTrainable} of the tokens that count in the loss.`,
  };
  const refused = sample.refusal === null ? [] : [sampleRefused(sample.refusal)];
  return [...refused, ...[prompt, response].flatMap((rule) => judge(rule, options.exact) ?? [])];
}

function sampleRefused(refusal: string): CallProblem {
  const clause = `the timeline gives no sample: ${refusal}. In training AgentJet rejects it.`;
  return { code: 'sample-refused', severity: 'error', clause };
}

function judge(rule: LengthRule, exact: boolean): CallProblem | undefined {
  if (!exact) return nearLimit(rule);
  const fits = rule.below ? rule.tokens < rule.limit : rule.tokens <= rule.limit;
  if (fits) return undefined;
  const allowed = rule.below ? `fewer than ${rule.limit}` : `at most ${rule.limit}`;
  const clause = `${rule.what} has ${rule.tokens} tokens, but ${rule.limitName} allows ${allowed}. ${rule.consequence}`;
  return { code: rule.code, severity: rule.severity, clause };
}

function nearLimit({ what, tokens, limit, limitName }: Measured): CallProblem | undefined {
  if (tokens < limit * nearShare) return undefined;
  const clause = `${what} has about ${tokens} tokens, near or over the ${limit} of ${limitName}. The count is approximate, because the tokenizer of the model is not available.`;
  return { code: 'near-limit', severity: 'warning', about: limitName, clause };
}
