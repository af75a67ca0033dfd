/** Keeps one run, as `agentjet host keep FILE` does. */
import process from 'node:process';
import { keepRun } from '../../../src/training/node/host/runs/keeper.ts';

await keepRun(process.argv[2] ?? '');
process.exit(0);
