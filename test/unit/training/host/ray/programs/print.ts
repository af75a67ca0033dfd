/** Prints a log piece by piece, and is killed in the middle of one of its writes: FILE NOTE LOG KILLED-AT SHARE. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { ResumableOutput } from '../../../../../../src/training/node/host/ray/rayOutput.ts';

const [file = '', note = '', log = '', killedAt = '', share = ''] = process.argv.slice(2);
const { writeSync, fsyncSync } = fs;
let left = Number(killedAt);

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('it is still there');
}

fs.writeSync = ((descriptor: number, bytes: Buffer, from: number) => {
  if (bytes.toString().startsWith('agentjet') || (left -= 1) > 0) return writeSync(descriptor, bytes, from);
  writeSync(descriptor, bytes, from, Math.floor(Number(share) * (bytes.length - from)));
  return die();
}) as typeof writeSync;
fs.fsyncSync = (descriptor) => ((left -= 1) > 0 ? fsyncSync(descriptor) : die());
syncBuiltinESMExports();

const bytes = fs.readFileSync(log);
const output = new ResumableOutput(file, note);
output.writeLine('agentjet: here again\n');
for (let at = 0; at < bytes.length; at += 1_000) {
  output.print(at, bytes.subarray(at, at + 1_000));
  if (at % 3_000 === 0) output.writeLine('agentjet: still here\n');
}
