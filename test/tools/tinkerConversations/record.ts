/**
 * Records the conversation of a client with a Tinker server:
 *
 *   node test/tools/tinkerConversations/record.ts FILE CLIENT SERVER URL -- COMMAND…
 *
 * CLIENT and SERVER are names with versions. The command finds the server in TINKER_BASE_URL. Clients are sdkClient.py, which
 * needs the package `tinker`, and refusals.ts. TuFT trains and samples without a GPU and a model with TUFT_CPU_TEST=1.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import type { Conversation } from './conversation.ts';
import { Recorder } from './recorder.ts';

const [file = '', client = '', server = '', url = '', , command = '', ...args] = process.argv.slice(2);

const recorder = await Recorder.start(url);
const env = { ...process.env, TINKER_BASE_URL: recorder.url, TINKER_TELEMETRY: '0' };
const child = spawn(command, args, { env, stdio: 'inherit' });
const [code] = (await once(child, 'exit')) as [number | null];
recorder.close();
if (code !== 0) throw new Error(`The client ended with ${code}.`);
const description = (await (await fetch(`${url}/openapi.json`)).json()) as {
  info: { title: string };
  paths: object;
};
const conversation: Conversation = {
  ...{ client, server },
  openApi: {
    info: { title: description.info.title },
    paths: Object.keys(description.paths).filter((path) => path.includes('/forward')),
  },
  exchanges: recorder.exchanges,
};
const inOneLine = (list: string): string => list.replaceAll(/\s+/g, ' ');
const text = JSON.stringify(conversation, null, 2).replaceAll(/\[[\s\d.,e+-]*\]/g, inOneLine);
writeFileSync(file, `${text}\n`);
