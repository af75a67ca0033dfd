/** Everything that a training report can tell, as data: what it concerns, how serious it is, and what to do about it. */

import type { FindingKind } from './findingKind.ts';

export type { FindingKind, FindingLevel, FindingPlace, Severity } from './findingKind.ts';

/** By stable id, in the order in which the documentation lists them. */
export const findingKinds = {
  'approximate-tokenizer': {
    level: 'run',
    severity: 'warning',
    title: 'Another tokenizer than the model’s counts',
    explanation:
      'The model’s own `tokenizer.json` is not at hand, so the embedded one stands in: token ids are its own, and lengths only approximate. Near a limit, `near-limit` takes the place of the exact findings.',
    hint: 'Fetch the tokenizer of `ajet.model.path` (AgentJet: Fetch Tokenizer), or name one with --tokenizer (launch.json: tokenizer).',
  },
  'colliding-ids': {
    level: 'run',
    place: 'key:ajet.task_reader.type',
    severity: 'warning',
    title: 'Different tasks have the same id',
    explanation:
      'Training finds the task of a sample by its `task_id`. Tasks that share one, or have none, become one group: their rewards are compared with each other, and pass@n counts them as one.',
    hint: 'Give every row of the data set a `task_id` of its own.',
  },
  'judge-unused': {
    level: 'run',
    place: 'judge',
    severity: 'warning',
    title: 'The judge was never asked',
    explanation:
      'The config names a judge, but the workflow returned a reward in every episode, 0 included; AgentJet asks the judge only where the workflow returns none.',
    hint: 'Leave `reward` out of what `execute` returns to have the judge score, or take `ajet.task_judge` out of the config.',
  },
  'equal-rewards': {
    level: 'group',
    place: 'reward',
    severity: 'error',
    title: 'All rewards of a task are equal',
    explanation:
      'An advantage says how much better an episode did than the others of its task. Where all did equally well, every advantage is 0 and nothing is learned.',
    hint: 'Make the reward finer, choose tasks that are neither always nor never solved, or raise `ajet.rollout.num_repeat` or the temperature.',
  },
  'single-episode': {
    level: 'group',
    place: 'key:ajet.rollout.num_repeat',
    severity: 'warning',
    title: 'Nothing to compare an episode with',
    explanation:
      'A group with one episode that counts has no baseline: the advantage is the reward itself, so every positive reward is reinforced, however poor.',
    hint: 'Raise `ajet.rollout.num_repeat` (--repeat), or mend what ended the other episodes of the task.',
  },
  'episode-error': {
    level: 'episode',
    place: 'line',
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
    place: 'execute',
    severity: 'error',
    title: 'No call through the tuner',
    explanation:
      'Only LLM calls that go through the tuner become samples, and none of the episode’s was answered through it.',
    hint: 'Ask the model by the client that `tuner` gives (`asOpenAIClient`, or its base URL and key).',
  },
  'bypassed-tuner': {
    level: 'episode',
    place: 'line',
    severity: 'warning',
    title: 'LLM calls around the tuner',
    explanation:
      'Code of the workflow asked another server for text by itself (`fetch` or `node:http` to a path such as `/chat/completions`). Such calls are neither tracked nor trained. For a model that is not to be trained, such as a simulated user, that is as it should be; what a judge asks is not counted. Calls of other processes are not seen.',
    hint: 'If the call is the agent’s, make it by the client that `tuner` gives.',
  },
  'routed-away': {
    level: 'episode',
    severity: 'error',
    title: 'Every call went to a debug model',
    explanation:
      'Agents whose target `trainableTargets` does not name are answered by their debug models, which are not tracked.',
    hint: 'Name a target that the agents use in `trainableTargets` of the workflow (--trainable-targets; launch.json: trainableTargets).',
  },
  'trained-anyway': {
    level: 'episode',
    severity: 'warning',
    title: 'A target that is trained though it is not to be',
    explanation:
      'AgentJet takes the model being trained, and trains it, where an agent has no debug model, and for whatever comes by base URL and key.',
    hint: 'Reach the model by `asOpenAIClient` with a `debugModel`, or name the target in `trainableTargets`.',
  },
  'nothing-trainable': {
    level: 'episode',
    place: 'execute',
    severity: 'error',
    title: 'No token counts in the loss',
    explanation:
      'The episode has timelines, but none of their tokens is trained: the replies are empty, all of them come after a degenerate one, or their calls are for targets that are not trained.',
    hint: 'Look at the loss mask of the episode’s timelines in the trace, and at the reason in the message.',
  },
  'reward-range': {
    level: 'episode',
    place: 'reward',
    severity: 'warning',
    title: 'A reward outside its usual range',
    explanation:
      'AgentJet’s own judges reward from 0 to 1.5, and `agent_madness_reward` is −1 by default. Group-relative advantages forgive another scale, but validation takes 1 for success, a single repeat trains on the bare reward, and below −1 a degenerate reply costs nothing any more.',
    hint: 'Scale the reward to between −1 and 1.5, 1 being success.',
  },
  'success-mismatch': {
    level: 'episode',
    place: 'reward',
    severity: 'warning',
    title: 'Reward and success disagree',
    explanation:
      'Validation counts a reward of at least 1 as success and does not look at `isSuccess`; the success rate of training is made of `isSuccess` and does not look at the reward. The two curves will tell different stories.',
    hint: 'Return `isSuccess: true` exactly with rewards of 1 or more.',
  },
  'success-missing': {
    level: 'episode',
    place: 'reward',
    severity: 'warning',
    title: 'A reward without isSuccess',
    explanation: 'A reward that comes without `isSuccess` counts as failure, however high it is.',
    hint: 'Return `isSuccess` along with `reward`.',
  },
  overlong: {
    level: 'episode',
    place: 'key:ajet.rollout.max_model_len',
    severity: 'error',
    title: 'A prompt that is too long',
    explanation:
      'The prompt leaves no room for the longest reply, so AgentJet does not call the model, answers with a canned reply and records nothing of the call.',
    hint: 'Shorten the conversation, or raise `ajet.rollout.max_model_len`, or lower `ajet.rollout.max_response_length_in_one_turn`.',
  },
  'reply-over-turn': {
    level: 'episode',
    place: 'key:ajet.rollout.max_response_length_in_one_turn',
    severity: 'error',
    title: 'A reply longer than a turn may be',
    explanation: 'AgentJet refuses the call: the assertion costs an attempt at the episode.',
    hint: 'Raise `ajet.rollout.max_response_length_in_one_turn`, or ask for shorter replies.',
  },
  'timeline-over-model': {
    level: 'episode',
    place: 'key:ajet.rollout.max_model_len',
    severity: 'error',
    title: 'A conversation longer than the model takes',
    explanation:
      'Request and reply together do not fit `ajet.rollout.max_model_len`, so AgentJet refuses the call.',
    hint: 'Raise `ajet.rollout.max_model_len`, or shorten the conversation.',
  },
  'prompt-over': {
    level: 'episode',
    place: 'key:ajet.data.max_prompt_length',
    severity: 'warning',
    title: 'A prompt longer than a sample’s',
    explanation:
      'What `ajet.data.max_prompt_length` has no room for is counted to the response, which has less room for replies then.',
    hint: 'Raise `ajet.data.max_prompt_length`, or shorten the first messages.',
  },
  'response-cut': {
    level: 'episode',
    place: 'key:ajet.data.max_response_length',
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
    place: 'execute',
    severity: 'warning',
    title: 'Calls of one agent that do not merge',
    explanation:
      'A later call takes an earlier one over where it begins with its messages and its reply. Where the history was changed in between, both become samples of their own: what they share is trained and computed again, and the reward is spread over more samples. The message names the first that differs, why, and how many timelines other settings of `ajet.context_tracker.timeline_merging_policy` make. Timelines of several agents, or of other system prompts, are not counted.',
    hint: 'Append to the messages of the call before, its reply as it came; where that is not wanted (a summary, a window, thoughts taken out), nothing is wrong.',
  },
  'retokenization-drift': {
    level: 'episode',
    place: 'execute',
    severity: 'warning',
    title: 'A reply that comes back in other tokens',
    explanation:
      'A later prompt holds a reply, and the chat template makes other tokens of it than the model had made: the model goes on from a prompt that it is not trained on. Where timelines merge by `text`, training takes the model’s own tokens; by `token`, they do not merge. `ajet.context_tracker.fix_retokenization_drift` does not mend it: where the texts are equal it only logs a warning, under Trinity and where the engine tells the tokens of its prompts.',
    hint: 'Merge by text (`timeline_compare_level: text`), and send replies back as they came; where the template writes them in other words, such as without their thoughts, expect it at every turn.',
  },
  'degenerate-reply': {
    level: 'episode',
    place: 'key:ajet.rollout.compute_madness_checklist',
    severity: 'warning',
    title: 'A degenerate reply',
    explanation:
      'A detector of `ajet.rollout.compute_madness_checklist` found the reply degenerate: every timeline of the episode gets `agent_madness_reward` in place of its reward.',
    hint: 'If the reply is fine, take the detector out of `ajet.rollout.compute_madness_checklist`.',
  },
  'after-degenerate-reply': {
    level: 'episode',
    place: 'key:ajet.rollout.agent_madness_termination',
    severity: 'warning',
    title: 'A call after a degenerate reply',
    explanation:
      'With `agent_madness_termination`, training keeps nothing that begins after a degenerate reply.',
    hint: 'Have the workflow stop there, or set `ajet.rollout.agent_madness_termination: false`.',
  },
  'externally-interrupted': {
    level: 'episode',
    place: 'execute',
    severity: 'warning',
    title: 'A call after the episode was told to stop',
    explanation:
      'With `enable_oversample`, episodes are told to stop that their task no longer needs. What they ask of the model from then on is not kept, though their reward still counts when the episodes that train are selected.',
    hint: 'Have the workflow end soon once `observationWindow.stop` says so; nothing it does then is trained on.',
  },
  'task-mutated': {
    level: 'episode',
    place: 'execute',
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
  'first-not-system': {
    level: 'episode',
    place: 'execute',
    severity: 'error',
    title: 'A request without a system message first',
    explanation: 'AgentJet refuses a request whose first message is not a system message.',
    hint: 'Begin the messages with a system message.',
  },
  'later-system': {
    level: 'episode',
    place: 'execute',
    severity: 'error',
    title: 'A system message that is not the first',
    explanation: 'AgentJet refuses a request that has a system message later on.',
    hint: 'Keep one system message, the first; say the rest as the user.',
  },
  'tool-result-dropped': {
    level: 'episode',
    place: 'key:ajet.rollout.force_disable_toolcalls',
    severity: 'warning',
    title: 'A tool result that is left out',
    explanation: 'With tool calls disabled, the model does not see tool results in training.',
    hint: 'Set `ajet.rollout.force_disable_toolcalls: false`, or give results as the user’s messages.',
  },
  'role-dropped': {
    level: 'episode',
    place: 'execute',
    severity: 'warning',
    title: 'A message whose role is not known',
    explanation: 'AgentJet keeps the roles system, user, assistant and tool, and leaves out the others.',
    hint: 'Use one of the roles system, user, assistant and tool.',
  },
  'content-dropped': {
    level: 'episode',
    place: 'execute',
    severity: 'warning',
    title: 'A message that is left out for its content',
    explanation:
      'A part without text, or content that is no plain text where tool calls are disabled, costs the whole message.',
    hint: 'Send the content as one string.',
  },
  'text-lost': {
    level: 'episode',
    place: 'execute',
    severity: 'warning',
    title: 'Text that is lost between parts',
    explanation: 'A part whose `text` is no string makes AgentJet forget the parts before it.',
    hint: 'Send the content as one string.',
  },
  'part-refused': {
    level: 'episode',
    place: 'execute',
    severity: 'error',
    title: 'A part of a kind that is refused',
    explanation: 'AgentJet refuses messages with parts of type `tool_use` or `tool_result`.',
    hint: 'Say tool calls and their results in OpenAI’s form: `tool_calls`, and messages of role tool.',
  },
  'template-failed': {
    level: 'episode',
    place: 'key:ajet.model.path',
    severity: 'error',
    title: 'The chat template fails on a request',
    explanation:
      'AgentJet applies the model’s chat template to every request, and makes no tokens where it fails.',
    hint: 'Give the messages the form that the template asks for; its reason is in the message.',
  },
  'foreign-template': {
    level: 'episode',
    place: 'key:ajet.model.path',
    severity: 'error',
    title: 'A chat template that is not ChatML',
    explanation:
      'AgentJet looks for `<|im_start|>assistant` and the end token of ChatML; with other frames its loss mask is refused or wrong.',
    hint: 'Train a model with a ChatML template, such as Qwen’s.',
  },
  'reply-repeats-header': {
    level: 'episode',
    severity: 'error',
    title: 'A reply that begins with the header of a reply',
    explanation: 'AgentJet refuses a reply that has the tokens of its own header at its start.',
    hint: 'Keep the endpoint from adding the generation prompt to what it returns.',
  },
  'tool-without-parameters': {
    level: 'episode',
    severity: 'error',
    title: 'A tool without parameters',
    explanation: 'AgentJet refuses a request with a tool that has no `function.parameters`.',
    hint: 'Give the tool `parameters`, if only `{"type": "object", "properties": {}}`.',
  },
  'sample-refused': {
    level: 'episode',
    severity: 'error',
    title: 'A timeline that makes no sample',
    explanation:
      'AgentJet refuses a timeline that begins with its reply, or whose first reply has no token that counts.',
    hint: 'Begin each request with a system message, and look at the reply that the timeline ends with.',
  },
  'end-inside-reply': {
    level: 'episode',
    severity: 'error',
    title: 'An end token inside a reply',
    explanation:
      'AgentJet ends the loss mask at the first end token, and refuses the sample where that is not the last one.',
    hint: 'Have the endpoint stop at the end token, or leave its text out of what it returns.',
  },
  'cut-end-trained': {
    level: 'episode',
    place: 'key:ajet.rollout.max_response_length_in_one_turn',
    severity: 'warning',
    title: 'The end of a cut reply is trained',
    explanation:
      'When a reply that was cut by length is merged into a later timeline, AgentJet forgets the cut and trains the template’s end token.',
    hint: 'Raise `ajet.rollout.max_response_length_in_one_turn` so that replies are not cut.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

export type FindingCode = keyof typeof findingKinds;
