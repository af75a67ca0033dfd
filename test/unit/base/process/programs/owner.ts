/** A front end that starts a backbone and waits: the test kills it. Prints what the backbone logs. */
import process from 'node:process';
import { startBackbone } from '../../../../../src/backbone/node/process/backboneChannel.ts';
import { launchOf } from './launch.ts';

const channel = await startBackbone(launchOf(process.env['SCENARIO'] ?? ''));
channel.onEvent((event) => {
  if (event.type === 'log') process.stdout.write(`${event.message}\n`);
});
