/**
 * Proves that training works: trains a tiny model on this machine's CPU with all seeds, kills a training and resumes it, and
 * trains a real language model with one seed. Saves pictures of a training in the editor.
 *
 *   npm run train:proof [-- --json]
 *
 * Prints the curves, or with --json the figures.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ToolError, artifacts, exitWith, projectEnv, runLogged, tail } from './commands.mjs';

const folder = await mkdtemp(path.join(tmpdir(), 'agentjet-proof-'));
const failure = await prove().catch((error) => error);
await rm(folder, { recursive: true, force: true });
if (failure !== undefined) exitWith(failure);

async function prove() {
  const log = path.join(artifacts, 'logs', 'train-proof.log');
  await rm(log, { force: true });
  console.error('Training all seeds. This takes several minutes.');
  const files = ['proof', 'realModel', 'palette'].map((name) => `${name}.test.ts`);
  const args = ['run', '--config', 'test/tinker/vitest.config.ts', ...files];
  const env = { ...projectEnv(), AGENTJET_PROOF: folder };
  const code = await runLogged('vitest', args, { log, env });
  const figures = async (name) =>
    JSON.parse(await readFile(path.join(folder, `${name}.json`), 'utf8').catch(() => 'null'));
  const [tiny, realModel] = [await figures('proof'), await figures('realModel')];
  const proof = tiny === null ? null : { ...tiny, ...(realModel !== null && { realModel }) };
  if (proof !== null) console.log(process.argv.includes('--json') ? JSON.stringify(proof) : curvesOf(proof));
  console.error(`Pictures: ${path.join(artifacts, 'screenshots/training-rehearsal')}`);
  if (code !== 0) throw new ToolError(`The proof failed:\n${tail(log, 40)}`);
}

function curvesOf({ seeds, ratioAtStep0, resumedAfterKill, realModel }) {
  const line = (name, { first, last, curve }) => {
    const rewards = curve.map((reward) => reward.toFixed(2).replace(/^0/, '')).join(' ');
    return `${name}  ${first.toFixed(2)} -> ${last.toFixed(2)}  ${rewards}`;
  };
  return [
    ...seeds.map((one) => line(`${one.language.padEnd(10)} seed ${one.seed}`, one)),
    ...(realModel === undefined ? [] : [line('a real language model', realModel)]),
    `ratio of trainer and sampler in the first step: ${ratioAtStep0}`,
    `continued after a kill: ${resumedAfterKill ? 'yes' : 'no'}`,
  ].join('\n');
}
