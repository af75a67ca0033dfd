import type { FindingKind } from '../findingKind.ts';

/** The findings about requests and replies that training rejects or changes. */
export const requestKinds = {
  'missing-system-message': {
    target: 'execute',
    severity: 'error',
    title: 'The first message is not a system message',
    explanation: 'AgentJet rejects a request whose first message is not a system message.',
    hint: 'Start the messages with a system message.',
  },
  'system-message-not-first': {
    target: 'execute',
    severity: 'error',
    title: 'A system message that is not the first message',
    explanation: 'AgentJet rejects a request with a system message after the first message.',
    hint: 'Keep one system message at the start. Send the rest as user messages.',
  },
  'tool-result-dropped': {
    target: 'key:ajet.rollout.force_disable_toolcalls',
    severity: 'warning',
    title: 'A tool result is dropped',
    explanation: 'With tool calls disabled, the model does not see tool results in training.',
    hint: 'Set `ajet.rollout.force_disable_toolcalls: false`, or send results as user messages.',
  },
  'role-dropped': {
    target: 'execute',
    severity: 'warning',
    title: 'A message with an unknown role',
    explanation:
      'AgentJet keeps the roles system, user, assistant and tool, and drops messages with other roles.',
    hint: 'Use one of the roles system, user, assistant and tool.',
  },
  'content-dropped': {
    target: 'execute',
    severity: 'warning',
    title: 'A message is dropped because of its content',
    explanation:
      'AgentJet drops the whole message if it has a part without text. If tool calls are disabled, it also drops messages whose content is not plain text.',
    hint: 'Send the content as one string.',
  },
  'non-text-content-dropped': {
    target: 'execute',
    severity: 'warning',
    title: 'Text before a non-text part is dropped',
    explanation: 'If the `text` of a part is not a string, AgentJet drops the parts before it.',
    hint: 'Send the content as one string.',
  },
  'tool-part-rejected': {
    target: 'execute',
    severity: 'error',
    title: 'A message part of a rejected type',
    explanation: 'AgentJet rejects messages with parts of type `tool_use` or `tool_result`.',
    hint: 'Use OpenAI’s format for tool calls and their results: `tool_calls`, and messages with the role tool.',
  },
  'template-failed': {
    target: 'key:ajet.model.path',
    severity: 'error',
    title: 'The chat template fails on a request',
    explanation:
      'AgentJet applies the chat template of the model to every request. If the template fails, there are no tokens.',
    hint: 'Send messages in the form that the template expects. The message contains the reason of the template.',
  },
  'foreign-template': {
    target: 'key:ajet.model.path',
    severity: 'error',
    title: 'A chat template that is not ChatML',
    explanation:
      'AgentJet looks for `<|im_start|>assistant` and the end token of ChatML. With another template, its loss mask is rejected or wrong.',
    hint: 'Train a model with a ChatML template, such as a Qwen model.',
  },
  'reply-repeats-header': {
    severity: 'error',
    title: 'A reply that starts with a reply header',
    explanation: 'AgentJet rejects a reply that starts with the tokens of a reply header.',
    hint: 'Configure the endpoint so that it does not return the generation prompt.',
  },
  'tool-without-parameters': {
    severity: 'error',
    title: 'A tool without parameters',
    explanation: 'AgentJet rejects a request with a tool that has no `function.parameters`.',
    hint: 'Give the tool `parameters`, at least `{"type": "object", "properties": {}}`.',
  },
  'sample-refused': {
    severity: 'error',
    title: 'A timeline that gives no sample',
    explanation:
      'AgentJet rejects a timeline that starts with its reply, or whose first reply has no token that counts.',
    hint: 'Start each request with a system message, and look at the last reply of the timeline.',
  },
  'end-token-inside-reply': {
    severity: 'error',
    title: 'An end token inside a reply',
    explanation:
      'AgentJet ends the loss mask at the first end token. It rejects the sample if that is not the last token.',
    hint: 'Configure the endpoint to stop at the end token, or to leave its text out of the reply.',
  },
  'logprobs-dropped': {
    severity: 'warning',
    title: 'Log probabilities that do not belong to the reply',
    explanation:
      'The endpoint reported tokens with log probabilities, but their text is not the text of the reply. AgentJet counts the tokens of the reply itself, without log probabilities.',
    hint: 'Run AgentJet: Fetch Tokenizer for the tokenizer of the model, or let the endpoint return token ids (`return_token_ids`).',
  },
  'cut-reply-end-trained': {
    target: 'key:ajet.rollout.max_response_length_in_one_turn',
    severity: 'warning',
    title: 'The end of a truncated reply is trained',
    explanation:
      'If a later timeline contains a reply that was truncated by length, AgentJet no longer knows that it was truncated. It trains the end token that the template adds.',
    hint: 'Raise `ajet.rollout.max_response_length_in_one_turn`, so that replies are not truncated.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
