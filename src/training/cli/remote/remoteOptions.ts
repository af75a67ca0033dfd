import { launcherNames } from '../../core/protocol/runs.ts';
import {
  choice,
  flag,
  repeated,
  size,
  text,
  integer,
  type Values,
} from '../../../base/node/terminal/commandLine.ts';
import { sshStartOptions } from '../../node/client/sshStart.ts';

export const json = flag(
  'Prints one JSON document in one line; for logs and with --follow, one line per event.',
);
const host = text('<name>', 'The host (default: AGENTJET_HOST, else the only known host).');
export const commonOptions = { host, json };
export type CommonValues = Values<typeof commonOptions>;
export const addOptions = {
  tokenStdin: flag('Reads the token from stdin.'),
  fingerprint: text('<sha256>', 'Fingerprint of the certificate of the host.'),
  ...sshStartOptions,
  json,
};
export type AddValues = Values<typeof addOptions>;
const env = repeated(text('<name>', 'Passes this variable of your environment to the run. Can be repeated.'));
const follow = flag('Shows the logs until the run ends.');
const source = repeated(
  text(
    '<name>',
    'Shows the logs of this source: launcher (default), explorer, trainer, … or all. For earlier stages, write for example sft/trainer. Can be repeated.',
  ),
);
export const runOptions = {
  conf: text('<file>', 'The config to train.'),
  root: text('<folder>', 'The folder to send (default: the working directory). It must contain the config.'),
  host,
  name: text('<text>', 'A name for the run.'),
  launcher: choice('<name>', launcherNames, 'The launcher (default: by the format of the config).'),
  backbone: choice('<name>', ['trinity', 'verl'], 'The training backbone.'),
  gpus: integer('<n>', 0, 'Number of GPUs for the run.'),
  limit: size('<size>', 'The largest amount of code to send, such as 4G or 500M (default: 2G).'),
  env,
  dryRun: flag('Only checks, without sending anything.'),
  force: flag('Starts the run even if the host reports errors.'),
  sendKeys: flag('Sends files that look like keys or passwords, without a question.'),
  follow,
  source,
  json,
};
export type RunValues = Values<typeof runOptions>;

export const serveOptions = {
  host,
  baseModel: text('<name>', 'The model to train (default: the only one that the host allows).'),
  server: text('<name>', 'The Tinker server of the host (default: the first one with this model).'),
  json,
};
export type ServeValues = Values<typeof serveOptions>;

export const logsOptions = {
  host,
  follow,
  source,
  since: integer('<event>', 0, 'Starts after the event with this number.'),
  json,
};
export type LogsValues = Values<typeof logsOptions>;
export const removeOptions = { host, checkpoints: flag('Also removes its checkpoints.'), json };
export type RemoveValues = Values<typeof removeOptions>;
const step = integer('<n>', 0, 'The step of the checkpoint (default: the newest).');
const stage = text('<name>', 'The stage of the step, if several stages have it.');
export const pullOptions = {
  host,
  step,
  stage,
  to: text('<folder>', 'The target folder (default: checkpoints/RUN).'),
  json,
};
export type PullValues = Values<typeof pullOptions>;
export const rebuildOptions = { host, to: text('<folder>', 'The target folder (default: code/RUN).'), json };
export type RebuildValues = Values<typeof rebuildOptions>;

export const resumeOptions = {
  host,
  step,
  stage,
  fork: flag('Continues in a new folder instead of the folder of the run.'),
  env,
  force: flag('Starts the run even if the host reports errors.'),
  follow,
  source,
  json,
};
export type ResumeValues = Values<typeof resumeOptions>;
