import type { FindingKind } from '../findingKind.ts';

/** What a report tells of requests and replies that training refuses or takes otherwise than they were sent. */
export const requestKinds = {
  'missing-system-message': {
    level: 'episode',
    target: 'execute',
    severity: 'error',
    title: 'A request without a system message first',
    explanation: 'AgentJet refuses a request whose first message is not a system message.',
    hint: 'Begin the messages with a system message.',
  },
  'system-message-not-first': {
    level: 'episode',
    target: 'execute',
    severity: 'error',
    title: 'A system message that is not the first',
    explanation: 'AgentJet refuses a request that has a system message later on.',
    hint: 'Keep one system message, the first; say the rest as the user.',
  },
  'tool-result-dropped': {
    level: 'episode',
    target: 'key:ajet.rollout.force_disable_toolcalls',
    severity: 'warning',
    title: 'A tool result that is left out',
    explanation: 'With tool calls disabled, the model does not see tool results in training.',
    hint: 'Set `ajet.rollout.force_disable_toolcalls: false`, or give results as the user’s messages.',
  },
  'role-dropped': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'A message whose role is not known',
    explanation: 'AgentJet keeps the roles system, user, assistant and tool, and leaves out the others.',
    hint: 'Use one of the roles system, user, assistant and tool.',
  },
  'content-dropped': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'A message that is left out for its content',
    explanation:
      'A part without text, or content that is no plain text where tool calls are disabled, costs the whole message.',
    hint: 'Send the content as one string.',
  },
  'non-text-content-dropped': {
    level: 'episode',
    target: 'execute',
    severity: 'warning',
    title: 'Text that is lost between parts',
    explanation: 'A part whose `text` is no string makes AgentJet forget the parts before it.',
    hint: 'Send the content as one string.',
  },
  'tool-part-rejected': {
    level: 'episode',
    target: 'execute',
    severity: 'error',
    title: 'A part of a kind that is refused',
    explanation: 'AgentJet refuses messages with parts of type `tool_use` or `tool_result`.',
    hint: 'Say tool calls and their results in OpenAI’s form: `tool_calls`, and messages of role tool.',
  },
  'template-failed': {
    level: 'episode',
    target: 'key:ajet.model.path',
    severity: 'error',
    title: 'The chat template fails on a request',
    explanation:
      'AgentJet applies the model’s chat template to every request, and makes no tokens where it fails.',
    hint: 'Give the messages the form that the template asks for; its reason is in the message.',
  },
  'foreign-template': {
    level: 'episode',
    target: 'key:ajet.model.path',
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
  'end-token-inside-reply': {
    level: 'episode',
    severity: 'error',
    title: 'An end token inside a reply',
    explanation:
      'AgentJet ends the loss mask at the first end token, and refuses the sample where that is not the last one.',
    hint: 'Have the endpoint stop at the end token, or leave its text out of what it returns.',
  },
  'cut-reply-end-trained': {
    level: 'episode',
    target: 'key:ajet.rollout.max_response_length_in_one_turn',
    severity: 'warning',
    title: 'The end of a cut reply is trained',
    explanation:
      'When a reply that was cut by length is merged into a later timeline, AgentJet forgets the cut and trains the template’s end token.',
    hint: 'Raise `ajet.rollout.max_response_length_in_one_turn` so that replies are not cut.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
