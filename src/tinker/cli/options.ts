import { flag, integer, text, type Values } from '../../base/node/terminal/commandLine.ts';

export const rehearseOptions = {
  conf: text(
    '<file>',
    'Config to train for a few steps. Then the server stops. Without it, the server runs until Ctrl-C.',
  ),
  steps: integer('<n>', 1, 'Steps of the training with --conf (default: 10).'),
  onlySetup: flag('Sets up the environment and the model, and starts no server.'),
  port: integer('<n>', 0, 'Port of the server (default: any free port).'),
  data: text(
    '<folder>',
    'Keeps the database, the checkpoints and the log of the server in this folder (default: a temporary folder).',
  ),
  python: text(
    '<file>',
    'Python 3.11, 3.12 or 3.13 for the environment (default: the first suitable one that is installed).',
  ),
  verbose: flag('Shows the stacks of errors.'),
};

export type RehearseValues = Values<typeof rehearseOptions>;
