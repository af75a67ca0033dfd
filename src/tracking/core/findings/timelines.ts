import type { FindingKind } from '../findingKind.ts';

/** What a report tells of lengths and timelines, and of calls that training leaves out. */
export const timelineKinds = {
  'context-overflow': {
    level: 'episode',
    target: 'key:ajet.rollout.max_model_len',
    severity: 'error',
    title: 'A prompt that is too long',
    explanation:
      'The prompt leaves no room for the longest reply, so the model is not asked, here as in AgentJet: the workflow gets the canned reply `ajet_proxy: Exceeded max model context length.`, nothing of the call is recorded, and `tuner.getContextTracker().contextOverflow` is true from then on. An episode whose first prompt is too long has no timeline, and AgentJet’s means over its batch become NaN. Where the tokenizer is the embedded one, its count decides; it is approximate, so training may ask the model, or not ask it a little earlier.',
    hint: 'End the episode once `contextOverflow` says so, shorten the conversation, or raise `ajet.rollout.max_model_len`, or lower `ajet.rollout.max_response_length_in_one_turn`.',
  },
  'reply-exceeds-turn-limit': {
    level: 'episode',
    target: 'key:ajet.rollout.max_response_length_in_one_turn',
    severity: 'error',
    title: 'A reply longer than a turn may be',
    explanation: 'AgentJet refuses the call: the assertion costs an attempt at the episode.',
    hint: 'Raise `ajet.rollout.max_response_length_in_one_turn`, or ask for shorter replies.',
  },
  'timeline-exceeds-model-len': {
    level: 'episode',
    target: 'key:ajet.rollout.max_model_len',
    severity: 'error',
    title: 'A conversation longer than the model takes',
    explanation:
      'Request and reply together do not fit `ajet.rollout.max_model_len`, so AgentJet refuses the call.',
    hint: 'Raise `ajet.rollout.max_model_len`, or shorten the conversation.',
  },
  'prompt-too-long': {
    level: 'episode',
    target: 'key:ajet.data.max_prompt_length',
    severity: 'warning',
    title: 'A prompt longer than a sample’s',
    explanation:
      'What `ajet.data.max_prompt_length` has no room for is counted to the response, which has less room for replies then.',
    hint: 'Raise `ajet.data.max_prompt_length`, or shorten the first messages.',
  },
  'response-cut': {
    level: 'episode',
    target: 'key:ajet.data.max_response_length',
    severity: 'warning',
    title: 'A response that is truncated',
    explanation:
      'What is longer than `ajet.data.max_response_length` is cut from the sample, and its tokens do not train; an error where nothing that trains is left.',
    hint: 'Raise `ajet.data.max_response_length`, or let the episode take fewer turns.',
  },
  'near-limit': {
    level: 'episode',
    severity: 'warning',
    title: 'A length near its limit, by an approximate count',
    explanation:
      'Another tokenizer than the model’s counted, so the length may be over the limit in training.',
    hint: 'Fetch the model’s tokenizer to have it counted exactly.',
  },
  'not-merged': {
    level: 'episode',
    target: 'key:ajet.context_tracker.timeline_merging_policy.timeline_compare_level',
    severity: 'warning',
    title: 'Calls of one agent that do not merge',
    explanation:
      'A later call takes an earlier one over where it begins with its messages and its reply. Where the history was changed in between, both become samples of their own: what they share is trained and computed again, and the reward is spread over more samples. The message names the first that differs, why, and how many timelines other settings of `ajet.context_tracker.timeline_merging_policy` make. Timelines of several agents, or of other system prompts, are not counted.',
    hint: 'Append to the messages of the call before, its reply as it came; where that is not wanted (a summary, a window, thoughts taken out), nothing is wrong.',
  },
  'retokenization-drift': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'A reply that comes back in other tokens',
    explanation:
      'A later prompt holds a reply, and the chat template makes other tokens of it than the model had made: the model goes on from a prompt that it is not trained on. Where timelines merge by `text`, training takes the model’s own tokens; by `token`, they do not merge. `ajet.context_tracker.fix_retokenization_drift` does not mend it (see `prompt-drift`).',
    hint: 'Merge by text (`timeline_compare_level: text`), and send replies back as they came; where the template writes them in other words, such as without their thoughts, expect it at every turn.',
  },
  'prompt-drift': {
    level: 'episode',
    target: 'key:ajet.context_tracker.fix_retokenization_drift',
    severity: 'warning',
    title: 'Another prompt than the engine was given',
    explanation:
      'The endpoint told the tokens of its prompt, and they are not those of the tracked messages, which AgentJet makes one by one. It compares them under Trinity only, and only with `ajet.context_tracker.fix_retokenization_drift`: other tokens of the same text are logged and kept; another text, as of templates that write a message by what stands around it, is to be made into tokens anew, which AgentJet gets wrong, so that the sample fails. VERL sends its own tokens and compares nothing.',
    hint: 'Have the endpoint use the chat template of `ajet.model.path`, and one that writes each message the same wherever it stands; under Trinity, set `ajet.context_tracker.fix_retokenization_drift: false` where texts differ.',
  },
  'timeline-snap': {
    level: 'episode',
    target: 'key:ajet.context_tracker.detect_timeline_snap',
    severity: 'warning',
    title: 'A history that was rewritten between calls',
    explanation:
      'With `ajet.context_tracker.detect_timeline_snap`, AgentJet compares each timeline with the one that was kept before it, whichever agent’s that is, and logs that they do not merge. The message names the first message and field that differ. Agents that take turns differ at every turn, and may merge all the same: what does not merge in the end is `not-merged`.',
    hint: 'Append to the messages of the call before; where agents take turns, or the history is rewritten on purpose, set `ajet.context_tracker.detect_timeline_snap: false`.',
  },
  'degenerate-reply': {
    level: 'episode',
    target: 'key:ajet.rollout.compute_madness_checklist',
    severity: 'warning',
    title: 'A degenerate reply',
    explanation:
      'A detector of `ajet.rollout.compute_madness_checklist` found the reply degenerate: every timeline of the episode gets `agent_madness_reward` in place of its reward.',
    hint: 'If the reply is fine, take the detector out of `ajet.rollout.compute_madness_checklist`.',
  },
  'after-degenerate-reply': {
    level: 'episode',
    target: 'key:ajet.rollout.agent_madness_termination',
    severity: 'warning',
    title: 'A call after a degenerate reply',
    explanation:
      'With `agent_madness_termination`, training keeps nothing that begins after a degenerate reply.',
    hint: 'Have the workflow stop there, or set `ajet.rollout.agent_madness_termination: false`.',
  },
  'externally-interrupted': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'A call after the episode was told to stop',
    explanation:
      'With `enable_oversample`, episodes are told to stop that their task no longer needs. What they ask of the model from then on is not kept, though their reward still counts when the episodes that train are selected.',
    hint: 'Have the workflow end soon once `observationWindow.stop` says so; nothing it does then is trained on.',
  },
  'task-mutated': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'The workflow changes its task',
    explanation:
      'Here every episode has a task of its own. In AgentJet all repeats and attempts share one, so what one changes the others see.',
    hint: 'Copy what you change: `structuredClone(workflowTask.task)`.',
  },
  'not-selected': {
    level: 'episode',
    severity: 'error',
    title: 'More episodes than train',
    explanation:
      'With `enable_oversample`, more episodes are started than train: tasks whose rewards are all equal are left out, and of the others what is too much.',
    hint: 'Nothing is wrong; start fewer with a smaller `submit_oversample_multiplier`.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
