/** AgentJet's OTLP attributes in addition to the GenAI conventions. */
export const otlpNames = {
  /** `episode`, `call` or `timeline`. */
  kind: 'agentjet.kind',
  rollout: 'agentjet.rollout.id',
  task: 'agentjet.task.id',
  group: 'agentjet.group',
  episode: 'agentjet.episode',
  repeat: 'agentjet.repeat',
  call: 'agentjet.call',
  timeline: 'agentjet.timeline',
  calls: 'agentjet.timeline.calls',
  query: 'agentjet.query',
  reward: 'agentjet.reward',
  isSuccess: 'agentjet.is_success',
  advantage: 'agentjet.advantage',
  /** JSON: a timeline's messages with `token_ids`, `loss_mask` and `logprobs`. */
  messages: 'agentjet.timeline.messages',
  /** JSON: texts by token id. */
  tokenTexts: 'agentjet.timeline.token_texts',
  /** JSON: ids of the chat template's tokens. */
  specialTokens: 'agentjet.timeline.special_tokens',
  /** The parts of a damaged file that could not be read. */
  missing: 'agentjet.missing',
  /** The end state of a tool call or another span. */
  state: 'agentjet.state',
  exactTokenizer: 'agentjet.tokenizer.exact',
  tokenizer: 'agentjet.tokenizer.name',
} as const;
