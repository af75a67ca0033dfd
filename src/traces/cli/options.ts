import { exportFormats } from '../core/export/formats.ts';
import { choice, flag, repeated, text, integer, type Values } from '../../base/node/terminal/commandLine.ts';

export const traceOptions = {
  summary: flag('Prints what ran and its results.'),
  printed: integer('<episode>', 0, 'Prints what the code of an episode printed.'),
  query: text(
    '<sql>',
    'Prints the rows of one SELECT, which can neither write nor open another file. int32s(blob) and float32s(blob) return arrays of numbers as JSON.',
  ),
  limit: integer('<n>', 1, 'Maximum number of rows to print (default: 1000).'),
  timeout: integer('<seconds>', 1, 'Time after which a query or a summary stops (default: 30).'),
  export: choice(
    '<format>',
    exportFormats,
    'Writes the trace to --out. Formats: otlp (OTLP/JSON with GenAI conventions), jsonl (one line per episode), chrome (events for Perfetto), html (one page without scripts). Removes keys and access tokens of known services.',
  ),
  out: text('<file>', 'The file to export to.'),
  filter: text(
    '<text>',
    'Exports only the episodes that this filter of the viewer selects, such as group=3, episode=12 or "reward<0 agent:a".',
  ),
  redact: repeated(
    text('<pattern>', 'Also removes text that matches this regular expression. Can be repeated.'),
  ),
  redactTexts: flag('Removes all texts of messages and tokens, and the ids of tokens.'),
  preview: flag('Writes nothing. Prints which keys and access tokens an export would remove.'),
  json: flag('Prints one JSON document.'),
  port: integer('<n>', 0, 'Port of the viewer (default: any free port).'),
  runtime: text('<file>', 'The Node.js that serves the viewer.'),
  verbose: flag('Shows the stacks of errors.'),
};

export type TraceValues = Values<typeof traceOptions>;

export const samplesOptions = {
  json: flag(
    'Prints one line of JSON per sample, with the fields of AgentJet (input_ids, response_ids, loss_mask, step_reward, …). The member "agentjet" has the episode, timeline, calls, advantages, and what is cut or dropped.',
  ),
  task: repeated(text('<id>', 'Prints only samples of this task. Can be repeated.')),
  episode: repeated(integer('<n>', 0, 'Prints only samples of this episode. Can be repeated.')),
  worldSize: integer(
    '<n>',
    1,
    'Treats the run as one VERL batch for n processes, which drops what cannot be divided evenly.',
  ),
};

export type SamplesValues = Values<typeof samplesOptions>;
