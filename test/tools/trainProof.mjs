/**
 * Proves that training works: trains a tiny model on this machine's CPU with all seeds, kills a training and resumes it.
 *
 *   npm run train:proof [-- --json]
 *
 * Prints a curve per seed and language, or with --json the figures.
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
  const file = path.join(folder, 'proof.json');
  const log = path.join(artifacts, 'logs', 'train-proof.log');
  await rm(log, { force: true });
  console.error('Training all seeds. This takes several minutes.');
  const args = ['run', '--config', 'test/tinker/vitest.config.ts', 'proof.test.ts'];
  const env = { ...projectEnv(), AGENTJET_PROOF: file };
  const code = await runLogged('vitest', args, { log, env });
  const proof = JSON.parse(await readFile(file, 'utf8').catch(() => 'null'));
  if (proof !== null) console.log(process.argv.includes('--json') ? JSON.stringify(proof) : curvesOf(proof));
  if (code !== 0) throw new ToolError(`The proof failed:\n${tail(log, 40)}`);
}

function curvesOf({ seeds, ratioAtStep0, resumedAfterKill }) {
  const lines = seeds.map(({ seed, language, first, last, curve }) => {
    const rewards = curve.map((reward) => reward.toFixed(2).replace(/^0/, '')).join(' ');
    return `${language.padEnd(10)} seed ${seed}  ${first.toFixed(2)} -> ${last.toFixed(2)}  ${rewards}`;
  });
  return [
    ...lines,
    `ratio of trainer and sampler in the first step: ${ratioAtStep0}`,
    `continued after a kill: ${resumedAfterKill ? 'yes' : 'no'}`,
  ].join('\n');
}
