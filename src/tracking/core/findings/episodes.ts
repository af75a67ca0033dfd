import type { FindingKind } from '../findingKind.ts';

/** The findings about an episode: its end, its calls, and its reward. */
export const episodeKinds = {
  'episode-error': {
    target: 'line',
    severity: 'error',
    title: 'The episode ended with an error',
    explanation:
      'The episode has no reward and gives no sample. AgentJet’s training retries such an episode: under VERL it tries three times and then drops the whole batch.',
    hint: 'Fix the error in the message. Under the debugger, the run stops where the error is thrown.',
  },
  'injected-fault': {
    severity: 'warning',
    title: 'Faults were injected into its calls',
    explanation:
      'The run injects faults into calls (`--faults`), so the result of the episode does not depend only on the model.',
    hint: 'Use a run without faults to judge rewards.',
  },
  'lost-to-injected-fault': {
    severity: 'error',
    title: 'An injected fault ended the episode',
    explanation:
      'The run injects faults into calls (`--faults`), and the workflow did not handle this one. In training, a real fault ends the episode in the same way.',
    hint: 'Handle the failure in the workflow, or run without faults.',
  },
  'not-tracked': {
    severity: 'error',
    title: 'The calls of the episode were not tracked',
    explanation:
      'The process ended too early, or the tokenizer failed. The training data of the episode is unknown.',
    hint: 'Look for a warning about the tokenizer above, or run the episode again.',
  },
  'episode-lost': {
    severity: 'error',
    title: 'The process ended before the episode',
    explanation: 'The process of the run ended before the episode did, so the episode has no reward.',
    hint: 'Run the task again. The last lines of the output of the run may show why the process ended.',
  },
  'no-call': {
    target: 'execute',
    severity: 'error',
    title: 'No call through the tuner',
    explanation:
      'Only LLM calls through the tuner become samples, and this episode has none that was answered.',
    hint: 'Call the model with the client that `tuner` provides (`asOpenAIClient`, or its base URL and key).',
  },
  'bypassed-tuner': {
    target: 'line',
    severity: 'warning',
    title: 'LLM calls that bypass the tuner',
    explanation:
      'The code of the workflow sent requests to another LLM server (`fetch` or `node:http` to a path such as `/chat/completions`). Such calls are neither tracked nor trained. This is correct for a model that you do not train, such as a simulated user. Calls of a judge do not count. Calls of other processes are not detected.',
    hint: 'If the agent makes this call, use the client that `tuner` provides.',
  },
  'all-calls-untrained': {
    severity: 'error',
    title: 'All calls went to debug models',
    explanation:
      'Debug models answer the agents whose target is not in `trainableTargets`. Their calls are not tracked, so the episode gives no sample.',
    hint: 'Add a target of these agents to `trainableTargets` of the workflow, or to --trainable-targets (launch.json: trainableTargets).',
  },
  'untrained-target-trained': {
    severity: 'warning',
    title: 'A target is trained although `trainableTargets` excludes it',
    explanation:
      'AgentJet uses and trains the model being trained for agents without a debug model, and for all clients that use the base URL and key.',
    hint: 'Use `asOpenAIClient` with a `debugModel`, or add the target to `trainableTargets`.',
  },
  'nothing-trainable': {
    target: 'execute',
    severity: 'error',
    title: 'No token counts in the loss',
    explanation:
      'The episode has timelines, but none of their tokens is trained. The replies are empty, follow a degenerate reply, or belong to targets that are not trained.',
    hint: 'Look at the loss mask of the timelines in the trace, and at the reason in the message.',
  },
  'reward-range': {
    target: 'reward',
    severity: 'warning',
    title: 'The reward is outside the usual range',
    explanation:
      'AgentJet’s own judges return rewards from 0 to 1.5, and `agent_madness_reward` is −1 by default. Group-relative advantages work with other scales. However, validation counts 1 as success, and a single repeat trains on the reward itself. If rewards go below −1, a degenerate reply is no longer penalized.',
    hint: 'Scale the reward to between −1 and 1.5, with 1 for success.',
  },
  'success-mismatch': {
    target: 'reward',
    severity: 'warning',
    title: 'Reward and success disagree',
    explanation:
      'Validation counts a reward of at least 1 as success and ignores `isSuccess`. The success rate of training uses `isSuccess` and ignores the reward. The two curves will differ.',
    hint: 'Return `isSuccess: true` exactly for rewards of 1 or more.',
  },
  'success-missing': {
    target: 'reward',
    severity: 'warning',
    title: 'A reward without isSuccess',
    explanation: 'A reward without `isSuccess` counts as a failure, even if it is high.',
    hint: 'Return `isSuccess` together with `reward`.',
  },
  'reward-unused': {
    target: 'execute',
    severity: 'warning',
    title: 'The judge’s reward replaces the workflow’s',
    explanation:
      'If the workflow is a function, AgentScope’s tuner uses the reward of the judge. If it is an AgentJet class, its own reward counts and the judge is not called.',
    hint: 'Do not return `reward` from the function, or remove the judge from the config.',
  },
  'trinity-rewards': {
    target: 'execute',
    severity: 'warning',
    title: 'Experiences of one run with different rewards',
    explanation:
      'A workflow of Trinity-RFT can return several experiences, each with its own reward. With the advantage function `step_wise_grpo`, the last reward counts for all steps of the run. With any other function, each experience counts on its own, and the reward of the episode is their mean.',
    hint: 'Look at the experiences in the metadata of the episode. To have one reward per run, give all of them the same reward.',
  },
  'trinity-untrained-replies': {
    target: 'execute',
    severity: 'warning',
    title: 'Replies that no experience contains',
    explanation:
      'Trinity-RFT trains on the experiences that a workflow returns, not on its calls. The timelines here show every call. Replies that are in no experience would not be trained.',
    hint: 'Return an experience for every reply that training must learn from. Ignore this finding for replies that you exclude on purpose.',
  },
  'trinity-foreign-replies': {
    target: 'execute',
    severity: 'warning',
    title: 'Experiences with replies that are not the model’s',
    explanation:
      'The workflow created an experience with tokens or messages that the model did not return in this episode. They are examples, edited replies, or replies of another model. Trinity-RFT trains on them like on replies of the model.',
    hint: 'Remove them, or set action_mask to 0 for them.',
  },
  'trinity-repeats': {
    target: 'execute',
    severity: 'warning',
    title: 'Repeats that training runs together',
    explanation:
      'In training, a workflow with `can_repeat` receives all repeats of its task at once, or as many as explorer.max_repeat_times_per_runner allows. Here every repeat is a separate episode.',
    hint: 'Code that compares the repeats of a task has no effect here. With max_repeat_times_per_runner: 1, training runs the workflow as it runs here.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
