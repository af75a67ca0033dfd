import type { FindingKind } from '../findingKind.ts';

/** What a report tells of an episode: how it ended, what its calls came to, and its reward. */
export const episodeKinds = {
  'episode-error': {
    level: 'episode',
    target: 'line',
    severity: 'error',
    title: 'The episode ended with an error',
    explanation:
      'It has no reward and makes no sample. AgentJet’s training starts such an episode anew, three times in all under VERL, and then gives up the whole batch.',
    hint: 'Mend what the error names; a breakpoint on uncaught exceptions stops at it.',
  },
  'injected-fault': {
    level: 'episode',
    severity: 'warning',
    title: 'Faults were injected into its calls',
    explanation:
      'The run was told to make calls fail (`--faults`), so what the episode came to is not only the model’s doing.',
    hint: 'Judge rewards by a run without faults.',
  },
  'lost-to-injected-fault': {
    level: 'episode',
    severity: 'error',
    title: 'The episode was lost to an injected fault',
    explanation:
      'The run was told to make calls fail (`--faults`), and the workflow did not get over it. In training, real faults cost the episode the same way.',
    hint: 'Have the workflow catch the failure and go on, or run without faults.',
  },
  'not-tracked': {
    level: 'episode',
    severity: 'error',
    title: 'The calls of the episode were not tracked',
    explanation:
      'The process ended before, or the tokenizer failed, so what training would see is not known.',
    hint: 'Look for a warning about the tokenizer above, or run the episode again.',
  },
  'episode-lost': {
    level: 'episode',
    severity: 'error',
    title: 'The process ended before the episode did',
    explanation: 'Whatever ended the process of the run ended the episode with it, so it has no reward.',
    hint: 'Run the task again; the last lines of the run’s output may tell what ended the process.',
  },
  'no-call': {
    level: 'episode',
    target: 'execute',
    severity: 'error',
    title: 'No call through the tuner',
    explanation:
      'Only LLM calls that go through the tuner become samples, and none of the episode’s was answered through it.',
    hint: 'Ask the model by the client that `tuner` gives (`asOpenAIClient`, or its base URL and key).',
  },
  'bypassed-tuner': {
    level: 'episode',
    target: 'line',
    severity: 'warning',
    title: 'LLM calls around the tuner',
    explanation:
      'Code of the workflow asked another server for text by itself (`fetch` or `node:http` to a path such as `/chat/completions`). Such calls are neither tracked nor trained. For a model that is not to be trained, such as a simulated user, that is as it should be; what a judge asks is not counted. Calls of other processes are not seen.',
    hint: 'If the call is the agent’s, make it by the client that `tuner` gives.',
  },
  'all-calls-untrained': {
    level: 'episode',
    severity: 'error',
    title: 'Every call went to a debug model',
    explanation:
      'Agents whose target `trainableTargets` does not name are answered by their debug models, which are not tracked.',
    hint: 'Name a target that the agents use in `trainableTargets` of the workflow (--trainable-targets; launch.json: trainableTargets).',
  },
  'untrained-target-trained': {
    level: 'episode',
    severity: 'warning',
    title: 'A target that is trained though it is not to be',
    explanation:
      'AgentJet takes the model being trained, and trains it, where an agent has no debug model, and for whatever comes by base URL and key.',
    hint: 'Reach the model by `asOpenAIClient` with a `debugModel`, or name the target in `trainableTargets`.',
  },
  'nothing-trainable': {
    level: 'episode',
    target: 'execute',
    severity: 'error',
    title: 'No token counts in the loss',
    explanation:
      'The episode has timelines, but none of their tokens is trained: the replies are empty, all of them come after a degenerate one, or their calls are for targets that are not trained.',
    hint: 'Look at the loss mask of the episode’s timelines in the trace, and at the reason in the message.',
  },
  'reward-range': {
    level: 'episode',
    target: 'reward',
    severity: 'warning',
    title: 'A reward outside its usual range',
    explanation:
      'AgentJet’s own judges reward from 0 to 1.5, and `agent_madness_reward` is −1 by default. Group-relative advantages forgive another scale, but validation takes 1 for success, a single repeat trains on the bare reward, and below −1 a degenerate reply costs nothing any more.',
    hint: 'Scale the reward to between −1 and 1.5, 1 being success.',
  },
  'success-mismatch': {
    level: 'episode',
    target: 'reward',
    severity: 'warning',
    title: 'Reward and success disagree',
    explanation:
      'Validation counts a reward of at least 1 as success and does not look at `isSuccess`; the success rate of training is made of `isSuccess` and does not look at the reward. The two curves will tell different stories.',
    hint: 'Return `isSuccess: true` exactly with rewards of 1 or more.',
  },
  'success-missing': {
    level: 'episode',
    target: 'reward',
    severity: 'warning',
    title: 'A reward without isSuccess',
    explanation: 'A reward that comes without `isSuccess` counts as failure, however high it is.',
    hint: 'Return `isSuccess` along with `reward`.',
  },
  'reward-unused': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'A reward that the judge’s replaces',
    explanation:
      'Of a workflow that is a function, AgentScope’s tuner takes the judge’s reward wherever there is a judge. It is the other way around for AgentJet’s classes, whose reward keeps the judge from being asked.',
    hint: 'Leave `reward` out of what the function returns, or take the judge out of the config.',
  },
  'trinity-rewards': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'Experiences of one run with different rewards',
    explanation:
      'A workflow of Trinity-RFT may return several experiences, each with a reward of its own. By the advantage function `step_wise_grpo` the last one’s counts for all steps of the run; by any other each counts for itself among those of its task, and the reward of the episode is their mean.',
    hint: 'Look at the experiences in the episode’s metadata; for one reward per run give each the same.',
  },
  'trinity-untrained-replies': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'Answers of the model that no experience has',
    explanation:
      'Trinity-RFT trains on what a workflow returns, not on what it asked. The timelines here show every call; what is in none of the returned experiences would not be trained on.',
    hint: 'Return the experience of every answer that is to be learned from, or leave it out on purpose.',
  },
  'trinity-foreign-replies': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'Experiences with replies that are not the model’s',
    explanation:
      'The workflow made an experience of tokens or messages of which the model gave none in this episode: examples, edited replies, or another model’s. Trinity-RFT trains on them as on the model’s own.',
    hint: 'Leave them out, or mark them as not the model’s in action_mask.',
  },
  'trinity-repeats': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'Repeats that training runs together',
    explanation:
      'A workflow with `can_repeat` is given all repeats of its task at once in training, or as many as explorer.max_repeat_times_per_runner says. Here every repeat is an episode, so it is given one at a time.',
    hint: 'What compares the repeats of a task is not seen here; with max_repeat_times_per_runner: 1 training runs it as here.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
