import { flag, integer, repeated, text, type Values } from '../../../base/node/terminal/commandLine.ts';

const tinkerUrl = text('<url>', 'Base URL of the Tinker server (default: the server of the training).');
const json = flag('Prints one JSON document in one line.');
const step = integer('<n>', 0, 'The step of the checkpoint (default: the newest).');
const steps = repeated(integer('<n>', 0, 'The step of a checkpoint. Can be repeated.'));

export const listOptions = { tinkerUrl, json };
export type ListValues = Values<typeof listOptions>;
export const downloadOptions = {
  step,
  to: text('<folder>', 'The folder for the adapter, which gets a folder step-N (default: checkpoints/NAME).'),
  tinkerUrl,
  json,
};
export type DownloadValues = Values<typeof downloadOptions>;
export const deleteOptions = { step: steps, yes: flag('Deletes without a question.'), tinkerUrl, json };
export type DeleteValues = Values<typeof deleteOptions>;
export const publishOptions = { step, tinkerUrl, json };
export type PublishValues = Values<typeof publishOptions>;
