/**
 * Loads what each case names, then runs those that are workflows once. One process for all cases: nothing of one may
 * disturb another. Prints an array of outcomes as JSON.
 */
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { toReport } from '../../../../../src/base/core/errors.ts';
import { installLoader, type ExportKind } from '../../../../../src/backbone/node/loader/loader.ts';
import type { AjetTuner, WorkflowTask } from '../../../../../src/sdk/core/index.ts';
import type { Case, Outcome } from './cases.ts';

const root = path.resolve(import.meta.dirname, '../../../../..');
const loader = installLoader({
  sdkUrl: pathToFileURL(path.join(root, 'src/sdk/core/index.ts')).href,
  compiler: path.join(root, 'node_modules/typescript'),
  ownFolder: path.join(root, 'src'),
});
const task = { task: { main_query: 'twelve chars' } } as WorkflowTask;

type AgentClass = new () => { execute(task: WorkflowTask, tuner: AjetTuner): Promise<{ reward: number }> };

interface Loaded {
  readonly outcome: Outcome;
  readonly Agent?: AgentClass;
}

async function load({ file, name = 'Agent', kind = 'workflow', folders = [] }: Case): Promise<Loaded> {
  try {
    const { value, file: found } = await loader.loadExport<ExportKind>({ file, name }, kind, folders);
    return { outcome: { file: found }, ...(kind === 'workflow' && { Agent: value as AgentClass }) };
  } catch (error) {
    const { code, message, location, hint } = toReport(error, 'none');
    return { outcome: { error: { code, message, location, hint } } };
  }
}

async function run({ outcome, Agent }: Loaded): Promise<Outcome> {
  if (Agent === undefined) return outcome;
  try {
    return { ...outcome, reward: (await new Agent().execute(task, {} as AjetTuner)).reward };
  } catch (error) {
    return { ...outcome, frame: loader.userFrame(error) };
  }
}

const loaded: Loaded[] = [];
for (const one of JSON.parse(process.argv[2] ?? '[]') as Case[]) loaded.push(await load(one));
const outcomes: Outcome[] = []; // all loaded
for (const one of loaded) outcomes.push(await run(one));
process.stdout.write(JSON.stringify(outcomes));
