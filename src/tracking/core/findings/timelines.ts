import type { FindingKind } from '../findingKind.ts';

/** The findings about lengths and timelines, and about calls that training drops. */
export const timelineKinds = {
  'context-overflow': {
    target: 'key:ajet.rollout.max_model_len',
    severity: 'error',
    title: 'The prompt leaves no room for a reply',
    explanation:
      'The prompt leaves no room for the longest possible reply, so the model is not called. AgentJet does the same. The workflow receives the fixed reply `ajet_proxy: Exceeded max model context length.`, and the call is not recorded. From then on `tuner.getContextTracker().contextOverflow` is true. If the first prompt of an episode is too long, the episode has no timeline, and AgentJet’s means over its batch become NaN. The built-in tokenizer counts only approximately, so training may call the model in this case, or stop a little earlier.',
    hint: 'End the episode when `contextOverflow` is true, or shorten the conversation. You can also raise `ajet.rollout.max_model_len` or lower `ajet.rollout.max_response_length_in_one_turn`.',
  },
  'reply-exceeds-turn-limit': {
    target: 'key:ajet.rollout.max_response_length_in_one_turn',
    severity: 'error',
    title: 'A reply exceeds the limit of a turn',
    explanation: 'AgentJet rejects the call: an assertion fails, and the attempt at the episode is lost.',
    hint: 'Raise `ajet.rollout.max_response_length_in_one_turn`, or request shorter replies.',
  },
  'timeline-exceeds-model-len': {
    target: 'key:ajet.rollout.max_model_len',
    severity: 'error',
    title: 'A conversation exceeds the model length',
    explanation:
      'Request and reply together are longer than `ajet.rollout.max_model_len`, so AgentJet rejects the call.',
    hint: 'Raise `ajet.rollout.max_model_len`, or shorten the conversation.',
  },
  'prompt-too-long': {
    target: 'key:ajet.data.max_prompt_length',
    severity: 'warning',
    title: 'A prompt exceeds the prompt length of a sample',
    explanation:
      'Tokens beyond `ajet.data.max_prompt_length` count as response, so less room is left for replies.',
    hint: 'Raise `ajet.data.max_prompt_length`, or shorten the first messages.',
  },
  'response-cut': {
    target: 'key:ajet.data.max_response_length',
    severity: 'warning',
    title: 'A response is truncated',
    explanation:
      'Tokens beyond `ajet.data.max_response_length` are removed from the sample and not trained. This is an error if no trainable token is left.',
    hint: 'Raise `ajet.data.max_response_length`, or use fewer turns per episode.',
  },
  'near-limit': {
    severity: 'warning',
    title: 'A length near its limit, with an approximate count',
    explanation:
      'The count comes from another tokenizer than the model’s, so the length may exceed the limit in training.',
    hint: 'Fetch the tokenizer of the model for an exact count.',
  },
  'not-merged': {
    target: 'key:ajet.context_tracker.timeline_merging_policy.timeline_compare_level',
    severity: 'warning',
    title: 'Calls of one agent that do not merge',
    explanation:
      'A later call absorbs an earlier one if it starts with its messages and its reply. If the history changed in between, each call becomes its own sample. Shared tokens are then trained and computed twice, and the reward is spread over more samples. The message shows the first difference and its reason. It also shows how many timelines other settings of `ajet.context_tracker.timeline_merging_policy` give. Timelines of several agents, or with other system prompts, are not counted.',
    hint: 'Append to the messages of the previous call, and keep its reply unchanged. Ignore this finding if you change the history on purpose, for example with a summary, a window, or by removing thoughts.',
  },
  'retokenization-drift': {
    target: 'execute',
    severity: 'warning',
    title: 'A reply that returns as other tokens',
    explanation:
      'A later prompt contains a reply, and the chat template gives other tokens for it than the model generated. The model then continues from a prompt that it is not trained on. If timelines merge by `text`, training uses the tokens of the model. If they merge by `token`, they do not merge. `ajet.context_tracker.fix_retokenization_drift` does not fix this (see `prompt-drift`).',
    hint: 'Merge by text (`timeline_compare_level: text`), and send replies back unchanged. If the template changes replies, such as by removing thoughts, expect this finding at every turn.',
  },
  'prompt-drift': {
    target: 'key:ajet.context_tracker.fix_retokenization_drift',
    severity: 'warning',
    title: 'The endpoint used another prompt',
    explanation:
      'The endpoint returned the tokens of its prompt, and they differ from the tokens of the tracked messages, which AgentJet computes message by message. AgentJet compares them only under Trinity with `ajet.context_tracker.fix_retokenization_drift`. It logs and keeps other tokens of the same text. If the text differs, AgentJet tokenizes it again in a wrong way, and the sample fails. This happens with templates whose output for a message depends on its neighbors. VERL sends its own tokens and does not compare.',
    hint: 'Use the chat template of `ajet.model.path` in the endpoint, and a template that renders a message independently of its position. Under Trinity, set `ajet.context_tracker.fix_retokenization_drift: false` if texts differ.',
  },
  'timeline-snap': {
    target: 'key:ajet.context_tracker.detect_timeline_snap',
    severity: 'warning',
    title: 'The history was rewritten between calls',
    explanation:
      'With `ajet.context_tracker.detect_timeline_snap`, AgentJet compares each timeline with the previous one of any agent, and logs if they do not merge. The message names the first message and field that differ. Agents that take turns differ at every turn, but may still merge. `not-merged` reports the calls that do not merge in the end.',
    hint: 'Append to the messages of the previous call. If agents take turns, or you rewrite the history on purpose, set `ajet.context_tracker.detect_timeline_snap: false`.',
  },
  'degenerate-reply': {
    target: 'key:ajet.rollout.compute_madness_checklist',
    severity: 'warning',
    title: 'A degenerate reply',
    explanation:
      'A detector of `ajet.rollout.compute_madness_checklist` classified the reply as degenerate. Every timeline of the episode gets `agent_madness_reward` instead of its reward.',
    hint: 'If the reply is correct, remove the detector from `ajet.rollout.compute_madness_checklist`.',
  },
  'after-degenerate-reply': {
    target: 'key:ajet.rollout.agent_madness_termination',
    severity: 'warning',
    title: 'A call after a degenerate reply',
    explanation:
      'With `agent_madness_termination`, training drops all calls that start after a degenerate reply.',
    hint: 'Stop the workflow there, or set `ajet.rollout.agent_madness_termination: false`.',
  },
  'externally-interrupted': {
    target: 'execute',
    severity: 'warning',
    title: 'A call after the request to stop',
    explanation:
      'With `enable_oversample`, AgentJet requests episodes to stop that their task no longer needs. Their later calls are not kept. Their reward still counts when training selects the episodes.',
    hint: 'End the workflow soon after `observationWindow.stop` is true. Later calls are not trained.',
  },
  'task-mutated': {
    target: 'execute',
    severity: 'warning',
    title: 'The workflow changes its task',
    explanation:
      'Here every episode has its own task object. In AgentJet all repeats and attempts share one, so they see each other’s changes.',
    hint: 'Copy the task before you change it: `structuredClone(workflowTask.task)`.',
  },
  'not-selected': {
    severity: 'error',
    title: 'More episodes than training uses',
    explanation:
      'With `enable_oversample`, AgentJet starts more episodes than it trains on. It drops tasks whose rewards are all equal, and surplus episodes of the other tasks.',
    hint: 'No action is needed. To start fewer episodes, lower `submit_oversample_multiplier`.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
